#!/usr/bin/env bash
# Formatting of the sources: clang-format, ASCII only, at most 100 columns. Neither the build nor
# the tests depend on it; continuous integration does.
# Version 14 and no other: it is the one that Debian 12 and Ubuntu 24.04 both have, and it is
# installed there where it is missing. Exit code 77: all but the C++ sources was checked, because
# the distribution has no clang-format-14.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t cpp < <(find recon tests -name '*.hpp' -o -name '*.cpp' | sort)
mapfile -t sources < <(
    find . -regex '.*\.\(hpp\|cpp\|cl\|in\|cmake\|txt\|sh\|py\|md\|json\)' -type f -size -200k \
        -not -path './build/*' -not -path './.*' |
        sort
)
failed=0

non_ascii=$(LC_ALL=C grep -nP '[^\x00-\x7F]' "${sources[@]}" || true)
if [[ -n $non_ascii ]]; then
    printf 'characters that are not ASCII:\n%s\n' "$non_ascii"
    failed=1
fi

# Tables in Markdown and data in JSON have lines as long as they need.
mapfile -t code < <(printf '%s\n' "${sources[@]}" | grep -v '\.\(md\|json\)$')
too_long=$(LC_ALL=C grep -nE '^.{101,}' "${code[@]}" || true)
if [[ -n $too_long ]]; then
    printf 'lines of more than 100 columns:\n%s\n' "$too_long"
    failed=1
fi

find_formatter() {
    for formatter in clang-format-14 clang-format; do
        if [[ $("$formatter" --version 2>/dev/null) == *"version 14."* ]]; then
            return
        fi
    done
    return 1
}
setup=0
find_formatter || scripts/setup.sh clang-format-14 || setup=$?
if find_formatter; then
    "$formatter" --dry-run -Werror "${cpp[@]}" || failed=1
elif ((setup == 3 && failed == 0)); then
    echo "the C++ sources were not checked; next: pip install clang-format==14.0.6"
    exit 77
else
    failed=1
fi
exit $failed
