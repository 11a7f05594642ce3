#!/usr/bin/env bash
# The README's two commands, or others, in a distribution that was installed this minute.
#     test_in.sh SUITE [demo|test|"package --test"|containerfile]
# As root; SUITE: bookworm, trixie, noble; demo and test when unnamed.
# It is installed by debootstrap into a scratch folder, from a mirror that this machine's apt is
# configured with, and used by chroot. Nothing is left of it.
set -euo pipefail
cd "$(dirname "$0")/.."
suite=${1:?"a suite: bookworm, trixie or noble"}
commands=("${@:2}")
((${#commands[@]} > 0)) || commands=(demo test)
((EUID == 0)) || { echo "test_in.sh: chroot needs root; next: sudo $0 $*" >&2; exit 2; }

case $suite in
    noble) origin=Ubuntu ;;
    *) origin=Debian ;;
esac
scripts/setup.sh debootstrap
# shellcheck disable=SC2016 # apt's own fields
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
    awk -v origin="$origin" '$1 == origin && !/security/ {print $2; exit}')
[[ -n $mirror ]] || { echo "apt is configured with no mirror of $origin" >&2; exit 2; }

work=$(mktemp -d /var/tmp/lsrecon-"$suite".XXXXXX)
root=$work/root
# What is mounted is mounted in a namespace that has ended by then: nothing is removed through it.
finish() {
    for _ in {1..20}; do # a command that was killed writes for a moment longer
        rm -rf --one-file-system "$work" 2>/dev/null && return
        sleep 0.5
    done
    echo "left behind: $work" >&2
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

echo "== $suite from $mirror"
mkdir "$root"
unshare --mount --propagation private debootstrap --variant=minbase --include=ca-certificates \
    "$suite" "$root" "$mirror" >"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
cp -L /etc/hosts "$root/etc/hosts"
apt-config dump | grep -i '^acquire::https\?::proxy ' >"$root/etc/apt/apt.conf.d/99proxy" || true
if [[ $origin == Ubuntu ]]; then # most of what is needed is there
    echo "deb $mirror $suite main universe" >"$root/etc/apt/sources.list"
fi
mkdir "$root/lsrecon"
tar --exclude=./build --exclude=./.git -c . | tar -x -C "$root/lsrecon"

# In new namespaces for mounts and processes: both end with the command.
# shellcheck disable=SC2016 # expanded inside
inside() {
    unshare --mount --propagation private --pid --fork --kill-child bash -c '
        mount -t proc proc "$1/proc"
        mount -t sysfs -o ro sysfs "$1/sys" # where PoCL finds the processors
        mount --bind /dev/pts "$1/dev/pts" # a test shows help on a terminal
        exec chroot "$1" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"' \
        inside "$root" "$@"
}
for command in "${commands[@]}"; do
    start=$SECONDS
    read -ra words <<<"$command"
    inside "/lsrecon/scripts/${words[0]}.sh" "${words[@]:1}"
    echo "== $suite, $command: $((SECONDS - start)) s"
done
