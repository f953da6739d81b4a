#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Debian package in a clean Debian: apt installs it with what it depends on and nothing else of ours, a trace runs, the manual and
# completion are there, a module is written, built and used, a program is linked; and nothing stays when it is removed.
#
# Skipped unless WW_TEST_FULL is set, this is root (who alone may chroot), debootstrap is there and a Debian mirror (WW_DEBIAN_MIRROR) answers. WW_DEBIAN_ROOT names a
# folder with a Debian that was made before, of which a copy is used.
set -eu

skip()
{
    echo "$*: skipped"
    exit 77
}
[ -n "${WW_TEST_FULL-}" ] || skip "only with ./dev test --full"
[ "$(id -u)" -eq 0 ] || skip "only root may chroot"
command -v dpkg-shlibdeps >/dev/null || skip "no dpkg-shlibdeps (package dpkg-dev)"
[ -n "${WW_DEBIAN_ROOT-}" ] || command -v debootstrap >/dev/null || skip "no debootstrap"
if [ -z "${IN_NAMESPACE-}" ]; then # what is mounted below goes with this process
    unshare --mount true 2>/dev/null || skip "this machine lets nobody mount"
    IN_NAMESPACE=1 exec unshare --mount --propagation private "$0"
fi

source=${WW_SOURCE_DIR:?}
build=${WW_BUILD_DIR:?}
mirror=${WW_DEBIAN_MIRROR:-http://deb.debian.org/debian}
work=$(mktemp -d)
trap 'umount "$work/root/proc" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT

# quietly COMMAND...: its output only if it fails
quietly()
{
    "$@" >"$work/log" 2>&1 || {
        echo "failed: $*"
        tail -n 40 "$work/log"
        exit 1
    }
}
inside()
{
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/srv/user LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$work/root" "$@"
}

echo "the package"
quietly "$source/tools/make-deb" "$build" "$work"
deb=$(echo "$work"/warpwright_*.deb)

echo "a clean Debian"
if [ -n "${WW_DEBIAN_ROOT-}" ]; then
    cp -a --one-file-system "$WW_DEBIAN_ROOT" "$work/root"
else
    debootstrap --variant=minbase bookworm "$work/root" "$mirror" >"$work/log" 2>&1 || {
        tail -n 3 "$work/log"
        skip "no Debian from $mirror"
    }
fi
cp /etc/resolv.conf "$work/root/etc/" 2>/dev/null || true
mount -t proc proc "$work/root/proc" 2>/dev/null || skip "this machine lets nobody mount /proc"
mv "$deb" "$work/root/tmp/"
mkdir -p "$work/root/srv/user"
deb=/tmp/${deb##*/}

echo "installed, with what it needs and no more"
inside apt-get -q update >"$work/log" 2>&1 || skip "no package lists from $mirror"
quietly inside apt-get -q -y --no-install-recommends install "$deb"
inside sh -c '! ldd /usr/bin/warpwright | grep "not found"'
inside sh -c '! ldd /usr/lib/libwarpwright.so.0 | grep "not found"'
inside sh -c '! command -v gcc'

echo "used"
says()
{
    "$@" run -c rtx3070 --report=none --fingerprint --progress=none "$where/vecadd"
}
where=/usr/share/warpwright/samples
installed=$(says inside warpwright)
where=$source/samples
[ "$installed" = "$(says "${WARPWRIGHT:?}")" ] || {
    echo "another fingerprint: $installed"
    exit 1
}
inside warpwright list configs | grep -q '^qv100 '
inside warpwright list platforms | grep -q '^gpu '
inside sh -c 'printf "kernel k {\n    R1 = S2R\n}\n" >/tmp/k.wwk && warpwright trace make -o /tmp/k /tmp/k.wwk && warpwright run -c qv100 --report=none /tmp/k' >/dev/null
inside sh -c 'zcat /usr/share/man/man1/warpwright-run.1.gz' | cmp - "$build/man/warpwright-run.1"
inside bash --norc -c '. /usr/share/bash-completion/completions/warpwright
    COMP_LINE="warpwright ins" COMP_WORDS=(warpwright ins) COMP_CWORD=1; _warpwright; test "${COMPREPLY[*]}" = inspect'
inside test -s /usr/share/doc/warpwright/copyright
inside grep -q 'Coming from Accel-Sim' /usr/share/warpwright/docs/from-accel-sim.md
python3 "$source/tests/system/export/links.py" "$work/root/usr/share/doc/warpwright"
inside warpwright run -c qv100 --opcodes volta --report=none /usr/share/warpwright/samples/sgemm

echo "a module of one's own, with what the package recommends"
quietly inside apt-get -q -y install cmake gcc libc6-dev libglib2.0-dev make pkg-config --no-install-recommends
quietly inside sh -c 'cd /srv/user && warpwright new scheduler mine && cd mine && cmake -B build && cmake --build build && ctest --test-dir build --output-on-failure'
quietly inside warpwright run -c rtx3070 -m /srv/user/mine/build/mine.so -s sm.scheduler=scheduler.mine --report=none /usr/share/warpwright/samples/vecadd
quietly inside sh -c 'cp -r /usr/share/warpwright/modules/ccws /srv/user/ && cd /srv/user/ccws && cmake -B build && cmake --build build'
inside sh -c 'cat >/srv/user/p.c' <<'END'
#include <warpwright/warpwright.h>
int main(void)
{
    g_autoptr(GError) error = NULL;
    ww_fail(&error, WW_ERROR_INPUT, "hello");
    return error->code != WW_ERROR_INPUT;
}
END
quietly inside sh -c 'gcc -std=gnu11 /srv/user/p.c -o /srv/user/p $(pkg-config --cflags --libs warpwright) && /srv/user/p'

echo "removed"
quietly inside apt-get -q -y purge warpwright
inside sh -c '! command -v warpwright'
left=$(inside find / -xdev -path /proc -prune -o -name '*warpwright*' -print | grep -v '^/tmp/\|^/srv/user/\|^/var/\(log\|cache\|lib/apt\)' || true)
[ -z "$left" ] || {
    echo "left behind: $left"
    exit 1
}
