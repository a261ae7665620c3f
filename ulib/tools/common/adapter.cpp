// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "adapter.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "error.hpp"

namespace tools {

static constexpr const char *device = "/dev/kdapl";

/* Why no adapter can be asked for, as far as the device file tells. */
static Error no_module()
{
	int fd = open(device, O_RDWR | O_CLOEXEC);
	int err = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	switch (err) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		return Error(
			fmt::format("the kdapl module is not loaded ({} is not there): load it "
				    "as root with 'modprobe kdapl', or 'insmod kdapl.ko'",
				    device),
			Exit::NoAdapter);
	case EACCES:
	case EPERM:
		return Error(fmt::format("no permission to open {}: run as root, or give your user "
					 "access with the udev rule (group rdma)",
					 device),
			     Exit::NoAdapter);
	default:
		return Error(err ? errno_error(fmt::format("open {}", device), err).what() :
				   std::string("the kdapl module does not answer: its version does "
					       "not fit this library"),
			     Exit::NoAdapter);
	}
}

std::vector<std::string> list_adapters()
{
	std::vector<DAT_PROVIDER_INFO> infos(16);

	for (;;) {
		std::vector<DAT_PROVIDER_INFO *> pointers;
		DAT_COUNT count = 0;

		for (auto &info : infos)
			pointers.push_back(&info);
		DAT_RETURN ret = dat_registry_list_providers(
			static_cast<DAT_COUNT>(pointers.size()), &count, pointers.data());
		if (ret == DAT_SUCCESS) {
			std::vector<std::string> names;
			for (DAT_COUNT i = 0; i < count; i++)
				names.emplace_back(infos[i].ia_name);
			if (names.empty() && access(device, R_OK | W_OK) != 0)
				throw no_module();
			return names;
		}
		if (DAT_GET_TYPE(ret) == DAT_INTERNAL_ERROR)
			throw Error("the registry's file cannot be read: dat.conf, or what "
				    "DAT_OVERRIDE names (dat.conf(5))",
				    Exit::NoAdapter);
		if (DAT_GET_TYPE(ret) != DAT_INVALID_PARAMETER ||
		    count <= static_cast<DAT_COUNT>(infos.size()))
			throw no_module();
		infos.resize(count);
	}
}

/* The sentence for an adapter that is not there. */
static Error no_adapter(const std::string &name)
{
	auto names = list_adapters();

	if (names.empty())
		return Error(
			fmt::format("there is no adapter '{}', nor any other: create one, e.g. "
				    "'rdma link add rxe0 type rxe netdev eth0'",
				    name),
			Exit::NoAdapter);
	/* dat.conf lists what it likes. */
	if (std::find(names.begin(), names.end(), name) != names.end())
		return access(device, R_OK | W_OK) != 0 ?
			       no_module() :
			       Error(fmt::format("adapter '{}' is in dat.conf, but its provider or "
						 "its RDMA device is not there "
						 "(DAT_PROVIDER_NOT_FOUND)",
						 name),
				     Exit::NoAdapter);
	return Error(fmt::format("there is no adapter '{}' (DAT_PROVIDER_NOT_FOUND); those that "
				 "exist: {}",
				 name, fmt::join(names, ", ")),
		     Exit::NoAdapter);
}

Adapter::Adapter(const std::string &name) : name_(name)
{
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	constexpr DAT_COUNT async_events = 16;
	DAT_RETURN ret =
		dat_ia_open(const_cast<char *>(name.c_str()), async_events, &async, ia_.out());

	if (DAT_GET_TYPE(ret) == DAT_PROVIDER_NOT_FOUND ||
	    DAT_GET_TYPE(ret) == DAT_NAME_NOT_REGISTERED)
		throw no_adapter(name);
	if (ret != DAT_SUCCESS) {
		if (access(device, R_OK | W_OK) != 0)
			throw no_module();
		throw Error(fmt::format("cannot open adapter '{}': {}", name, dat_text(ret)),
			    Exit::NoAdapter);
	}
	check(dat_ia_query(ia(), nullptr, DAT_IA_FIELD_ALL, &attr_, DAT_PROVIDER_FIELD_ALL,
			   &provider_),
	      "query the adapter");
	check(dat_pz_create(ia(), pz_.out()), "make a protection zone");
}

std::optional<std::string> Adapter::named(std::string_view name) const
{
	for (DAT_COUNT i = 0; i < provider_.num_provider_specific_attr; i++) {
		const DAT_NAMED_ATTR &a = provider_.provider_specific_attr[i];
		if (a.name && a.value && name == a.name)
			return a.value;
	}
	return std::nullopt;
}

