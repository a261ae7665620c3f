// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "registry.hpp"

#include "debug.hpp"
#include "device.hpp"

#include <cerrno>
#include <cstring>

namespace kdapl {

Status list_adapters(std::vector<std::string> &names)
{
	std::unique_ptr<Device> device;

	names.clear();
	if (int err = open_device(device)) {
		debug_error("opening %s: %s", KDAPL_DEVICE, std::strerror(err));
		if (err == ENOENT || err == ENODEV || err == ENXIO)
			return success;
		return from_errno(err);
	}
	/* Until the end, not up to a number: adapters come and go. */
	for (__u32 index = 0;; index++) {
		kdapl_adapter adapter{};
		adapter.index = index;
		const int err = device->call(KDAPL_ADAPTER, adapter);
		if (err == ENODEV)
			return success;
		if (err)
			return from_errno(err);
		const char *name = reinterpret_cast<const char *>(adapter.name);
		names.emplace_back(name, strnlen(name, sizeof adapter.name));
	}
}

} // namespace kdapl
