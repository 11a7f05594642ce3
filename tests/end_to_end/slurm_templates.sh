#!/usr/bin/env bash
# The template of scripts/slurm/ without a Slurm: what it would set is set here, and the program
# reports two GPUs that are not there. scripts/test_slurm.sh runs it on a real one.
#     slurm_templates.sh LSRECON SCRIPTS
set -euo pipefail
lsrecon=$1
array=$2/slurm/array.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export TMPDIR=$work HOME=$work LSRECON_REAL=$lsrecon
export LSRECON_PROGRAM=$work/program LSRECON_CALLS=$work/calls

fail() {
    echo "FAILED: $*" >&2
    cat printed calls ./*/results*.tsv >&2 || true
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
        -o "first day/scan $i.h5" >printed
    "$lsrecon" simulate --trajectory spiral --matrix 8,8 --noise 0.1 --seed "$i" --quiet \
        -o "second/$i" >printed
done
cp second/2 whole
truncate --size=1000 second/2
printf '# a comment\n\n%s\r\n%s\n%s\n%s\n' "first day"/*.h5 second/1 "$work/second/2" >scans.txt

rows() { awk -F '\t' -v column="$1" -v value="$2" '$column == value' out/results-*.tsv | wc -l; }
task() { # ID FOLDER of two tasks
    SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_ID=$((5 + $1)) \
        SLURM_LOCALID=$1 "$array" scans.txt "$2" --lambda 0.01 --low-resolution
}

# Two tasks at once; the second has the damaged scan.
task 0 out >printed 2>&1 &
task 1 out >printed.1 2>&1 && fail "a bad scan passes"
wait $! || fail "a task without a bad scan"
(($(rows 3 0) == 3 && $(rows 3 3) == 1)) || fail "not 3 done, 1 refused"
(($(rows 1 second/1) == 1)) || fail "the tables do not name the scan"
grep -q "truncated or damaged.*; expected: " out/results-2-of-2.tsv || fail "no reason"
[[ -s "out/images/first day/scan 1.h5" && -s out/images/second/1.h5 ]] || fail "no image"
for device in 1 2; do
    grep -q "^batch scans.txt .* --share $device/2 --device $device --lambda 0.01 " calls ||
        fail "device $device is not used"
done

# Again, as one task of a step: the bad scan alone, which is whole now.
mv whole second/2
SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 "$array" scans.txt out --lambda 0.01 --low-resolution \
    >printed 2>&1 || fail "the second time"
(($(grep -c "finished before" printed) == 3)) || fail "work is done again"

# An array with gaps would leave scans out.
! SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_ID=7 \
    "$array" scans.txt out 2>printed || fail "an array with gaps is taken"
grep -q "expected: FIRST-LAST" printed

# What Slurm sends before the time is over ends the batch, and the job requeues itself.
"$lsrecon" simulate --trajectory radial --matrix 64,64 --quiet -o slow.h5 >printed
echo slow.h5 >slow.txt
printf '#!/bin/sh\necho "$*" >requeued\n' >scontrol
chmod +x scontrol
PATH=$work:$PATH SLURM_ARRAY_JOB_ID=17 SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=3 \
    "$array" slow.txt slow >printed 2>&1 &
job=$!
until [[ -e slow/results.tsv ]]; do sleep 0.1; done
kill -USR1 "$job"
! wait "$job" || fail "a batch that was stopped passes for done"
grep -q "^requeue 17_3$" requeued || fail "the job is not requeued"
[[ ! -e slow/images/slow.h5 ]] || fail "SIGUSR1: there is an image"
