#!/usr/bin/env bash
# The steps of the Containerfile and its default command, without a program for containers.
#     test_in.sh bookworm containerfile      in a root that was installed this minute
# It has to lie where the Containerfile copies it to, /lsrecon.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ $PWD != /lsrecon ]]; then
    echo "$PWD is not /lsrecon; next: scripts/test_in.sh bookworm containerfile" >&2
    exit 2
fi
while read -r word rest; do
    case $word in
        RUN) echo "== $rest" && bash -c "$rest" </dev/null ;;
        ENV) eval "export $rest" ;;
        CMD) read -ra words <<<"$(tr -d '[]",' <<<"$rest")" && "${words[@]}" </dev/null ;;
    esac
done < <(sed -e :join -e '/\\$/{N;s/\\\n *//;b join' -e '}' Containerfile)
