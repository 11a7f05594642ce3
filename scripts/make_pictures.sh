#!/usr/bin/env bash
# Makes the pictures of docs/problems.md: one fault each, of simulated scans.
#     make_pictures.sh LSRECON FOLDER
set -euo pipefail
program=$(realpath "$1")
mkdir -p "$2"
cd "$2"

scan() { # NAME OPTIONS: a simulated scan
    local name=$1
    shift
    rm -f "$name.h5" # no scan is replaced
    "$program" simulate "$@" -o "$name.h5" --quiet
}
picture() { # NAME SCAN OPTIONS: of the image that these options make
    local name=$1 scan=$2
    shift 2
    "$program" recon "$scan.h5" -o "$name-image.h5" --png "$name.png" --quiet "$@"
}

scan coils --trajectory spiral --matrix 128,128 --coils 8 --snr 40
scan scanner --trajectory spiral --matrix 128,128 --coils 8 --snr 40 --without-maps
scan field --trajectory spiral --matrix 96,96 --snr 40 --off-resonance-hz 80
scan spokes --trajectory golden-angle --matrix 128,128 --readouts 18 --snr 100
scan lines --trajectory cartesian --matrix 96,96 --coils 8 --undersampling 3 --snr 30
scan wide --trajectory spiral --matrix 128,128 --undersampling 3 --snr 40

picture right coils
picture sign_with_maps coils --conjugate
picture mirrored scanner --conjugate
picture folded scanner --shift-mm 60,0
picture blurred field --field-map none
picture large_lambda scanner --lambda 10
picture patches scanner --reg tv:0.5
picture streaks spokes --method gridding
picture noise lines --reg none
picture ghosts lines --lambda 0.3
picture swirl wide --reg none
