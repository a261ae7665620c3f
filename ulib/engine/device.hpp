// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The library's one way to the module: control calls and mapped memory of an
 * open /dev/kdapl. Tests put a device of their own here.
 */
#pragma once

#include "uapi/kdapl.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace kdapl {

/** An open /dev/kdapl, or what stands for it. Safe to use from any thread. */
class Device {
public:
	virtual ~Device() = default;

	/** ioctl(2): 0 or an errno. */
	virtual int control(unsigned long command, void *arg) noexcept = 0;

	/** The same for a call that sleeps; its thread can be cancelled in it. */
	virtual int sleep(unsigned long command, void *arg) { return control(command, arg); }

	/** mmap(2) of shared memory: nullptr when it fails. */
	virtual void *map(std::uint64_t offset, std::size_t size, bool writable) noexcept = 0;

	virtual void unmap(void *address, std::size_t size) noexcept = 0;

	/** What names it in a control call of another one: a file descriptor. */
	virtual int file() const noexcept = 0;

	/** KDAPL_DOORBELL; the module polls for @a evd if that is not 0. */
	int ring(std::uint32_t evd) noexcept
	{
		return control(KDAPL_DOORBELL, reinterpret_cast<void *>(std::uintptr_t{ evd }));
	}

	/** A control call whose structure gets its size filled in. */
	template <class Arg>
	int call(unsigned long command, Arg &arg) noexcept
	{
		arg.size = sizeof arg;
		return control(command, &arg);
	}

	/** The same for a call that sleeps. */
	template <class Arg>
	int call_and_sleep(unsigned long command, Arg &arg)
	{
		arg.size = sizeof arg;
		return sleep(command, &arg);
	}
};

/** Opens a device: 0 or an errno. */
using DeviceOpener = std::function<int(std::unique_ptr<Device> &)>;

/**
 * Open /dev/kdapl: 0 or an errno.
 *
 * A child process that is forked gets no part in what its parent has open: the
 * module would refuse its calls, and a file that it held open would keep the
 * parent's objects alive beyond the parent. So the child closes the files and
 * knows none of the handles; it can open adapters of its own.
 */
int open_device(std::unique_ptr<Device> &device);

/** For tests: what open_device() shall do; an empty function for the real one. */
void set_device_opener(DeviceOpener opener);

} // namespace kdapl
