#!/usr/bin/env bash
# Reconstructs one scan of a list, unless its image is there already.
#     one_scan.sh SCAN FOLDER [OPTIONS OF lsrecon recon...]
# writes  FOLDER/images/SCAN         the image, and SCAN.part while frames are missing;
#                                    a scan below the working folder keeps its path from there, any
#                                    other its whole path; .h5 is appended where missing
#         FOLDER/logs/SCAN.log       what lsrecon said
#         FOLDER/rows/SCAN.tsv       the scan's row of table.sh
#         FOLDER/q/KEY.h5            Q, made once for all scans of one q key
# environment:
#         LSRECON_PROGRAM [lsrecon]  the program
#         LSRECON_DEVICE             what --device gets
#         LSRECON_SHARE_Q [yes]      "no": each scan computes its own Q, and is read once, not twice
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
mkdir -p "$folder/q" "${image%/*}" "${log%/*}" "${row%/*}"

# A lock ends with its process, however that ends. On a file system without locks nothing goes
# wrong either: work is done twice, and each result is renamed into place.
lock() { # FILE [--nonblock]: false when another process has it
    local code=0
    exec {descriptor}>"$1"
    flock --conflict-exit-code 75 "${@:2}" "$descriptor" || code=$?
    ((code != 75))
}

write_row() { # EXIT_CODE SECONDS MESSAGE
    printf '%s\t' "$1" "$2" "$q_was" "$(hostname -s)" "$(date -u +%FT%TZ)" "$scan" >"$row.part"
    printf '%s\n' "$3" >>"$row.part"
    mv -f "$row.part" "$row"
}

# The part of recon's options that info and q need as well.
reading=()
computing=()
if [[ -n ${LSRECON_DEVICE:-} ]]; then
    computing=(--device "$LSRECON_DEVICE")
fi
options=("${computing[@]}" "$@")
for ((i = 1; i <= $#; ++i)); do
    case ${!i} in
        --traj-units | --join) reading+=("${@:i:2}") ;;
        --low-resolution) reading+=("${!i}") ;;
        --backend | --kernel | --device-memory) computing+=("${@:i:2}") ;;
    esac
done

find_q() { # sets q_file; "" where a scan cannot share its Q
    local key
    key=$("$program" info "$scan" "${reading[@]}" | awk '/^q key / {print $3}') || return
    q_file=${key:+$folder/q/$key.h5}
    if [[ -z $q_file || -e $q_file ]]; then
        return
    fi
    lock "$folder/q/$key.lock"
    ((stopped == 0)) || return 143
    if [[ ! -e $q_file ]]; then
        q_was=made
        "$program" q "$scan" -o "$q_file" --quiet "${reading[@]}" "${computing[@]}" || return
    fi
    exec {descriptor}>&-
}

reconstruct() {
    if [[ ${LSRECON_SHARE_Q:-yes} == yes ]]; then
        find_q || return
    fi
    ((stopped == 0)) || return 143
    if [[ -n $q_file ]]; then
        options+=(--q "$q_file")
        [[ $q_was == made ]] || q_was=shared
    else
        q_was=own
    fi
    [[ $image.part -nt $scan ]] || rm -f "$image.part" # frames of the scan as it was before
    local code=0
    "$program" recon "$scan" -o "$image" --resume "${options[@]}" || code=$?
    if ((code == 3)) && grep -q '\.part: it was made with other settings' "$log"; then
        echo "its frames were solved on another device or by another version: from the beginning"
        rm -f "$image.part"
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

if ! lock "$row.lock" --nonblock; then
    echo "another process has it: $scan"
    exit 0
fi
# Stopping a batch signals the whole process group: lsrecon ends, and this script records it.
stopped=0
trap 'stopped=1' TERM
q_was=-
q_file=
code=0
start=${EPOCHREALTIME/[.,]/}
write_row running - ""
reconstruct >"$log" 2>&1 || code=$?
tenths=$(((${EPOCHREALTIME/[.,]/} - start) / 100000))
seconds=$((tenths / 10)).$((tenths % 10))
write_row "$code" "$seconds" "$(message)"
echo "exit code $code after $seconds s: $scan"
exit "$code"
