#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The name ib_isert: what is installed has the switch of a portal load kdapl_isert, and
# the way back that docs/storage.md tells of has it load the kernel's own, under a session
# that stays; and forth again. Prints TAP.
#
#     scripts/vm --kernel 6.12 --mem 1536 --time 900 -- tests/storage/names.sh

set -uo pipefail
# shellcheck source=tests/storage/lib.sh
. "$(dirname "$0")/lib.sh"
conf=/lib/modprobe.d/kdapl-isert.conf

# As make install does it, and nothing of this folder's own. (depmod reads all modules of
# the kernel, which takes minutes here.)
install_all() {
	rm -f /run/modprobe.d/kdapl-storage.conf
	"$top/scripts/install-module" - "" "$(dirname "$KDAPL_MODULE")"
}

start_lio() {
	modprobe -a target_core_mod iscsi_target_mod && mount -t configfs configfs $configfs
}

put_line_back() {
	install -m 644 "$top/kmod/consumers/isert/${conf##*/}" $conf
}

loaded() { # MODULE
	[ -d "/sys/module/$1" ]
}

serves() { # MODULE: it alone
	local other=ib_isert
	[ "$1" != ib_isert ] || other=kdapl_isert
	loaded "$1" && ! loaded $other
}

data_come_back() {
	write_and_compare "${disks[0]-none}" 65536 8
}

# The sessions end, but the initiator's end of them waits.
switch_off() {
	enable $iqn 0 && switch_iser $iqn "$KDAPL_ADDR" 0
}

switch_on() {
	switch_iser $iqn "$KDAPL_ADDR" 1 && enable $iqn 1
}

by_default() {
	expect ok "" "installed" install_all
	expect ok "" "LIO is there" start_lio
	expect fails "" "what serves iSER is not" loaded kdapl_isert
	expect ok "" "a portal is switched to iSER" serve_disk 32
	expect ok "" "that has loaded kdapl_isert" serves kdapl_isert
	expect ok "" "the initiator is started" start_initiator
	expect ok "" "logged in" login $iqn "$KDAPL_ADDR" 1
	expect ok "" "data come back" data_come_back
	expect fails "" "it cannot go under a portal" modprobe -r kdapl_isert
}

back() {
	expect ok "" "the portal is switched off" switch_off
	expect ok "" "the line goes" rm $conf
	expect ok "" "kdapl_isert goes" modprobe -r kdapl_isert
	expect ok "" "the portal is switched on" switch_on
	expect ok "" "that has loaded the kernel's own" serves ib_isert
	expect ok "" "the session comes back" until_ok logged_in $iqn
	expect ok "" "data come back from there" data_come_back
}

forth() {
	expect ok "" "the portal is switched off again" switch_off
	expect ok "" "the line comes back" put_line_back
	expect ok "" "ib_isert goes" modprobe -r ib_isert
	expect ok "" "kdapl_isert comes by its own name" modprobe kdapl_isert
	expect ok "" "and the portal is switched on again" switch_on
	expect ok "" "it serves" serves kdapl_isert
	expect ok "" "the session comes back again" until_ok logged_in $iqn
	expect ok "" "and data" data_come_back
}

ending() {
	expect ok "" "logged out" logout $iqn "$KDAPL_ADDR"
	expect ok "" "the initiator goes" stop_initiator
	expect ok "" "the target goes" stop_serving
	expect ok "" "unloaded" modprobe -r kdapl_isert
	expect ok "" "no queue pair is left" no_queue_pairs
}

tests() {
	by_default
	back
	forth
	ending
}

plan tests
tests
[ "$failed" = 0 ]
