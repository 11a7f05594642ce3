#!/usr/bin/env bash
# Reconstructs one scan of a list, unless its image is there already.
#     one_scan.sh SCAN FOLDER [OPTIONS OF lsrecon recon...]
# writes  FOLDER/images/SCAN         the image, and SCAN.part while frames are missing;
#                                    a scan below the working folder keeps its path from there, any
#                                    other its whole path; .h5 is appended where missing
#         FOLDER/logs/SCAN.log       what lsrecon said
#         FOLDER/rows/SCAN.tsv       the scan's row of table.sh
#         FOLDER/q/KEY.h5            Q, for all scans of one trajectory, matrix, phi and weights
# environment:
#         LSRECON_PROGRAM [lsrecon]  the program
#         LSRECON_DEVICE             what --device gets
#         LSRECON_SHARE_Q [yes]      "no": each scan computes its own Q, and none is kept
# Exit code: lsrecon's, 0 for an image that was there; above 128 when a signal ended it.
set -euo pipefail
scan=$1
folder=$2
shift 2
program=${LSRECON_PROGRAM:-lsrecon}

name=$(realpath -ms -- "$scan")
name=${name#"$PWD"/}
name=${name#/}
[[ $name == *.h5 ]] || name+=.h5
image=$folder/images/$name
log=$folder/logs/$name.log
row=$folder/rows/$name.tsv

# lsrecon renames a whole image into place: one that exists is finished, unless the scan is newer or
# frames failed, whose part is then still there.
if [[ $image -nt $scan && ! -e $image.part ]]; then
    echo "finished before: $scan"
    exit 0
fi
mkdir -p "${image%/*}" "${log%/*}" "${row%/*}"

# A lock ends with its process, however that ends. On a file system without locks nothing goes
# wrong either: work is done twice, and each result is renamed into place.
is_free() { # false when another process has the scan
    local code=0
    exec {descriptor}>"$row.lock"
    flock --nonblock --conflict-exit-code 75 "$descriptor" || code=$?
    ((code != 75))
}

write_row() { # EXIT_CODE SECONDS MESSAGE
    printf '%s\t' "$1" "$2" "$(hostname -s)" "$(date -u +%FT%TZ)" "$scan" >"$row.part"
    printf '%s\n' "$3" >>"$row.part"
    mv -f "$row.part" "$row"
}

options=()
if [[ -n ${LSRECON_DEVICE:-} ]]; then
    options+=(--device "$LSRECON_DEVICE")
fi
if [[ ${LSRECON_SHARE_Q:-yes} == yes ]]; then
    options+=(--q-folder "$folder/q")
fi
options+=("$@")

reconstruct() {
    ((stopped == 0)) || return 143
    [[ $image.part -nt $scan ]] || rm -rf "$image.part" # frames of the scan as it was before
    local code=0 resume=()
    [[ ! -e $image.part ]] || resume=(--resume) # frames that are solved together have no part
    "$program" recon "$scan" -o "$image" "${resume[@]}" "${options[@]}" || code=$?
    if ((code == 3)) && grep -q '\.part: it was made with other settings' "$log"; then
        echo "its frames were solved on another device or by another version: from the beginning"
        rm -rf "$image.part"
        code=0
        "$program" recon "$scan" -o "$image" "${options[@]}" || code=$?
    fi
    return "$code"
}

message() { # the error as one line, or notes, as of a solve that missed its tolerance
    awk '/^lsrecon: / {sub(/^lsrecon: /, ""); error = $0; next}
         error != "" && /^  / {sub(/^ +/, ""); error = error "; " $0}
         /^note: / && ++count <= 3 {sub(/^note: /, ""); notes = notes (notes ? "; " : "") $0}
         END {print error != "" ? error : notes}' "$log" | tr '\t' ' '
}

if ! is_free; then
    echo "another process has it: $scan"
    exit 0
fi
# Stopping a batch signals the whole process group: lsrecon ends, and this script records it.
stopped=0
trap 'stopped=1' TERM
code=0
start=${EPOCHREALTIME/[.,]/}
write_row running - ""
reconstruct >"$log" 2>&1 || code=$?
tenths=$(((${EPOCHREALTIME/[.,]/} - start) / 100000))
seconds=$((tenths / 10)).$((tenths % 10))
write_row "$code" "$seconds" "$(message)"
echo "exit code $code after $seconds s: $scan"
exit "$code"
