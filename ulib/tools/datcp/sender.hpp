// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side of datcp that has the files.
 */
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "link.hpp"
#include "report.hpp"

namespace copy {

/** What to send where. */
struct SendJob {
	std::vector<std::string> files;
	tools::Address peer;
	DAT_CONN_QUAL port;
	Hello how;
	Patience patience;
	bool progress;
	/** Called for every file that arrived. */
	std::function<void(const Copied &)> copied;
};

/** Sends all files over one connection. Throws when one does not arrive. */
void send_files(const tools::Adapter &adapter, const SendJob &job);

/** Throws a usage error unless every path is a file that can be read. */
void check_sources(const std::vector<std::string> &files);

} // namespace copy
