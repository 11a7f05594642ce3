#!/usr/bin/env bash
# Builds the documents into build/docs: runs the commands of the pages, which make their pictures,
# then Sphinx, with warnings as errors and every link inside checked.
# LSRECON_PROGRAM=path/to/lsrecon uses that program and neither installs nor builds;
# LSRECON_DOCS=folder puts the site there, and what it is made of into folder-source.
# Exit code 77: the commands ran, but there is no Sphinx.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${LSRECON_PROGRAM:-}
site=${LSRECON_DOCS:-build/docs}
source=$site-source/docs
python=${LSRECON_PYTHON:-/usr/bin/python3} # that of the distribution's packages
if [[ -z $program ]]; then
    program=build/release/lsrecon
    scripts/setup.sh
    cmake --preset release
    cmake --build --preset release --parallel "$(nproc)" --target lsrecon
fi

rm -rf "$site-source"
mkdir -p "$source" "$site-source/tests/python"
cp -r docs/. "$source"
cp -r tests/python/examples "$site-source/tests/python" # pages include them
mapfile -t pages < <(grep -l '^<!-- test -->$' docs/*.md)
log=$source/commands.txt
{
    scripts/run_pages.sh "$program" "$source/pictures" "${pages[@]}"
    scripts/make_pictures.sh "$program" "$source/pictures/problems"
} >"$log" 2>&1 || { tail -n 40 "$log"; exit 1; }
echo "the commands of ${#pages[@]} pages ran: $log"

if ! "$python" -c 'import furo, myst_parser, sphinx' 2>/dev/null; then
    echo "there is no Sphinx; next: scripts/setup.sh"
    exit 77
fi
release=$("$program" --version | head -n 1)
"$python" -m sphinx -n -W --keep-going -q -d "$source/.doctrees" -b html \
    -D "release=${release#lsrecon }" -D "html_title=$release" "$source" "$site"
echo "the documents: $site/index.html"
