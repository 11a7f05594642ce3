#!/usr/bin/env bash
# lsrecon tune: a candidate that cannot build, and who uses the winners.
#     tune.sh LSRECON KERNELS
set -euo pipefail
lsrecon=$1
kernels_of_source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$2" "$work/kernels"
cd "$work"
export LSRECON_CACHE=$work/cache LSRECON_KERNELS=$work/kernels

fail() { echo "$1" >&2; cat printed err >&2 2>/dev/null || true; exit 1; }

# A space of three, of which one cannot be built.
/usr/bin/python3 - <<'PYTHON'
import json

parameters = {"CHUNK": 512, "GROUP": 1, "TRIGONOMETRY": 1, "UNROLL": 1, "VOXELS": 8}
space = {name: [value] for name, value in parameters.items()}
space["VOXELS"] = [2, 4, 8]
row = {"space": {"cpu": space, "gpu": space}, "bounds": {"gpu": {"work_group": [["GROUP"]]}},
       "defaults": {"cpu": parameters, "gpu": parameters}}
json.dump({"tuned": {"fhd": row, "q": row}}, open("kernels/tuning.json", "w"))
PYTHON
sed -i 's/^#define TWO_PI .*/&\n#if defined(VOXELS) \&\& VOXELS == 2\n#error no two\n#endif/' \
    kernels/real.h

problem=(--matrix 8,7,5 --samples 65)
tune() { "$lsrecon" tune "${problem[@]}" "$@" >printed 2>err; }

tune --stage fhd --json first.json || fail "tune failed"
grep -q 'default that ships' printed || fail "the default is not in the table"

/usr/bin/python3 - "$kernels_of_source/../docs/schema.json" <<'PYTHON'
import json
import sys

import jsonschema

first = json.load(open("first.json"))
jsonschema.validate(first, json.load(open(sys.argv[1])))
search, = first["searches"]
outcomes = [(c["parameters"]["VOXELS"], c["outcome"]) for c in search["candidates"]]
assert len(outcomes) == 3, outcomes
for voxels, outcome in outcomes:
    assert outcome in (("failed",) if voxels == 2 else ("timed", "slow")), outcomes
assert search["winner"]["VOXELS"] in (4, 8), search
PYTHON

# The winners serve what they were searched for, and the image says so.
"$lsrecon" simulate --trajectory radial --matrix 8,8 -o scan.h5 --quiet
record() { # the image's record of its parameters
    "$lsrecon" recon scan.h5 -o image.h5 --kernel tuned --quiet
    /usr/bin/python3 -c '
import h5py
value = h5py.File("image.h5")["record"].attrs["kernel_parameters"]
print(value.decode() if isinstance(value, bytes) else value)'
}
record >printed
grep -q 'tuned fhd: [^;]*(tuned on this device)' printed || fail "the image lacks the winner"
grep -q 'tuned q: [^;]*(default for ' printed || fail "the image does not name the default"
"$lsrecon" devices >printed
grep -q 'tuned fhd: .*(tuned on this device)' printed || fail "devices does not name the winner"

# Broken winners are as good as none, and the next search replaces them.
for winners in cache/tuning/*.json; do
    echo '{"half' >"$winners"
done
record >printed
grep -q 'tuned fhd: [^;]*(default for ' printed || fail "broken winners were used"
tune --stage fhd,q --quiet || fail "tune failed over broken winners"
! grep -q '^tuned ' err || fail "--quiet printed something" # PoCL counts errors of Clang
record >printed
[[ $(grep -o '(tuned on this device)' printed | wc -l) -eq 2 ]] || fail "not both stages are tuned"

# No candidate works: exit code 4, and the winners stay.
before=$(sha256sum cache/tuning/*.json)
echo 'no_such_type broken;' >>kernels/tuned.cl
code=0
tune --stage fhd || code=$?
[[ $code == 4 ]] || fail "nothing builds: exit code $code, expected 4"
[[ $before == "$(sha256sum cache/tuning/*.json)" ]] || fail "the winners changed"

code=0
"$lsrecon" tune --kernel naive >printed 2>err || code=$?
[[ $code == 2 ]] || fail "a kernel without parameters: exit code $code, expected 2"
left=$(find . -name '*.part')
[[ -z $left ]] || fail "left behind: $left"
