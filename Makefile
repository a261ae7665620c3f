# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# `make help` lists what there is.

# 6.1 and 6.12: Debian's stock kernels; debug: ours with every check on (all
# in the test machine's cache, see scripts/kernel); host: the running kernel.
KERNEL ?= 6.1
# The RDMA device of the conformance tests: rxe or siw.
RDMA ?= rxe
PREFIX ?= /usr/local
DESTDIR ?=
# What else the library's build is to know, e.g. -DCMAKE_CXX_COMPILER=clang++
CMAKE_FLAGS ?=
# The module's builds with all warnings and under sparse; one is a failure.
STRICT ?=
export STRICT
# Only these targets of the library's build.
ULIB_TARGETS ?=
CHECKED ?=

jobs := $(shell nproc)
# The tests are built where GoogleTest is installed.
tests := $(if $(wildcard /usr/include/gtest/gtest.h),ON,OFF)

.PHONY: all help setup kmod kconsumer ulib demo demo-storage check check-all check-debug check-storage check-address check-thread conformance bench bench-storage coverage lint install uninstall clean

all: kmod ulib ## the module (for Debian's 6.1 kernel) and the library

help: ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16
	@echo
	@echo "  KERNEL=6.1|6.12|debug|host  kernel for kmod, kconsumer, install, uninstall ($(KERNEL)); and, but for"
	@echo "                              host, for demo-storage, conformance; 6.1 or 6.12 for bench, bench-storage"
	@echo "  RDMA=rxe|siw                device for conformance ($(RDMA))"
	@echo "  DESTDIR= PREFIX=            where install puts things ($(PREFIX))"
	@echo "  CMAKE_FLAGS=                more options for cmake: ulib, install"
	@echo "  CHECKED=1                   make check-all: check has just run, leave it out"
	@echo "  STRICT=1                    kmod, kconsumer; check-all, for 6.12: what gcc with W=1 and sparse"
	@echo "                              have to say of the module is a failure"
	@echo "  HOST=1                      make demo: on this machine's own kernel"
	@echo "  DEMO_MB= DEMO_MODES=        make demo: size of the large file in MiB (256), and how it is"
	@echo "                              moved, of write, read and send (write)"

setup: ## install every Debian package needed
	@scripts/setup all

kmod: ## kdapl.ko for KERNEL, in build/kmod-KERNEL/
	@scripts/build-kmod $(KERNEL)

kconsumer: kmod ## tests/kconsumer: a module built from what is installed
	@scripts/build-kconsumer $(KERNEL)

ulib: ## the user library, the tools and the tests, in build/ulib/
	@mkdir -p build
	@cmake -S . -B build/ulib -DCMAKE_BUILD_TYPE=RelWithDebInfo \
		-DCMAKE_INSTALL_PREFIX="$(PREFIX)" -DBUILD_TESTING=$(tests) $(CMAKE_FLAGS) >build/cmake.log 2>&1 || \
		{ cat build/cmake.log; exit 1; }
	@cmake --build build/ulib -j$(jobs) $(if $(ULIB_TARGETS),--target $(ULIB_TARGETS)) -- --no-print-directory

demo: ## build, boot the test machine, move files by RDMA in it
	@scripts/demo $(if $(filter-out 0,$(HOST)),--host)

demo-storage: ## build, boot the test machine, use a disk that LIO serves over kDAPL
	@KERNEL=$(KERNEL) scripts/demo-storage

check: ## unit tests, and the suite in the test machine on Debian's 6.1
	@scripts/setup check
	@$(MAKE) --no-print-directory kconsumer ulib KERNEL=6.1
	@scripts/run-tests check

check-all: ## check, the suite on 6.12 and on the debug kernel, and KUnit
	@scripts/setup all
	@$(MAKE) --no-print-directory kconsumer ulib KERNEL=6.1 STRICT=
	@$(MAKE) --no-print-directory kconsumer KERNEL=6.12
	@$(MAKE) --no-print-directory kconsumer KERNEL=debug STRICT=
	@CHECKED=$(CHECKED) scripts/run-tests check-all

check-debug: ## what check-all leaves out: all of it on the debug kernel, and on 6.12 over soft RoCE; hours
	@scripts/setup all
	@$(MAKE) --no-print-directory kmod KERNEL=6.1
	@$(MAKE) --no-print-directory kconsumer KERNEL=6.12
	@$(MAKE) --no-print-directory kconsumer KERNEL=debug
	@$(MAKE) --no-print-directory ulib
	@scripts/run-tests check-debug

