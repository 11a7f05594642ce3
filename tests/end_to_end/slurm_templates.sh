#!/usr/bin/env bash
# The templates of scripts/slurm/ without a Slurm: what it would set is set here, and the program
# reports two GPUs that are not there. scripts/test_slurm.sh runs them on a real one.
#     slurm_templates.sh LSRECON SCRIPTS
set -euo pipefail
lsrecon=$1
export LSRECON_SCRIPTS=$2/slurm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR=$work HOME=$work SLURM_SUBMIT_DIR=$work LSRECON_REAL=$lsrecon
export LSRECON_PROGRAM=$work/program LSRECON_CALLS=$work/calls

fail() {
    echo "FAILED: $*" >&2
    cat told table.tsv ./*/logs/*/*.log >&2 || true
    exit 1
}

# The processor is device 0, as PoCL may be; the calls are kept, the device is left out of them.
cat >program <<'PROGRAM'
#!/usr/bin/env bash
echo "$*" >>"$LSRECON_CALLS"
case $1 in
    devices)
        printf '%d: %s\n   type             %s\n' 0 "a cpu" cpu 1 "GPU 0: x" gpu 2 "a gpu" gpu
        ;;
    *)
        kept=()
        while (($# > 0)); do
            if [[ $1 == --device ]]; then shift; else kept+=("$1"); fi
            shift
        done
        exec "$LSRECON_REAL" "${kept[@]}" --backend reference
        ;;
esac
PROGRAM
chmod +x program

mkdir "first day" second
for i in 1 2; do
    "$lsrecon" simulate --trajectory radial --matrix 8,8 --noise 0.1 --seed "$i" --quiet \
        -o "first day/scan $i.h5" >told
    "$lsrecon" simulate --trajectory spiral --matrix 8,8 --noise 0.1 --seed "$i" --quiet \
        -o "second/$i" >told
done
cp second/2 whole
truncate --size=1000 second/2
printf '# a comment\n\n%s\r\n%s\n%s\n%s\n' "first day"/*.h5 second/1 "$work/second/2" >scans.txt

table() { "$LSRECON_SCRIPTS/table.sh" scans.txt "$1" >table.tsv 2>told; }
rows() { awk -F '\t' -v column="$1" -v value="$2" '$column == value' table.tsv | wc -l; }
task() { # ID FOLDER of two tasks
    SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_ID=$((5 + $1)) \
        SLURM_LOCALID=$1 "$LSRECON_SCRIPTS/array.sh" scans.txt "$2" --lambda 0.01 --low-resolution
}

! table out || fail "no scan is done, and the table says so"
(($(rows 1 waiting) == 4)) || fail "not 4 scans wait"

# Two tasks at once; the second has the damaged scan.
task 0 out >told || fail "a task without a bad scan"
! task 1 out >told || fail "a bad scan passes"
! table out || fail "a bad scan passes in the table"
(($(rows 1 0) == 3 && $(rows 1 3) == 1)) || fail "not 3 done, 1 refused"
grep -q $'\tsecond/1\t' table.tsv || fail "the table does not name the scan"
grep -q "truncated or damaged.*; expected: " table.tsv || fail "the table does not say why"
(($(find out/q -name '*.h5' | wc -l) == 2)) || fail "Q is not kept once a trajectory"
[[ -s "out/images/first day/scan 1.h5" && -s out/images/second/1.h5 ]] || fail "no image"
for device in 1 2; do
    grep -q "^recon .* --device $device .*--lambda 0.01 " calls || fail "device $device is not used"
done
! grep -q -e '--device 0' calls || fail "the processor is used beside GPUs"

# Again, as one task of a step: the bad scan alone, which is whole now, by the Q of another.
: >calls
mv whole second/2
SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 "$LSRECON_SCRIPTS/array.sh" scans.txt out >told ||
    fail "the second time"
table out || fail "not all is done"
(($(grep -c '^recon ' calls) == 1)) || fail "work is done again"
grep -q '^q_read ' out/logs/second/2.h5.log || fail "Q is computed again"

# A newer scan is no finished one, and an array with gaps would leave scans out.
touch "first day/scan 2.h5"
"$LSRECON_SCRIPTS/one_scan.sh" "first day/scan 2.h5" out >told
(($(grep -c '^recon ' calls) == 2)) || fail "a newer scan is left alone"
! SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_ID=7 \
    "$LSRECON_SCRIPTS/array.sh" scans.txt out 2>told || fail "an array with gaps is taken"
grep -q "expected: FIRST-LAST" told

# Options that change the sampling or the grid have another Q.
"$LSRECON_SCRIPTS/one_scan.sh" second/1 small --matrix=6,6 --conjugate >told ||
    fail "another matrix"

# Frames that are solved together, which recon --resume refuses.
"$lsrecon" simulate --trajectory golden-angle --matrix 8,8 --frames 2 --quiet -o frames.h5 >told
"$LSRECON_SCRIPTS/one_scan.sh" frames.h5 joint --reg llr:0.01 >told || fail "frames together"

# Scans that start at once share a folder; one in the list twice is reconstructed once.
: >calls
for scan in "first day/scan 1.h5" "first day/scan 2.h5" "first day/scan 2.h5"; do
    "$LSRECON_SCRIPTS/one_scan.sh" "$scan" crowd --iterations 1 >>told &
done
wait
(($(grep -c '^recon ' calls) == 2)) || fail "a crowd works twice"
(($(find crowd/q -type f | wc -l) == 1)) || fail "a crowd leaves more than one Q"
grep -q $'\tNot converged after 1 iteration' "crowd/rows/first day/scan 1.h5.tsv" ||
    fail "no note in a row"
