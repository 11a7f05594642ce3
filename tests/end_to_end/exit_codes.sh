#!/usr/bin/env bash
# What the program does when it cannot do what was asked: exit codes, messages, no output.
#     exit_codes.sh LSRECON
set -euo pipefail
lsrecon=$1
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"

failures=0
fail() {
    echo "FAILED: $*" >&2
    cat err >&2
    failures=$((failures + 1))
}

expect_code() { # CODE PIECE_OF_STDERR ARGUMENTS...
    local wanted=$1 piece=$2 code=0
    shift 2
    "$lsrecon" "$@" >out 2>err || code=$?
    ((code == wanted)) || fail "lsrecon $*: exit code $code, expected $wanted"
    grep -qF -- "$piece" err || fail "lsrecon $*: stderr does not hold '$piece'"
    [[ ! -e image.h5 ]] || { rm image.h5; fail "lsrecon $*: left an image"; }
}

suggests() { # WORD NEAREST ARGUMENTS...: a usage error that names both words
    local word=$1 nearest=$2
    shift 2
    expect_code 2 "mean $nearest?" "$@"
    grep -qwF -- "$word" err || fail "lsrecon $*: stderr does not hold '$word'"
}

expect_printed() { # PIECE_OF_STDOUT ARGUMENTS...: succeeds, and prints nothing on stderr
    local piece=$1
    shift
    "$lsrecon" "$@" >out 2>err || fail "lsrecon $*: failed"
    grep -q -- "$piece" out || fail "lsrecon $*: stdout does not hold '$piece'"
    [[ ! -s err ]] || fail "lsrecon $*: wrote to stderr"
}

expect_printed '^lsrecon [0-9]' --version
expect_printed '^revision  ' --version
expect_printed '^with  ' --version
expect_printed 'Exit codes' --help
expect_printed '^  recon ' # no command
for command in recon batch fhd q convert view info check simulate validate bench tune devices; do
    expect_printed "$command" --help
    expect_printed --help "$command" --help
done

"$lsrecon" simulate --trajectory radial --matrix 8,8 -o scan.h5 --quiet >out 2>err
[[ ! -s err ]] || fail "simulate --quiet is not silent"
expect_printed '^fov  *240 x 240 mm$' info scan.h5
"$lsrecon" recon scan.h5 -o quiet.h5 --backend reference --lambda 0.1 --iterations 100 --quiet \
    >out 2>err
[[ ! -s err ]] || fail "recon --quiet is not silent"
# Iterations that were asked for are a fact, as is a tolerance that was kept, unless quiet.
"$lsrecon" recon scan.h5 -o quiet.h5 --backend reference --iterations 1 >out 2>err
grep -q '^solver  *1 iteration, .*asked.* target 0.0001$' err &&
    ! grep -qi 'not converged' err || fail "an iteration that was asked for is no fact"
"$lsrecon" recon scan.h5 -o quiet.h5 --backend reference --lambda 0.1 --iterations 100 >out 2>err
grep -q '^solver  *[0-9]* iterations, residual .* 1e-05$' err ||
    fail "the end is not reported"
"$lsrecon" recon scan.h5 -o quiet.h5 --backend reference --tolerance 11 --solver eigen >out 2>err ||
    fail "--tolerance 11 gives no image"

# 2: usage
suggests reconn recon reconn scan.h5
expect_code 2 "one of recon, batch, predict, fhd, q" reconstruct scan.h5
expect_code 2 'unknown command "reconstruct"' reconstruct scan.h5
expect_code 2 --output recon scan.h5 --backend reference
expect_code 2 SCAN recon -o image.h5
expect_code 2 --no-such-flag recon scan.h5 -o image.h5 --no-such-flag
suggests --iter --iterations recon scan.h5 --iter 15
suggests --lamda --lambda recon scan.h5 --lamda 0
suggests --kernl --kernel recon scan.h5 --kernl tuned
suggests --map --maps recon scan.h5 --map none
expect_code 2 "--lambda: At Most 1" recon scan.h5 --lambda 0 --lambda 1
expect_code 2 "quiet was given a disallowed" recon scan.h5 --quiet=yes
expect_code 2 "--lambda: 1 required" recon scan.h5 --lambda
expect_code 2 "expected: a number from 0" recon scan.h5 -o image.h5 --lambda -1
expect_code 2 "expected: a number above 0" recon scan.h5 -o image.h5 --tolerance 0
expect_code 2 "expected: a whole number from 1" recon scan.h5 -o image.h5 --iterations 2.5
expect_code 2 cuda recon scan.h5 -o image.h5 --backend cuda
expect_code 2 --kernel recon scan.h5 -o image.h5 --backend reference --kernel native
expect_code 2 --device-memory recon scan.h5 -o image.h5 --backend reference --device-memory 100
expect_code 2 --solver recon scan.h5 -o image.h5 --solver newton
expect_code 2 furlongs check scan.h5 --traj-units furlongs
expect_code 2 no-such-trajectory simulate --trajectory no-such-trajectory -o image.h5
# nothing is ignored, also where an analytic scan needs no backend
expect_code 2 nonsense simulate --backend nonsense -o image.h5
expect_code 2 --device simulate --backend reference --device 0 -o image.h5
expect_code 2 "expected: at most 18446744073709551615" \
    simulate --seed 18446744073709551616 -o image.h5
expect_code 2 "--noise 1e38" simulate --matrix 8,8 --noise 1e38 -o image.h5
expect_code 2 "1e+09 samples" simulate --matrix 3000000,1 -o image.h5
expect_code 2 "does not exist" recon scan.h5 -o no/such/folder/image.h5 --backend reference
mkdir folder.h5
expect_code 2 "is a folder" recon scan.h5 -o folder.h5 --backend reference

