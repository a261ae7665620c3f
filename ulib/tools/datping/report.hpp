// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The results of datping, for people and for programs.
 */
#pragma once

#include <string>

#include "client.hpp"
#include "server.hpp"

namespace ping {

/** Prints what the client measured. */
void print_report(const Hello &hello, const Report &report, const std::string &adapter,
		  const std::string &peer, bool json);

/** Prints what the server saw of one client. */
void print_served(const Served &served, const std::string &adapter, const std::string &peer,
		  bool json);

} // namespace ping
