// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An RDMA device of the test's own, over a network device of its own. */
#pragma once

#include "failure.hpp"

#include <string>
#include <vector>

namespace suite {

/** Comes with the addresses that are given ("10.0.0.1/24"), and goes with the object. */
class ExtraAdapter {
public:
	explicit ExtraAdapter(const std::string &suffix, const std::vector<std::string> &addresses,
			      Location where = Location::current());
	ExtraAdapter(const ExtraAdapter &) = delete;
	ExtraAdapter &operator=(const ExtraAdapter &) = delete;
	~ExtraAdapter();

	/** The RDMA device. */
	const std::string &name() const noexcept { return name_; }

	/** One more address. */
	void add(const std::string &address, Location where = Location::current());

	/** A VLAN upon its netdev, with an address. */
	void add_vlan(const std::string &vlan, const std::string &address,
		      Location where = Location::current());

	/** Whether the kernel has VLANs. */
	static bool vlans();

	/** One address less. */
	void remove(const std::string &address, Location where = Location::current());

	/** Takes the RDMA device away, as if it was pulled out. */
	void pull(Location where = Location::current());

private:
	/** What ip needs to hear of an address. */
	std::string options(const std::string &address) const;

	std::string name_, netdev_;
	bool there_ = true;
};

} // namespace suite
