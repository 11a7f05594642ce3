#!/usr/bin/env bash
# Builds the Debian packages lsrecon and liblsrecon-dev into build/package, and asks lintian.
#     package.sh
#     package.sh --test       runs their tests, too (autopkgtest), which installs them here
# scripts/test_in.sh RELEASE "package --test" does so in another release.
# The maintainer is DEBFULLNAME <DEBEMAIL>.
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/setup.sh
scripts/setup.sh build-essential debhelper dpkg-dev fakeroot lintian xz-utils

version=$(sed -n 's/^project(lsrecon VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
maintainer="${DEBFULLNAME:-The lsrecon developers} <${DEBEMAIL:-lsrecon@example.org}>"
out=$PWD/build/package
tree=$out/lsrecon-$version
license="undecided
 Its owner has not chosen a licence yet; it will be in the file LICENSE."
[[ ! -e LICENSE ]] || license="LICENSE
$(sed 's/^/ /; s/^ $/ ./' LICENSE)"

# The upstream archive, and the tree with debian/ in it.
rm -rf "$tree"
mkdir -p "$tree"
rm -f "$out"/*lsrecon*_*
if [[ -e .git ]]; then
    git diff --quiet HEAD || echo "note: changes that are not committed are left out" >&2
    git archive HEAD | tar -x -C "$tree"
    date=$(git log -1 --format=%cd --date=rfc2822)
else
    find . -mindepth 1 -maxdepth 1 ! -name build \
        -exec cp -r {} "$tree" \;
    date=$(date -R -r CMakeLists.txt)
fi
tar -C "$out" -cJf "$out/lsrecon_$version.orig.tar.xz" --sort=name --owner=0 --group=0 \
    --mtime="$date" "lsrecon-$version"
cp -r scripts/debian "$tree/debian"
sed -i "s/@MAINTAINER@/$maintainer/" "$tree/debian/control"
python3 - "$tree/debian/copyright" "$license" <<'PYTHON'
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write(text.replace("@LICENSE@", sys.argv[2]))
PYTHON
cat >"$tree/debian/changelog" <<END
lsrecon ($version-1) UNRELEASED; urgency=medium

  * Version $version; see CHANGELOG.md.

 -- $maintainer  $date
END

(cd "$tree" && dpkg-buildpackage -us -uc)
# The release is named by who uploads it.
lintian --fail-on error --suppress-tags bad-distribution-in-changes-file "$out"/*.changes
if [[ ${1:-} == --test ]]; then
    scripts/setup.sh autopkgtest
    autopkgtest "$out"/*.deb "$out/lsrecon_$version-1.dsc" -- null
fi
echo "the packages: $out"
