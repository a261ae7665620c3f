// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "address.hpp"

#include <charconv>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <unistd.h>

#include <fmt/format.h>

#include "error.hpp"

namespace tools {

Address::Address(const sockaddr *addr)
{
	if (addr && addr->sa_family == AF_INET)
		std::memcpy(&storage_, addr, sizeof(sockaddr_in));
	else if (addr && addr->sa_family == AF_INET6)
		std::memcpy(&storage_, addr, sizeof(sockaddr_in6));
}

bool Address::valid() const
{
	return family() == AF_INET || family() == AF_INET6;
}

socklen_t Address::size() const
{
	return family() == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
}

std::string Address::text() const
{
	char host[NI_MAXHOST];

	if (!valid() ||
	    getnameinfo(get(), size(), host, sizeof(host), nullptr, 0, NI_NUMERICHOST) != 0)
		return "no address";
	return host;
}

static std::optional<std::uint64_t> parse_port(std::string_view text)
{
	std::uint64_t port = 0;
	auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), port);

	if (err != std::errc() || end != text.data() + text.size() || port == 0 || port > 65535)
		return std::nullopt;
	return port;
}

std::optional<HostPort> parse_host_port(std::string_view text)
{
	std::string_view host = text;
	std::string_view port;

	if (text.starts_with('[')) {
		auto close = text.find(']');
		if (close == std::string_view::npos)
			return std::nullopt;
		host = text.substr(1, close - 1);
		port = text.substr(close + 1);
	} else if (auto colon = text.find(':');
		   colon != std::string_view::npos && text.find(':', colon + 1) == text.npos) {
		/* More than one colon is an IPv6 address without a port. */
		host = text.substr(0, colon);
		port = text.substr(colon);
	}
	if (host.empty())
		return std::nullopt;
	if (port.empty())
		return HostPort{ std::string(host), std::nullopt };
	if (!port.starts_with(':'))
		return std::nullopt;
	auto number = parse_port(port.substr(1));
	if (!number)
		return std::nullopt;
	return HostPort{ std::string(host), number };
}

std::vector<Address> resolve(const std::string &host)
{
	std::vector<Address> addresses;
	addrinfo hints{};
	addrinfo *list = nullptr;

	hints.ai_family = AF_UNSPEC;
	hints.ai_socktype = SOCK_STREAM;
	int err = getaddrinfo(host.c_str(), nullptr, &hints, &list);
	if (err)
		throw Error(fmt::format("cannot find the address of '{}': {}", host,
					gai_strerror(err)));
	std::unique_ptr<addrinfo, void (*)(addrinfo *)> guard(list, freeaddrinfo);
	for (const addrinfo *entry = list; entry; entry = entry->ai_next)
		addresses.emplace_back(entry->ai_addr);
	return addresses;
}

std::optional<Address> source_address_for(const Address &peer)
{
	/*
	 * Connecting a datagram socket sends nothing; it only makes the kernel
	 * look up the route, and with it our address on it.
	 */
	sockaddr_storage storage{};
	Address target = peer;
	const in_port_t discard = htons(9);

	if (peer.family() == AF_INET6)
		reinterpret_cast<sockaddr_in6 *>(target.get())->sin6_port = discard;
	else
		reinterpret_cast<sockaddr_in *>(target.get())->sin_port = discard;

	int fd = socket(peer.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return std::nullopt;
	socklen_t len = sizeof(storage);
	bool ok = connect(fd, target.get(), target.size()) == 0 &&
		  getsockname(fd, reinterpret_cast<sockaddr *>(&storage), &len) == 0;
	close(fd);
	if (!ok)
		return std::nullopt;
	return Address(reinterpret_cast<const sockaddr *>(&storage));
}

} // namespace tools
