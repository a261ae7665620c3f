// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Internet addresses: names to addresses, addresses to text, and which of our
 * own addresses a packet to a peer would leave from.
 */
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/socket.h>

namespace tools {

/** An IPv4 or IPv6 address (its port is not used). */
class Address {
public:
	Address() = default;
	/** Copies what an adapter's or a request's address pointer shows. */
	explicit Address(const sockaddr *addr);

	/** Whether there is an address at all. */
	bool valid() const;
	int family() const { return storage_.ss_family; }
	/** The form that dat_ep_connect() takes. */
	sockaddr *get() { return reinterpret_cast<sockaddr *>(&storage_); }
	const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&storage_); }
	socklen_t size() const;
	/** Numeric text, e.g. "192.0.2.1" or "fe80::1%eth0". */
	std::string text() const;

private:
	sockaddr_storage storage_{};
};

/** A peer as the user wrote it. */
struct HostPort {
	std::string host;
	std::optional<std::uint64_t> port;
};

/**
 * Takes "HOST", "HOST:PORT", "[V6]:PORT" or a bare IPv6 address apart.
 * Returns nothing when the text is none of these.
 */
std::optional<HostPort> parse_host_port(std::string_view text);

/** The addresses of a host, by name or number, best first. Throws when there is none. */
std::vector<Address> resolve(const std::string &host);

/** Our own address that the routes choose for packets to the peer. */
std::optional<Address> source_address_for(const Address &peer);

} // namespace tools
