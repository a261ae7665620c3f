// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "address.hpp"

#include <arpa/inet.h>
#include <cstddef>
#include <cstring>
#include <netinet/in.h>

namespace kdapl {

sockaddr_storage to_sockaddr(const kdapl_addr &addr) noexcept
{
	sockaddr_storage storage{};

	if (addr.family == AF_INET) {
		sockaddr_in in{};
		in.sin_family = AF_INET;
		std::memcpy(&in.sin_addr, addr.addr, sizeof in.sin_addr);
		std::memcpy(&storage, &in, sizeof in);
	} else if (addr.family == AF_INET6) {
		sockaddr_in6 in6{};
		in6.sin6_family = AF_INET6;
		in6.sin6_scope_id = addr.scope_id;
		std::memcpy(&in6.sin6_addr, addr.addr, sizeof in6.sin6_addr);
		std::memcpy(&storage, &in6, sizeof in6);
	}
	return storage;
}

Status from_sockaddr(const sockaddr *address, kdapl_addr &addr) noexcept
{
	addr = {};
	if (address->sa_family == AF_INET) {
		sockaddr_in in;
		std::memcpy(&in, address, sizeof in);
		std::memcpy(addr.addr, &in.sin_addr, sizeof in.sin_addr);
	} else if (address->sa_family == AF_INET6) {
		sockaddr_in6 in6;
		std::memcpy(&in6, address, sizeof in6);
		std::memcpy(addr.addr, &in6.sin6_addr, sizeof in6.sin6_addr);
		addr.scope_id = in6.sin6_scope_id;
	} else {
		return fail(Type::invalid_address, Sub::address_unsupported);
	}
	addr.family = address->sa_family;
	return success;
}

static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));

std::uint16_t port_of(const sockaddr *address) noexcept
{
	in_port_t port;

	std::memcpy(&port,
		    reinterpret_cast<const char *>(address) + offsetof(sockaddr_in, sin_port),
		    sizeof port);
	return ntohs(port);
}

void set_port(sockaddr_storage &address, std::uint16_t port) noexcept
{
	const in_port_t there = htons(port);

	std::memcpy(reinterpret_cast<char *>(&address) + offsetof(sockaddr_in, sin_port), &there,
		    sizeof there);
}

std::string to_text(const kdapl_addr &addr)
{
	char text[INET6_ADDRSTRLEN];

	if (!addr.family || !inet_ntop(addr.family, addr.addr, text, sizeof text))
		return {};
	return text;
}

} // namespace kdapl
