#!/usr/bin/env bash
# lsrecon where nothing can be kept in the usual folders: service accounts, read-only homes, a full
# cache of the driver, swapped entries.
#     cache_folders.sh LSRECON
set -euo pipefail
lsrecon=$1
if "$lsrecon" devices | grep '^   platform' | grep -qv 'Portable Computing Language'; then
    echo "skipped: where there is another device, PoCL is not the one that is used"
    exit 77
fi
work=$(mktemp -d)
full=$work/full
trap 'umount "$full" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
touch file # nobody, the superuser included, makes a folder below it
mkdir tmp

fail() { echo "FAILED: $1" >&2; cat printed >&2; exit 1; }

run() { # CODE VARIABLES... -- ARGUMENTS...: in an environment of these variables alone
    local wanted=$1 code=0 variables=()
    shift
    while [[ $1 != -- ]]; do variables+=("$1"); shift; done
    shift
    env -i PATH="$PATH" "${variables[@]}" "$lsrecon" "$@" >printed 2>&1 || code=$?
    ((code == wanted)) || fail "${variables[*]}: lsrecon $*: exit code $code, expected $wanted"
}
solved_on_device() { # VARIABLES...
    run 0 "$@" -- recon scan.h5 -o image.h5 --solver device --tolerance 0.5 --quiet
    rm image.h5
}
expect_printed() { grep -qF -- "$1" printed || fail "does not print '$1'"; }

"$lsrecon" simulate --trajectory radial --matrix 8,8 -o scan.h5 --quiet >printed

# Without a home, or with one that cannot be written, the folder for temporary files serves.
solved_on_device TMPDIR="$work/tmp"
private=$work/tmp/lsrecon-$(id -u)
[[ -n $(find "$private" -name '*.bin') ]] || fail "no compiled kernel is kept in $private"
[[ -n $(find "$private/pocl" -name '*.so') ]] || fail "the driver keeps nothing in $private/pocl"
solved_on_device TMPDIR="$work/tmp" HOME="$work/file"
[[ ! -s printed ]] || fail "prints something, though nothing was asked for"

# A place that the user names and that cannot be used is reported.
solved_on_device TMPDIR="$work/tmp" POCL_CACHE_DIR="$work/file/pocl"
expect_printed "$work/file/pocl: Not a directory"
solved_on_device TMPDIR="$work/tmp" LSRECON_CACHE="$work/file"
expect_printed "$work/file/pocl: Not a directory"

# Nothing at all can be written: the cause is the cache, not a driver that is missing.
for command in devices "recon scan.h5 -o image.h5"; do
    # shellcheck disable=SC2086 # several words
    run 4 TMPDIR="$work/file" HOME="$work/file" -- $command
    expect_printed "$work/file/.cache/lsrecon/pocl: Not a directory"
    expect_printed LSRECON_CACHE
    expect_printed POCL_CACHE_DIR
    ! grep -q 'install\|correct the kernel' printed || fail "blames the driver or the kernel"
done
run 4 TMPDIR="$work/tmp" OCL_ICD_VENDORS="$work/tmp" -- devices
expect_printed "install the driver"

# A full disk, where this process may make one.
mkdir "$full"
if mount -t tmpfs -o size=64k none "$full" 2>/dev/null; then
    solved_on_device TMPDIR="$work/tmp" POCL_CACHE_DIR="$full/pocl"
    expect_printed "$full/pocl: No space left on device"
    run 4 TMPDIR="$full" POCL_CACHE_DIR="$full/pocl" HOME="$work/file" -- recon scan.h5 -o image.h5
    expect_printed "No space left on device"
    umount "$full"
fi

# Entries under each other's names are built again.
entries=("$private"/kernels/*.bin)
((${#entries[@]} > 1)) || fail "expected several entries"
mv "${entries[0]}" first
for ((i = 1; i < ${#entries[@]}; ++i)); do
    mv "${entries[i]}" "${entries[i - 1]}"
done
mv first "${entries[i - 1]}"
solved_on_device TMPDIR="$work/tmp"
[[ ! -s printed ]] || fail "swapped entries are reported"
