# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=bash
#
# Shared by the scripts in this folder: places, messages, and where the
# kernels that we test against live. Source it; it sets no shell options.

# The clone that this file lies in.
KDAPL_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# Things that are costly to make and do not belong to one clone.
KDAPL_CACHE=${KDAPL_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/kdapl}
# Where Debian has depmod, modinfo and modprobe, which need no root for what is done here.
PATH=$PATH:/usr/sbin:/sbin
export KDAPL_TOP KDAPL_CACHE PATH

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
	say "$*"
	exit "${die_status:-1}"
}

need_arg() { # OPTION COUNT: an option that wants a value has one
	[ "$2" -ge 2 ] || die "$1 wants a value (see --help)"
}

# Prints the comment block at the head of the calling script: its manual.
usage() {
	sed -n '3,/^[^#]/{/^#/!q;s/^# \{0,1\}//;p}' "$0"
}

# Kbuild; with STRICT=1 in the environment with all warnings and under sparse, and one is a
# failure: also the next time, for which nothing is left.
kbuild() { # KERNEL MAKE-ARGUMENT... TARGET
	local log status=0 cache=()
	# Of the running kernel nobody knows which compiler it wants, or how it takes ccache.
	if command -v ccache >/dev/null; then
		case $1 in
		host) ;;
		debug) cache=(CC="ccache gcc") ;;
		*) cache=(DEBIAN_KERNEL_USE_CCACHE=y) ;;
		esac
	fi
	set -- "${cache[@]}" "${@:2}"
	if [ "${STRICT:-0}" = 0 ]; then
		make --no-print-directory "$@"
		return
	fi
	log=$(mktemp)
	make --no-print-directory "$@" W=1 C=1 CF=-D__CHECK_ENDIAN__ 2>&1 | tee "$log" || status=1
	! grep -qE '(warning|error|WARNING|ERROR): ' "$log" || status=1
	rm -f "$log"
	[ "$status" -ne 0 ] || return 0
	make --no-print-directory "${@:1:$#-1}" clean >&2
	say "warnings, or errors, of make $*"
	return 1
}

# Prints the folder that modules for a kernel are built against.
kernel_build() { # KERNEL: one that scripts/kernel knows, or host
	local build
	if [ "$1" = host ]; then
		build=/lib/modules/$(uname -r)/build
		[ -e "$build/Makefile" ] || die "no headers of the running kernel in $build (Debian: linux-headers-$(uname -r))"
	else
		build=$("$KDAPL_TOP/scripts/kernel" "$1")/build || return
	fi
	printf '%s\n' "$build"
}
