#!/usr/bin/env bash
# Builds the Debian packages lsrecon and liblsrecon-dev into build/package, and asks lintian.
#     package.sh              for this system
#     package.sh --test       and runs their tests (autopkgtest), which installs them here
#     package.sh RELEASE      for another one, such as trixie, in a folder that debootstrap fills,
#                             where the tests run, too. Needs root.
# The maintainer is DEBFULLNAME <DEBEMAIL>.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^project(lsrecon VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
maintainer="${DEBFULLNAME:-The lsrecon developers} <${DEBEMAIL:-lsrecon@example.org}>"
out=$PWD/build/package
tree=$out/lsrecon-$version
license="not decided
 Its owner has not chosen a licence yet; it will be in the file LICENSE."
[[ ! -e LICENSE ]] || license="LICENSE
$(sed 's/^/ /; s/^ $/ ./' LICENSE)"

# The upstream archive, and the tree with debian/ in it.
rm -rf "$tree"
mkdir -p "$tree"
rm -f "$out"/*lsrecon*_*
if [[ -e .git ]]; then
    git archive HEAD | tar -x -C "$tree"
    date=$(git log -1 --format=%cd --date=rfc2822)
else
    find . -mindepth 1 -maxdepth 1 ! -name build ! -name '.pc' ! -name debian \
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

lint() { # FOLDER: errors end the script, warnings are shown
    lintian --fail-on error --suppress-tags bad-distribution-in-changes-file "$1"/*.changes
}

build_here() {
    scripts/setup.sh build-essential debhelper devscripts dpkg-dev fakeroot libvkfft-dev lintian \
        ninja-build
    (cd "$tree" && dpkg-buildpackage -us -uc)
    lint "$out"
}

build_in() { # RELEASE: the source package, built and tested in its own system
    local root=$out/$1
    scripts/setup.sh autopkgtest debootstrap dpkg-dev
    [[ -e $root/etc/debian_version ]] || debootstrap --variant=buildd "$1" "$root"
    (cd "$tree" && dpkg-buildpackage -S -d -us -uc)
    rm -rf "$root/build"
    mkdir "$root/build"
    cp "$out"/lsrecon_"$version"* "$root/build"
    chroot "$root" env DEBIAN_FRONTEND=noninteractive bash -euc "
        cd /build
        apt-get update -qq
        apt-get install -y -qq --no-install-recommends dpkg-dev lintian >/dev/null
        apt-get build-dep -y -qq --no-install-recommends ./lsrecon_$version-1.dsc >/dev/null
        dpkg-source -x lsrecon_$version-1.dsc
        cd lsrecon-$version
        dpkg-buildpackage -us -uc
        cd ..
        lintian --fail-on error --suppress-tags bad-distribution-in-changes-file ./*.changes"
    autopkgtest "$root"/build/*.deb "$root/build/lsrecon_$version-1.dsc" -- chroot "$root"
}

case ${1:-} in
"") build_here ;;
--test)
    build_here
    scripts/setup.sh autopkgtest
    autopkgtest "$out"/*.deb "$out/lsrecon_$version-1.dsc" -- null
    ;;
*) build_in "$1" ;;
esac
echo "the packages: $out"
