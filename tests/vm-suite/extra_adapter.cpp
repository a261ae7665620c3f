// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "extra_adapter.hpp"

#include "adapter.hpp"

#include <cstdlib>

namespace suite {

namespace {

void run(const std::string &command, Location where)
{
	require(std::system(command.c_str()) == 0, command, where);
}

} // namespace

ExtraAdapter::ExtraAdapter(const std::string &suffix, const std::vector<std::string> &addresses,
			   Location where)
	: name_((Adapter::iwarp() ? "siw" : "rxe") + suffix), netdev_("dummy" + suffix)
{
	run("ip link add " + netdev_ + " type dummy", where);
	/* No address but those asked for: IPv6 would make itself one when the link comes up. */
	run("ip link set " + netdev_ + " addrgenmode none", where);
	/* Others are looked for, and are not there. */
	run("ip link set " + netdev_ + " arp on mtu 4500 up", where);
	for (const std::string &address : addresses)
		add(address, where);
	run("rdma link add " + name_ + " type " + name_.substr(0, 3) + " netdev " + netdev_, where);
}

ExtraAdapter::~ExtraAdapter()
{
	if (there_)
		(void)!std::system(("rdma link delete " + name_).c_str());
	(void)!std::system(("ip link delete " + netdev_).c_str());
}

void ExtraAdapter::add(const std::string &address, Location where)
{
	const bool ipv6 = address.find(':') != std::string::npos;

	run("ip address add " + address + " dev " + netdev_ + (ipv6 ? " nodad" : ""), where);
}

void ExtraAdapter::remove(const std::string &address, Location where)
{
	run("ip address delete " + address + " dev " + netdev_, where);
}

void ExtraAdapter::pull(Location where)
{
	there_ = false;
	run("rdma link delete " + name_, where);
}

} // namespace suite