std::vector<std::string> Adapter::addresses() const
{
	/* The interface's own attribute has room for one only. */
	auto all = named("KDAPL_ADDRESSES");
	std::vector<std::string> list;

	if (all) {
		std::istringstream words(*all);
		for (std::string word; words >> word;)
			list.push_back(word);
	} else if (address().valid()) {
		list.push_back(address().text());
	}
	return list;
}

namespace {

/* An adapter that could be taken. */
struct Candidate {
	std::string name;
	std::vector<std::string> addresses;

	bool has(const std::string &address) const
	{
		return std::find(addresses.begin(), addresses.end(), address) != addresses.end();
	}
	/* An address of the kind that the peer has. */
	bool has_family(const Address &peer) const
	{
		return std::any_of(addresses.begin(), addresses.end(), [&](const auto &text) {
			bool v6 = text.find(':') != std::string::npos;
			return v6 == (peer.family() == AF_INET6);
		});
	}
};

struct Choice {
	const Candidate *adapter;
	Address peer;
};

/* Where packets to the peer leave from; adapters say no scope. Empty: there is no route. */
std::string source_text(const Address &peer)
{
	auto source = source_address_for(peer);

	return source ? source->text().substr(0, source->text().find('%')) : "";
}

/* The routes choose; where they lead to no adapter, the kind of address. */
std::optional<Choice> choose(const std::vector<Candidate> &adapters,
			     const std::vector<Address> &peers)
{
	for (const auto &peer : peers) {
		const std::string from = source_text(peer);
		for (const auto &adapter : adapters) {
			if (adapter.has(from))
				return Choice{ &adapter, peer };
		}
	}
	for (const auto &peer : peers) {
		for (const auto &adapter : adapters) {
			if (adapter.has_family(peer))
				return Choice{ &adapter, peer };
		}
	}
	return std::nullopt;
}

/* A line of the registry that leads to nothing is no reason to fail where another does. */
std::vector<std::string> addresses_of(const std::string &name, std::optional<Error> &failed)
{
	try {
		return Adapter(name).addresses();
	} catch (const Error &e) {
		if (!failed)
			failed = e;
		return {};
	}
}

/* What there is to choose from, and why others cannot be opened. */
struct Candidates {
	std::vector<Candidate> adapters;
	std::optional<Error> failed;
};

/* Of several that do not do, one that cannot be opened is what to see to first. */
Error none_fits(const Candidates &found, const std::string &what)
{
	if (found.failed)
		return *found.failed;
	return Error(fmt::format("none of the adapters ({}) has an address{}: give the network "
				 "device an address, or name an adapter with --ia",
				 fmt::join(list_adapters(), ", "), what),
		     Exit::NoAdapter);
}

/* The adapters that have addresses, as far as the one that has @enough. Throws when there is none.
 */
Candidates find_candidates(const std::string &enough)
{
	Candidates found;
	const auto names = list_adapters();

	if (names.empty())
		throw Error("there is no RDMA adapter: create one, e.g. "
			    "'rdma link add rxe0 type rxe netdev eth0'",
			    Exit::NoAdapter);
	for (const auto &name : names) {
		auto addresses = addresses_of(name, found.failed);
		if (addresses.empty())
			continue;
		found.adapters.push_back({ name, std::move(addresses) });
		if (found.adapters.back().has(enough))
			break;
	}
	if (found.adapters.empty())
		throw none_fits(found, "");
	return found;
}

void tell_choice(const std::string &name)
{
	const auto names = list_adapters();

	if (names.size() > 1)
		fmt::print(stderr, "using adapter {} (of {}; --ia chooses)\n", name,
			   fmt::join(names, ", "));
}

/* The peer's address that an adapter is likeliest to reach; the first one where none fits. */
Address peer_for(const Adapter &adapter, const std::vector<Address> &peers)
{
	const std::vector<Candidate> only{ { adapter.name(), adapter.addresses() } };
	auto choice = choose(only, peers);

	return choice ? choice->peer : peers.front();
}

} // namespace

Adapter open_adapter(const std::optional<std::string> &wanted)
{
	if (wanted)
		return Adapter(*wanted);
	const Candidates found = find_candidates("");
	const std::string &name = found.adapters.front().name;
	tell_choice(name);
	return Adapter(name);
}

Route open_route(const std::optional<std::string> &wanted, const std::vector<Address> &peers)
{
	if (wanted) {
		Adapter adapter(*wanted);
		const Address peer = peer_for(adapter, peers);
		return { std::move(adapter), peer };
	}
	const Candidates found = find_candidates(source_text(peers.front()));
	auto choice = choose(found.adapters, peers);
	if (!choice)
		throw none_fits(found, " that fits " + peers.front().text());
	tell_choice(choice->adapter->name);
	return { Adapter(choice->adapter->name), choice->peer };
}

} // namespace tools
