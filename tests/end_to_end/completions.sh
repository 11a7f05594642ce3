#!/usr/bin/env bash
# Completions that packages install complete.
#     completions.sh LSRECON
set -euo pipefail
lsrecon=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() { echo "$1" >&2; failed=1; }

mkdir folder
"$lsrecon" --write-completions folder

# completed WORDS...: what Tab offers after them, the last of which may be unfinished.
source folder/lsrecon.bash
completed() {
    COMP_WORDS=(lsrecon "$@")
    COMP_CWORD=$#
    _lsrecon 2>/dev/null
    echo "${COMPREPLY[*]}"
}
expect() { # COMPLETIONS WORDS...
    local expected=$1
    shift
    [[ $(completed "$@") == "$expected" ]] || fail "$* completes to: $(completed "$@")"
}
expect "recon" rec
expect "view validate" v
expect "--precision" recon scan.h5 --preci
expect "single double" recon --precision ""
expect "double" recon --precision d
expect "double" recon --precision = d
expect "golden-angle" simulate --trajectory golden-a
expect "" recon --lambda ""
expect "" recon sc
[[ $(completed recon --) == *--threads* ]] || fail "recon -- completes to: $(completed recon --)"
[[ $(complete -p lsrecon) == *"-o default"* ]] || fail "files are not completed"

if command -v zsh >/dev/null; then
    zsh -n folder/_lsrecon || fail "zsh cannot read its completion"
fi
if command -v fish >/dev/null; then
    export HOME=$work
    fish -n folder/lsrecon.fish || fail "fish cannot read its completion"
    said=$(fish -c 'source folder/lsrecon.fish; complete -C "lsrecon recon --precision d"')
    [[ $said == double* ]] || fail "fish completes --precision d to: $said"
fi
exit $failed
