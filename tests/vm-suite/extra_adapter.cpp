// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "extra_adapter.hpp"

#include "adapter.hpp"

#include <cstdlib>
#include <filesystem>

namespace suite {

namespace {

void run(const std::string &command, Location where)
{
	require(std::system(command.c_str()) == 0, command, where);
}

} // namespace

/* One program for all of them: the debug kernel takes long to start one. */
ExtraAdapter::ExtraAdapter(const std::string &suffix, const std::vector<std::string> &addresses,
			   Location where)
	: name_((Adapter::iwarp() ? "siw" : "rxe") + suffix), netdev_("dummy" + suffix)
{
	std::string commands = "link add " + netdev_ + " type dummy\n";
	/* No address but those asked for: IPv6 would make itself one when the link comes up. */
	commands += "link set " + netdev_ + " addrgenmode none\n";
	/* Others are looked for, and are not there. */
	commands += "link set " + netdev_ + " arp on mtu 4500 up\n";
	for (const std::string &address : addresses)
		commands += "address add " + options(address) + "\n";
	run("ip -batch - <<END\n" + commands + "END", where);
	run("rdma link add " + name_ + " type " + name_.substr(0, 3) + " netdev " + netdev_, where);
}

ExtraAdapter::~ExtraAdapter()
{
	if (there_)
		(void)!std::system(("rdma link delete " + name_).c_str());
	(void)!std::system(("ip link delete " + netdev_).c_str());
}

std::string ExtraAdapter::options(const std::string &address) const
{
	const bool ipv6 = address.find(':') != std::string::npos;

	return address + " dev " + netdev_ + (ipv6 ? " nodad" : "");
}

void ExtraAdapter::add(const std::string &address, Location where)
{
	run("ip address add " + options(address), where);
}

/* It goes with the netdev. */
void ExtraAdapter::add_vlan(const std::string &vlan, const std::string &address, Location where)
{
	run("ip -batch - <<END\nlink add link " + netdev_ + " name " + vlan +
		    " type vlan id 77\naddress add " + address + " dev " + vlan + "\nlink set " +
		    vlan + " up\nEND",
	    where);
}

bool ExtraAdapter::vlans()
{
	(void)!std::system("modprobe -q 8021q");
	return std::filesystem::exists("/proc/net/vlan/config");
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
