#!/usr/bin/env bash
# What became of the scans of a list, as tab-separated values on stdout; counts on stderr.
#     table.sh LIST FOLDER
# Columns: lsrecon's exit code ("running", "waiting"), seconds, node, when, scan, message. Exit
# code: 0 when every scan is done.
set -euo pipefail
list=$1
folder=$2
mkdir -p "$folder/rows"
find "$folder/rows" -name '*.tsv' -exec cat {} + |
    awk -F '\t' -v OFS='\t' '
        FILENAME == "-" {row[$5] = $0; exit_code[$5] = $1; next}
        FNR == 1 {print "exit", "seconds", "node", "when", "scan", "message"}
        {sub(/\r$/, "")}
        /^#/ || /^[[:space:]]*$/ {next}
        !($0 in row) {row[$0] = "waiting\t-\t-\t-\t" $0 "\t"; exit_code[$0] = "waiting"}
        {print row[$0]; ++counts[exit_code[$0]]; ++scans}
        END {
            printf "%d scans: %d done", scans, counts[0] > "/dev/stderr"
            for (code in counts) {
                if (code != "0") {
                    printf ", %d %s", counts[code], code ~ /^[0-9]/ ? "exit code " code : code > \
                        "/dev/stderr"
                }
            }
            print "" > "/dev/stderr"
            exit scans == counts[0] ? 0 : 1
        }' - "$list"
