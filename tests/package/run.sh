#!/usr/bin/env bash
# Installs a build into an empty prefix, then builds and runs a project that uses the package.
#     run.sh BUILD_FOLDER VERSION
set -euo pipefail
build=$1
version=$2
source=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/log"
[[ $("$work/prefix/bin/lsrecon" --version | head -n 1) == "lsrecon $version" ]]
for file in man/man1/lsrecon.1 bash-completion/completions/lsrecon \
    zsh/site-functions/_lsrecon fish/vendor_completions.d/lsrecon.fish doc/lsrecon/CITATION.cff \
    doc/lsrecon/schema.json; do
    [[ -s $work/prefix/share/$file ]] || { echo "share/$file was not installed" >&2; exit 1; }
done
documents=$work/prefix/share/doc/lsrecon
[[ -s $documents/html/index.html || -s $documents/index.md ]]
if grep -rlE "$(cd "$source/../.." && pwd)/(recon|build)" "$work/prefix" --include='*.cmake'; then
    echo "the installed package names folders of the source tree" >&2
    exit 1
fi
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$work/prefix" >>"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >>"$work/log" || { cat "$work/log"; exit 1; }
[[ $("$work/build/consumer") == "lsrecon $version" ]]
