#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# The distribution's uDAPL 2.0 programs between two test machines: our provider at both
# ends, and OFED's at one and at the other. Runs on both machines at once and prints
# TAP; machine 0 serves, machine 1 asks.
#
#     scripts/vm --hosts 2 -- tests/vm-pair/dapl.sh

exec "$(dirname "$0")/../dapl/pair.py"
