// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits that a program runs into: the device's objects, pinned memory, its heap. */
#pragma once

#include "allocations.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <linux/capability.h>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace suite {

/**
 * While it lives, this program may have so many objects of the device, by the
 * administrator's limit for a cgroup. What it had before belongs to another one.
 */
class DeviceLimit {
public:
	/** @p what: hca_object=NUMBER, hca_handle=NUMBER (opened adapters), or both */
	explicit DeviceLimit(const std::string &what)
	{
		write("/sys/fs/cgroup/cgroup.subtree_control", "+rdma");
		sys(mkdir(folder.c_str(), 0755));
		write(folder + "/rdma.max", device() + " " + what);
		write(folder + "/cgroup.procs", "0");
	}
	DeviceLimit(const DeviceLimit &) = delete;
	DeviceLimit &operator=(const DeviceLimit &) = delete;
	/* The kernel keeps a limit of a group that is gone, and stumbles over it. */
	~DeviceLimit()
	{
		std::ofstream("/sys/fs/cgroup/cgroup.procs") << "0";
		std::ofstream(folder + "/rdma.max") << device() << " hca_handle=max hca_object=max";
		rmdir(folder.c_str());
	}

private:
	static std::string device()
	{
		const char *name = std::getenv("KDAPL_DEVICE");

		require(name, "KDAPL_DEVICE is not set");
		return name;
	}
	static void write(const std::string &file, const std::string &text)
	{
		std::ofstream stream(file);

		stream << text << std::flush;
		require(stream.good(), "cannot write " + text + " to " + file);
	}

	const std::string folder = "/sys/fs/cgroup/kdapl-limit";
};

/** From here on this limit of pinned memory holds for the program, though it is root's. */
inline void limit_pinned_memory(rlim_t bytes)
{
	const rlimit limit{ .rlim_cur = bytes, .rlim_max = bytes };
	__user_cap_header_struct header{ .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
	__user_cap_data_struct data[2]{};

	sys(setrlimit(RLIMIT_MEMLOCK, &limit));
	sys(syscall(SYS_capget, &header, data));
	data[CAP_IPC_LOCK / 32].effective &= ~(1U << (CAP_IPC_LOCK % 32));
	data[CAP_IPC_LOCK / 32].permitted &= ~(1U << (CAP_IPC_LOCK % 32));
	sys(syscall(SYS_capset, &header, data));
}

/** The call fails whichever allocation of the library's fails, and then works. */
template <class Call>
void check_without_heap(Call &&call, Location where = Location::current())
{
	for (std::size_t after = 0;; after++) {
		DAT_RETURN result;
		{
			NoHeap limit(after);
			result = call();
		}
		if (result == DAT_SUCCESS) {
			require(after > 0, "the call takes nothing from the heap", where);
			return;
		}
		refused(result, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY, where);
	}
}

/**
 * The call fails where the device has no object left for the program, says of
 * which kind, and then works.
 */
template <class Call>
void check_without_objects(Call &&call, DAT_RETURN_SUBTYPE kind,
			   Location where = Location::current())
{
	{
		DeviceLimit limit("hca_object=0");
		refused(call(), DAT_INSUFFICIENT_RESOURCES, kind, where);
	}
	ok(call(), where);
}

} // namespace suite
