#!/usr/bin/env bash
# Runs the README's ```sh blocks that follow a line <!-- test -->, in one empty folder.
#     readme.sh LSRECON README.md
set -euo pipefail
PATH=$(dirname "$1"):$PATH
export PATH
readme=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

awk '/^<!-- test -->$/ { wanted = 1; next }
     wanted && /^```sh$/ { inside = 1; next }
     inside && /^```$/ { inside = 0; wanted = 0; next }
     inside { print }' "$readme" >commands.sh
[[ -s commands.sh ]] || { echo "$readme has no block marked <!-- test -->" >&2; exit 1; }
bash -euo pipefail -x commands.sh