# 3: input
expect_code 3 no-such-scan.h5 recon no-such-scan.h5 -o image.h5 --backend reference
expect_code 3 folder.h5 recon folder.h5 -o image.h5 --backend reference
# every file that an option names, before anything is computed
for flag in "--q" "--field-map" "--maps" "--reg prior:0.1 --prior" "--truth"; do
    expect_code 3 "none.h5: ${flag##* }" recon scan.h5 -o image.h5 --backend reference $flag none.h5
done

# 4: device, or 5 where OpenCL is not built in
code=$("$lsrecon" devices >out 2>err && echo 4 || echo 5)
expect_code "$code" "" recon scan.h5 -o image.h5 --backend opencl --device no-such-device
expect_code 2 "expected: one of auto, exact, " recon scan.h5 -o image.h5 --engine nonsense

"$lsrecon" recon scan.h5 -o image.h5 --backend reference --precision double --quiet >out 2>err ||
    fail "the reference refuses the precision that it has"
rm -f image.h5
expect_code 2 "no --device, --engine" recon scan.h5 -o image.h5 --backend reference \
    --precision single

# 6: what the file's floats do not hold
expect_code 6 "largest value" recon scan.h5 -o image.h5 --backend reference --lambda 1e60

# A folder that cannot be written is refused; nothing stops the superuser from writing there.
if ((EUID != 0)); then
    mkdir read_only
    chmod a-w read_only
    expect_code 2 "cannot be written" recon scan.h5 -o read_only/image.h5 --backend reference
fi

# A full disk, here a limit on the size of a file in KiB, is an error and leaves no part of the
# output, wherever in the file it comes.
"$lsrecon" simulate --trajectory radial --matrix 32,32 -o larger.h5 --quiet >out 2>err
for limit in 1 4 8; do
    for command in recon fhd q; do
        code=0
        (
            trap '' XFSZ
            ulimit -f "$limit"
            "$lsrecon" "$command" larger.h5 -o image.h5 --backend reference --quiet >out 2>err
        ) || code=$?
        ((code == 3)) || fail "a full disk: exit code $code, expected 3"
        grep -q '^lsrecon: image.h5: ' err ||
            fail "a full disk: the message does not name the output"
        [[ ! -e image.h5 ]] || fail "a full disk: left a partial image"
    done
done

# What the parser refuses has the form of what the program refuses.
for words in "--foo" "--coils 9" "--stride 2"; do
    read -ra flags <<<"$words"
    expect_code 2 "next: " recon scan.h5 -o image.h5 --backend reference "${flags[@]}"
    grep -q '^lsrecon: ' err || fail "$words: the message does not begin with the program"
done
expect_form() { # COMMAND FLAG VALUE...: "lsrecon: FLAG VALUE", what is expected, the next step
    local flags=("${@:2}")
    expect_code 2 "next: " "$1" -o image.h5 "${flags[@]}"
    grep -q "^lsrecon: $2 \"*$3" err || fail "$*: the message does not begin with the flag"
    [[ $(grep -c '^  expected: ' err) == 1 && $(grep -c '^  next:  ' err) == 1 ]] ||
        fail "$*: what is expected and the next step are not said once"
}
for words in "--backend foo" "--precision half" "--solver newton" "--preconditioner jacobi" \
    "--reg foo" "--reg tv:x" "--join foo" \
    "--traj-units foo" "--lambda -1" "--lambda best" "--iterations 2.5" "--tolerance 0" \
    "--segment-error 3" "--frames 5-2" "--slice x" "--energy 2" "--maps-crop 1" "--matrix 0" \
    "--shift-mm x" "--log "; do
    expect_form recon "${words%% *}" "${words#* }" scan.h5
done
for words in "--trajectory foo" "--model foo" "--to foo" "--noise -1" "--seed x"; do
    expect_form simulate "${words%% *}" "${words#* }"
done
for words in "--to foo" "--part foo" "--map foo" "--frame x" "--slices 1-x" "--percentile 101"; do
    expect_form convert "${words%% *}" "${words#* }" scan.h5
done
if "$lsrecon" devices >out 2>err; then
    expect_code 2 "next: " recon scan.h5 -o image.h5 --kernel foo
    expect_code 4 "--backend host" recon scan.h5 -o image.h5 --device no_such_device
fi
expect_code 2 "lsrecon recon --help" recon scan.h5

# A limit of the process is no fault of the scan.
for limit in 5 6; do
    code=0
    (
        ulimit -n "$limit"
        "$lsrecon" recon scan.h5 -o image.h5 --backend reference --quiet >out 2>err
    ) || code=$?
    ((code == 4)) || fail "$limit open files: exit code $code, expected 4"
    grep -q 'ulimit -n' err || fail "$limit open files: the message does not name the limit"
done

# PoCL, which aborts where the linker that it runs finds none, is not opened then.
if "$lsrecon" devices >out 2>err; then
    for limit in 7 8 11 14 19; do
        code=0
        (
            ulimit -n "$limit"
            export LSRECON_CACHE=$work/cold POCL_CACHE_DIR=$work/cold
            "$lsrecon" recon scan.h5 -o image.h5 --quiet >out 2>err
        ) || code=$?
        ((code == 0 && limit > 14 || code == 4)) ||
            fail "$limit open files and a device: exit code $code, expected 4"
        ((code == 0)) || grep -q 'ulimit -n' err ||
            fail "$limit open files and a device: the message does not name the limit"
        rm -rf image.h5 cold
    done
fi

left=$(find . -name '*.part')
[[ -z $left ]] || fail "left behind: $left"
((failures == 0))