check-storage: ## the storage target, all of it, for more than an hour: fio, cuts, machines switched off
	@scripts/setup all
	@$(MAKE) --no-print-directory kmod KERNEL=6.1
	@$(MAKE) --no-print-directory kmod KERNEL=6.12
	@$(MAKE) --no-print-directory kmod KERNEL=debug
	@$(MAKE) --no-print-directory ulib
	@scripts/run-tests check-storage

# $(call check_sanitized,SANITIZER,OPTIONS): build the library's tests with it, run them.
define check_sanitized
	@scripts/setup check
	@mkdir -p build
	@cmake -S . -B build/ulib-$(1) -DKDAPL_SANITIZE=$(1) -DKDAPL_TOOLS=OFF \
		-DBUILD_TESTING=ON >build/cmake-$(1).log 2>&1 || { cat build/cmake-$(1).log; exit 1; }
	@cmake --build build/ulib-$(1) -j$(jobs) --target library_test library2_test -- --no-print-directory
	@build/ulib-$(1)/tests/unit/library_test --gtest_brief=1 $(2)
	@build/ulib-$(1)/tests/unit/library2_test --gtest_brief=1 $(2)
endef

check-address: ## the library's tests under AddressSanitizer and UBSan
	$(call check_sanitized,address)

check-thread: ## the library's tests under ThreadSanitizer
	$(call check_sanitized,thread,--gtest_repeat=3 --gtest_shuffle)

conformance: ## what the manual pages say, clause by clause, counted by function
	@scripts/setup $(if $(filter 6.1/rxe,$(KERNEL)/$(RDMA)),check,all)
	@$(MAKE) --no-print-directory kmod KERNEL=$(KERNEL)
	@$(MAKE) --no-print-directory ulib ULIB_TARGETS=conformance
	@scripts/conformance --kernel $(KERNEL) --rdma $(RDMA)

bench: ## compare with raw verbs and OFED's uDAPL; writes build/bench.json
	@scripts/setup all
	@scripts/bench

bench-storage: ## compare the storage target with the kernel's own; writes build/bench-storage.json
	@scripts/setup check
	@scripts/setup storage
	@$(MAKE) --no-print-directory kmod KERNEL=$(KERNEL)
	@$(MAKE) --no-print-directory ulib ULIB_TARGETS="instructions mark"
	@KERNEL=$(KERNEL) tests/storage/bench.py

coverage: ## how much of the library and the module the tests run
	@scripts/setup all
	@scripts/coverage

lint: ## checkpatch, sparse, compiler warnings, clang-format, shellcheck
	@scripts/setup all
	@scripts/lint

install: kmod ulib ## modules, library, headers, tools, manual, udev rule, pkg-config file
	@scripts/install-module $(KERNEL) "$(DESTDIR)"
	@DESTDIR="$(DESTDIR)" cmake --install build/ulib
	@[ -n "$(DESTDIR)" ] || /sbin/ldconfig

# CMake notes what it installs, without DESTDIR.
uninstall: ## remove what install has put there, with the same KERNEL and DESTDIR
	@scripts/install-module --remove $(KERNEL) "$(DESTDIR)"
	@[ ! -e build/ulib/install_manifest.txt ] || \
		while IFS= read -r file || [ -n "$$file" ]; do rm -f "$(DESTDIR)$$file" || exit 1; done <build/ulib/install_manifest.txt
	@[ ! -e build/ulib/install_manifest.txt ] || { \
		sed 's,/[^/]*$$,,' build/ulib/install_manifest.txt | grep -E '/(include/dat|include/kdapl/dat2|kdapl)$$' | sort -u; \
		sed -n 's,/dat2/[^/]*$$,,p' build/ulib/install_manifest.txt | grep '/include/kdapl$$' | sort -u; } | \
		while IFS= read -r folder; do \
			[ ! -d "$(DESTDIR)$$folder" ] || rmdir --ignore-fail-on-non-empty "$(DESTDIR)$$folder"; done
	@rm -f build/ulib/install_manifest.txt
	@[ -n "$(DESTDIR)" ] || /sbin/ldconfig

clean: ## remove build/ (the kernels stay in the cache)
	rm -rf build
