// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Addresses as the module tells them, and as programs see them. */
#pragma once

#include "errors.hpp"
#include "uapi/kdapl.h"

#include <cstdint>
#include <string>
#include <sys/socket.h>

namespace kdapl {

/**
 * A socket address that programs may compare byte by byte: what the family does
 * not use is zero. The port is left out: DAT tells it apart.
 */
sockaddr_storage to_sockaddr(const kdapl_addr &addr) noexcept;

/** The other way round. INVALID_ADDRESS for other families than IPv4 and IPv6. */
Status from_sockaddr(const sockaddr *address, kdapl_addr &addr) noexcept;

/** The port of an address of IPv4 or IPv6, in host order. @{ */
std::uint16_t port_of(const sockaddr *address) noexcept;
void set_port(sockaddr_storage &address, std::uint16_t port) noexcept;
/** @} */

/** In words, as inet_ntop(3) writes it; empty for no address. */
std::string to_text(const kdapl_addr &addr);

} // namespace kdapl
