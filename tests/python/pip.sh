#!/usr/bin/env bash
# The wheel of scripts/wheel.sh makes a module that reconstructs, in an empty environment.
#     pip.sh FOLDER      a folder for the environment, made anew
set -euo pipefail
source=$(realpath "$(dirname "$0")/../..")
"$source/scripts/wheel.sh" "$1"
cd "$1"
python3 -m venv empty
empty/bin/pip install -q ./*.whl
empty/bin/python - <<'PYTHON'
import lsrecon

scan = lsrecon.simulate("spiral", (32, 32), coils=2, snr=30)
image = lsrecon.recon(scan.samples, scan.trajectory, (32, 32), maps=scan.maps, lambda_=0.01)
assert image.array.shape == (32, 32)
PYTHON
