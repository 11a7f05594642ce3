#!/usr/bin/env bash
# A list of scans on many GPUs, as an array job:
#     sbatch [OPTIONS OF sbatch] scripts/slurm/array.sh LIST FOLDER [OPTIONS OF lsrecon batch...]
# Each task takes its share of the list. Submitted again with the same arguments it does what is not
# finished. docs/cluster.md says more, also how one job takes a whole node.
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
program=${LSRECON_PROGRAM:-lsrecon}
node_disk=${TMPDIR:-/tmp} # a disk of the node: compiled kernels are kept there

# --- the share of this task -----------------------------------------------------------------------
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
found=${LSRECON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/lsrecon} # by 'tune' and 'devices --measure'
export LSRECON_CACHE=$node_disk/lsrecon-$UID
export POCL_CACHE_DIR=$LSRECON_CACHE/pocl
(umask 077 && mkdir -p "$POCL_CACHE_DIR")
for kept in tuning pace; do
    if [[ -d $found/$kept && ! -e $LSRECON_CACHE/$kept ]]; then
        cp -r "$found/$kept" "$LSRECON_CACHE/$kept.$$"
        mv -nT "$LSRECON_CACHE/$kept.$$" "$LSRECON_CACHE/$kept" # whole, where other tasks look
    fi
done

# Of the GPUs that Slurm shows this task, the one of its place on the node.
device=()
mapfile -t gpus < <("$program" devices | awk '/^[0-9]+: / {i = $1 + 0} /^ +type +gpu$/ {print i}')
if ((${#gpus[@]} > 0)); then
    device=(--device "${gpus[${SLURM_LOCALID:-0} % ${#gpus[@]}]}")
else
    export POCL_CPU_MAX_CU_COUNT=${SLURM_CPUS_PER_TASK:-0} # PoCL 5 and later
    export POCL_MAX_PTHREAD_COUNT=${SLURM_CPUS_PER_TASK:-0}
fi
echo "share $((task + 1))/$tasks on $(hostname -s):" \
    "${device[*]:-no GPU here, the processor computes}," \
    "of Slurm's GPUs ${CUDA_VISIBLE_DEVICES:-none}"

# --- the scans ------------------------------------------------------------------------------------
# SIGTERM (preemption, scancel) ends them, and Slurm requeues a preempted job. SIGUSR1, which
# --signal asks for, comes before the time is over: the job requeues itself.
"$program" batch "$list" -o "$folder" --share "$((task + 1))/$tasks" "${device[@]}" "$@" &
batch=$!
requeue=
trap 'kill "$batch" || true' TERM
trap 'requeue=yes; kill "$batch" || true' USR1
code=0
wait "$batch" || code=$?
((code <= 128)) || wait "$batch" || code=$? # a signal ends the first wait, not the program
[[ -z $requeue ]] || scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
exit "$code"
