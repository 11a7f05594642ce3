#!/usr/bin/env bash
# Runs the template of scripts/slurm/ on a real Slurm: munged, slurmctld and slurmd of this host
# alone, in a scratch folder, on ports of their own, beside any Slurm that may run here.
#     scripts/test_slurm.sh [PROGRAM]        [build/ci/lsrecon, or build/release/lsrecon]
# Installs Slurm's packages where they are missing. What it started is gone when it ends.
set -euo pipefail
cd "$(dirname "$0")/.."
repository=$PWD

program=${1:-build/ci/lsrecon}
[[ -n ${1:-} || -x $program ]] || program=build/release/lsrecon
program=$(realpath "$program")
[[ -x $program ]] || { echo "no program at $program; build it first" >&2; exit 2; }

PATH=$PATH:/usr/sbin:/sbin
for tool in slurmctld slurmd sbatch munged; do
    if ! command -v "$tool" >/dev/null; then
        scripts/setup.sh slurmctld slurmd slurm-client munge
        break
    fi
done

work=$(mktemp -d /tmp/lsrecon-slurm.XXXXXX)
chmod 755 "$work" # munge wants its socket to be reachable
daemons=()
finish() {
    local code=$?
    trap - EXIT
    set +e
    scancel --full --signal=KILL --user="$(id -un)" 2>/dev/null
    if ((code != 0)); then
        echo "FAILED; the last lines of the daemons' logs and of the jobs':" >&2
        tail -n 15 "$work"/*.log "$work"/place/*.log >&2
    fi
    for ((i = ${#daemons[@]} - 1; i >= 0; --i)); do
        kill "${daemons[i]}" 2>/dev/null
        wait "${daemons[i]}" 2>/dev/null
    done
    rm -rf "$work"
    exit "$code"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

fail() {
    echo "FAILED: $*" >&2
    exit 1
}

# --- a Slurm of one host --------------------------------------------------------------------------
started=$SECONDS
# Its commands and daemons know it by this file alone.
export SLURM_CONF=$work/slurm.conf
host=$(hostname -s)
read -r controller_port node_port < <(/usr/bin/python3 -c '
import socket
sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(s.getsockname()[1] for s in sockets))')
mkdir "$work/state" "$work/spool" "$work/tmp"
ln -s /dev/null "$work/gpu0" # Slurm hands out character devices; nothing opens these
ln -s /dev/null "$work/gpu1"
cat >"$SLURM_CONF" <<CONF
ClusterName=lsrecon
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
# The number is how many seconds a requeued job waits.
AuthInfo=socket=$work/munge.socket,cred_expire=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SlurmdParameters=config_overrides
GresTypes=gpu
MailProg=/bin/true
MinJobAge=3600
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 Gres=gpu:2
PartitionName=here Nodes=$host Default=YES State=UP
CONF
echo "Name=gpu File=$work/gpu[0-1]" >"$work/gres.conf"
head -c 1024 /dev/urandom >"$work/munge.key"
chmod 400 "$work/munge.key"

munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" \
    --pid-file="$work/munged.pid" --log-file="$work/munged.log" --seed-file="$work/munged.seed" \
    >/dev/null 2>&1 &
daemons+=($!)
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld.log" 2>&1 &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" >"$work/slurmd.log" 2>&1 &
daemons+=($!)

wait_until() { # SECONDS WHAT COMMAND...
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@"; do
        ((SECONDS < end)) || fail "waited in vain until $what"
        sleep 0.2
    done
}
node_is_idle() { [[ $(sinfo -h -o %T 2>/dev/null) == idle ]]; }
wait_until 60 "the node is idle" node_is_idle
echo "slurm: $(sbatch --version), up after $((SECONDS - started)) s"

# --- eight scans, two trajectories, two folders, one damaged --------------------------------------
array=$repository/scripts/slurm/array.sh
export LSRECON_PROGRAM=$program TMPDIR=$work/tmp
export HOME=$work
mkdir -p "$work/place/first day" "$work/place/second"
cd "$work/place" || exit 1
simulate() { "$program" simulate --matrix 24,24 --quiet "$@" >/dev/null; }
for i in 1 2 3 4; do
    simulate --trajectory radial --noise 0.01 --seed "$i" -o "first day/scan $i.h5"
    simulate --trajectory spiral --noise 0.01 --seed "$i" -o "second/scan $i.h5"
done
cp "second/scan 3.h5" whole.h5
truncate --size=2000 "second/scan 3.h5"
{
    echo "# folder and name of every scan"
    printf '%s\n' "first day"/*.h5 "$PWD/second"/*.h5
} >scans.txt

rows_with() { # FOLDER EXIT
    awk -F '\t' -v code="$2" '$3 == code' "$1"/results*.tsv | wc -l
}
nothing_left() {
    local left
    left=$(find . -name '*.part')
    [[ -z $left ]] || fail "left behind: $left"
}
submit() { # prints the number of the job, which is over
    sbatch --wait --parsable --cpus-per-task=1 --mem=500 --time=10 "$@" || true
}

from=$SECONDS
# One of the scans is damaged: predictions of the others are printed.
options=$("$program" predict scans.txt --sbatch 4) || true
[[ $options == --array=0-3\ --time=* ]] || fail "predict --sbatch: $options"
echo "predicted: $options"
read -ra options <<<"$options"
submit "${options[@]}" --mem=500 "$array" scans.txt out >job
echo "array: 4 tasks, 8 scans: $((SECONDS - from)) s"
cat out/results-*-of-4.tsv
(($(rows_with out 0) == 7 && $(rows_with out 3) == 1)) || fail "not 7 scans done, 1 refused"
(($(find out/images -type f | wc -l) == 7)) || fail "not 7 images"
[[ -s "out/images/first day/scan 1.h5" ]] || fail "an image is not where it should be"
for gpu in 0 1; do
    grep -q "of Slurm's GPUs $gpu\$" lsrecon-*_?.log || fail "no task was given GPU $gpu alone"
done
nothing_left

# Again: what is finished stays; the scan that was damaged is whole now.
find out/images -type f -printf '%i %T@ %p\n' | sort >before
mv whole.h5 "second/scan 3.h5"
rm out/results-*
from=$SECONDS
submit --array=0-1 "$array" scans.txt out >>job
echo "again, with 2 tasks: $((SECONDS - from)) s"
(($(rows_with out 0) == 8)) || fail "not all is done"
find out/images -type f -printf '%i %T@ %p\n' | sort >after
(($(comm -12 before after | wc -l) == 7)) || fail "a finished image was made again"
(($(wc -l <after) == 8)) || fail "not 8 images"

# One job on the whole node, two tasks by srun.
from=$SECONDS
submit --ntasks=2 --gres=gpu:2 --output=whole-node.log \
    --wrap "srun '$array' scans.txt node" >>job
for i in 1 2; do
    (($(grep -c -P '\t0\t' node/results-$i-of-2.tsv) == 4)) || fail "not 4 scans a task"
done
echo "one job of two tasks: $((SECONDS - from)) s"

# --- one scan by two ranks, where the program has MPI ---------------------------------------------
if ldd "$program" | grep -q libmpi; then
    from=$SECONDS
    "$program" simulate --trajectory radial --matrix 32,32 --frames 4 --noise 0.01 -o frames.h5 \
        --quiet >/dev/null
    "$program" recon frames.h5 -o one.h5 --iterations 5 --quiet
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    submit --ntasks=2 --output=ranks.log \
        --wrap "mpirun -n 2 '$program' recon frames.h5 -o two.h5 --iterations 5" >>job
    values() { /usr/bin/python3 -c \
        'import h5py, sys; sys.stdout.buffer.write(h5py.File(sys.argv[1])["image"][()].tobytes())' \
        "$1"; }
    cmp <(values one.h5) <(values two.h5) || fail "two ranks made another image"
    echo "one scan by two ranks: $((SECONDS - from)) s"
fi

# --- stopped and requeued -------------------------------------------------------------------------
mkdir slow
"$program" simulate --trajectory radial --matrix 64,64 -o slow/1.h5 --quiet >/dev/null
echo slow/1.h5 >scans.txt
state() { squeue -h -t all -o %T -j "$1"; }
computing() { [[ -s out/results.tsv ]]; }
over() { [[ $(state "$1") =~ ^(FAILED|COMPLETED|CANCELLED|TIMEOUT)$ ]]; }
completed() { [[ $(state "$1") == COMPLETED ]]; }

for signal in TERM USR1; do
    from=$SECONDS
    rm -f out/results*
    job=$(sbatch --parsable --array=0-0 --cpus-per-task=1 --mem=500 --time=10 \
        "$array" scans.txt out --backend reference)
    wait_until 60 "the slow scan runs" computing
    if [[ $signal == TERM ]]; then
        scancel --signal=TERM --full "${job}_0" # what preemption sends
        wait_until 60 "the job is over" over "$job"
        [[ ! -e out/images/slow/1.h5 ]] || fail "SIGTERM: there is an image"
        nothing_left
        scontrol requeue "${job}_0"
    else
        scancel --signal=USR1 --batch "${job}_0" # what --signal of the template sends
    fi
    wait_until 300 "the requeued job is done" completed "$job"
    (($(rows_with out 0) == 1)) || fail "SIG$signal: not done after requeueing"
    nothing_left
    (($(grep -c '^share 1/1' "lsrecon-${job}_0.log") == 2)) || fail "SIG$signal: never stopped"
    rm -f out/images/slow/1.h5
    echo "SIG$signal, requeued, finished: $((SECONDS - from)) s"
done
echo "the template works: $((SECONDS - started)) s"
