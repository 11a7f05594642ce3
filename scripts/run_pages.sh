#!/usr/bin/env bash
# Runs the ```sh and ```python blocks that follow a line <!-- test --> of each page, in order and in
# FOLDER/NAME of the page.
#     run_pages.sh LSRECON FOLDER PAGE...
# LSRECON_PYTHON=path/to/python3 names the interpreter that has h5py and matplotlib.
set -euo pipefail
PATH=$(dirname "$(realpath "$1")"):$PATH
export PATH MPLBACKEND=Agg LSRECON_PYTHON=${LSRECON_PYTHON:-/usr/bin/python3}
folder=$(realpath -m "$2")
shift 2

for page in "$@"; do
    work=$folder/$(basename "$page" .md)
    rm -rf "$work"
    mkdir -p "$work"
    awk '/^<!-- test -->$/ { wanted = 1; next }
         wanted && /^```(sh|python)$/ {
             inside = 1; wanted = 0; python = /python/
             if (python) print "\"$LSRECON_PYTHON\" <<\"END\""
             next
         }
         inside && /^```$/ { if (python) print "END"; inside = 0; next }
         inside { print }
         END { exit wanted || inside }' "$page" >"$work/commands.sh" ||
        { echo "$page: a line <!-- test --> has no whole block behind it" >&2; exit 1; }
    echo "== $page"
    (cd "$work" && bash -euo pipefail -x commands.sh) ||
        { echo "$page: a command failed" >&2; exit 1; }
done
