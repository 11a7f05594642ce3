#!/usr/bin/env bash
# Formatting of the sources: clang-format, ASCII only, at most 100 columns.
# Version 14 and no other: it is the one that Debian 12 and Ubuntu 24.04 both have.
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

if command -v clang-format-14 >/dev/null; then
    clang-format-14 --dry-run -Werror "${cpp[@]}" || failed=1
elif [[ ${LSRECON_REQUIRE_FORMAT:-0} == 1 ]]; then
    echo "clang-format-14 is not installed; scripts/setup.sh installs it"
    failed=1
elif ((failed == 0)); then
    echo "clang-format-14 is not installed: the C++ sources were not checked"
    exit 77 # CTest counts this as skipped
fi
exit $failed
