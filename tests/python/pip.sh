#!/usr/bin/env bash
# `pip install .` in an empty environment makes a module that reconstructs.
#     pip.sh FOLDER      a folder for the environment, made anew
set -euo pipefail
source=$(realpath "$(dirname "$0")/../..")
rm -rf "$1"
python3 -m venv "$1"
"$1/bin/pip" install -q "$source"
cd "$1"
bin/python - <<'EOF'
import lsrecon

scan = lsrecon.simulate("spiral", (32, 32), coils=2, snr=30)
image = lsrecon.recon(scan.samples, scan.trajectory, (32, 32), maps=scan.maps, lambda_=0.01)
assert image.array.shape == (32, 32)
EOF
