#!/usr/bin/env bash
# A list of scans on many GPUs, as an array job:
#     sbatch [OPTIONS OF sbatch] scripts/slurm/array.sh LIST FOLDER [OPTIONS OF lsrecon recon...]
# LIST    a text file: one scan a line, by its path from where sbatch runs; # begins a comment
# FOLDER  where images, logs, Qs and the rows of table.sh go
# Submitted again with the same arguments it takes up what has no image yet. docs/cluster.md says
# more, also how one job takes a whole node.
#SBATCH --job-name=lsrecon
#SBATCH --array=0-15
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=8
#SBATCH --mem=16G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=B:USR1@120
#SBATCH --output=lsrecon-%A_%a.log
#SBATCH --open-mode=append
set -euo pipefail
list=$1
folder=$2
shift 2

# --- what to edit: the lines above, and these; a variable that is set already wins ----------------
export LSRECON_PROGRAM=${LSRECON_PROGRAM:-lsrecon}
scripts=${LSRECON_SCRIPTS:-$SLURM_SUBMIT_DIR/scripts/slurm} # Slurm runs a copy of this file
node_disk=${TMPDIR:-/tmp} # a disk of the node: compiled kernels are kept there

# --- the share of this task: scans task, task + tasks, task + 2 tasks, ... ------------------------
tasks=${SLURM_ARRAY_TASK_COUNT:-1}
task=$((${SLURM_ARRAY_TASK_ID:-0} - ${SLURM_ARRAY_TASK_MIN:-0}))
if [[ -n ${SLURM_STEP_NUM_TASKS:-} ]]; then # started by srun, several times a job
    task=$((task * SLURM_STEP_NUM_TASKS + SLURM_PROCID))
    tasks=$((tasks * SLURM_STEP_NUM_TASKS))
fi
if ((task >= tasks)); then
    echo "--array has gaps; expected: FIRST-LAST, as in --array=0-15" >&2
    exit 2
fi

# --- its device, its caches -----------------------------------------------------------------------
tuned=${LSRECON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lsrecon}/tuning # what 'lsrecon tune' found
export LSRECON_CACHE=$node_disk/lsrecon-$UID
export POCL_CACHE_DIR=$LSRECON_CACHE/pocl
(umask 077 && mkdir -p "$POCL_CACHE_DIR")
if [[ -d $tuned && ! -e $LSRECON_CACHE/tuning ]]; then
    cp -r "$tuned" "$LSRECON_CACHE/tuning.$$"
    mv -nT "$LSRECON_CACHE/tuning.$$" "$LSRECON_CACHE/tuning" # whole, where other tasks look
fi

# Of the GPUs that Slurm shows this task, the one of its place on the node.
mapfile -t gpus < <("$LSRECON_PROGRAM" devices |
    awk '/^[0-9]+: / {i = $1 + 0} /^ +type +gpu$/ {print i}')
if ((${#gpus[@]} > 0)); then
    export LSRECON_DEVICE=${gpus[${SLURM_LOCALID:-0} % ${#gpus[@]}]}
else
    echo "no GPU here: the processor computes"
    export POCL_CPU_MAX_CU_COUNT=${SLURM_CPUS_PER_TASK:-0} # PoCL 5 and later
    export POCL_MAX_PTHREAD_COUNT=${SLURM_CPUS_PER_TASK:-0}
fi
echo "task $task of $tasks on $(hostname -s):" \
    "device ${LSRECON_DEVICE:-as lsrecon chooses}, of Slurm's GPUs ${CUDA_VISIBLE_DEVICES:-none}"

# --- the scans ------------------------------------------------------------------------------------
# SIGTERM (preemption, scancel) ends the scan that runs; Slurm requeues a preempted job. SIGUSR1,
# which --signal asks for, comes before the time is over: the job requeues itself. Either way the
# scan has no image and its turn comes again.
stopped=
child=
stop() { # SIGNAL
    stopped=$1
    [[ -z $child ]] || kill -TERM -- "-$child" 2>/dev/null || true
}
trap 'stop TERM' TERM
trap 'stop USR1' USR1
set -m # each scan is a separate process group

mapfile -t scans < <(sed 's/\r$//; /^#/d; /^[[:space:]]*$/d' "$list")
done=0
failed=0
for ((i = task; i < ${#scans[@]} && ${#stopped} == 0; i += tasks)); do
    code=0
    "$scripts/one_scan.sh" "${scans[i]}" "$folder" "$@" &
    child=$!
    [[ -z $stopped ]] || stop "$stopped" # it came before there was a child to end
    wait "$child" || code=$?
    [[ -z $stopped ]] || wait "$child" || code=$? # a signal ends the first wait, not the child
    child=
    ((code == 0)) && done=$((done + 1)) || failed=$((failed + 1))
done
echo "task $task of $tasks: $done done, $failed failed${stopped:+, stopped by SIG$stopped}"

case $stopped in
    USR1) scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID" ;;
    TERM) exit 143 ;;
esac
((failed == 0))
