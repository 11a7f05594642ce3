#!/usr/bin/env bash
# What packages install: manual pages without a warning, completions that complete.
#     pages.sh LSRECON
set -euo pipefail
lsrecon=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0
fail() { echo "$1" >&2; failed=1; }

mkdir pages
SOURCE_DATE_EPOCH=86400 "$lsrecon" --write-pages pages
grep -q '^\.TH LSRECON 1 1970-01-02 ' pages/lsrecon.1 || fail "the day of lsrecon.1"
mapfile -t commands < <("$lsrecon" --help | sed -n '/^Commands:/,$s/^  \([a-z]*\) .*/\1/p')
((${#commands[@]} >= 15)) || fail "commands: ${commands[*]}"

for command in "${commands[@]}"; do
    page=pages/lsrecon-$command.1
    flags=$("$lsrecon" "$command" --help-all | sed -n 's/^  \(-o,\)\?\(--[a-z0-9-]*\).*/\2/p')
    for flag in $flags; do
        grep -qF -- "\\fB${flag//-/\\-}\\fR" "$page" || fail "$page lacks $flag"
    done
done
for page in pages/*.1; do
    if command -v man >/dev/null; then
        said=$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [[ -z $said ]] || fail "man: $said"
    fi
    if command -v mandoc >/dev/null; then
        said=$(mandoc -Tlint "$page") || true
        [[ -z $said ]] || fail "$said"
    fi
done

# completed WORDS...: what Tab offers after them, the last of which may be unfinished.
source pages/lsrecon.bash
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
    zsh -n pages/_lsrecon || fail "zsh cannot read its completion"
fi
if command -v fish >/dev/null; then
    export HOME=$work
    fish -n pages/lsrecon.fish || fail "fish cannot read its completion"
    said=$(fish -c 'source pages/lsrecon.fish; complete -C "lsrecon recon --precision d"')
    [[ $said == double* ]] || fail "fish completes --precision d to: $said"
fi
exit $failed
