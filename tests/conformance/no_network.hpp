// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the network lacks for as long as a test wants: answers, patience, ports. */
#pragma once

#include "failure.hpp"

#include <cstdlib>
#include <fstream>
#include <string>

namespace suite {

/** For as long as it lives a setting of the machine's network has another value. */
class NetworkSetting {
public:
	NetworkSetting(const std::string &name, const std::string &value)
		: path_("/proc/sys/net/" + name)
	{
		std::getline(std::ifstream(path_) >> std::ws, before_);
		require(set(value), "cannot set " + path_);
	}
	NetworkSetting(const NetworkSetting &) = delete;
	NetworkSetting &operator=(const NetworkSetting &) = delete;
	~NetworkSetting() { set(before_); }

private:
	bool set(const std::string &value)
	{
		std::ofstream file(path_);

		file << value << std::flush;
		return file.good();
	}

	const std::string path_;
	std::string before_;
};

/** For as long as it is silent nothing that the machine sends to itself arrives. */
class SilentLoopback {
public:
	SilentLoopback() { require(set("down"), "the loopback cannot be taken down"); }
	SilentLoopback(const SilentLoopback &) = delete;
	SilentLoopback &operator=(const SilentLoopback &) = delete;
	~SilentLoopback() { speak(); }

	void speak() { (void)set("up"); }

private:
	static bool set(const std::string &state)
	{
		return std::system(("ip link set lo " + state).c_str()) == 0;
	}
};

} // namespace suite
