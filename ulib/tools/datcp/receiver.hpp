// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The side of datcp that gets the files.
 */
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "../common/listener.hpp"
#include "link.hpp"
#include "report.hpp"

namespace copy {

/** Where files go. */
struct ReceiveJob {
	std::string directory;
	/** The name to give to the one file, whatever the sender calls it. */
	std::optional<std::string> name;
	bool replace;
	Patience patience;
	bool progress;
	/** Called for every file that is complete. */
	std::function<void(const Copied &, Mode)> copied;
};

/**
 * Receives what one sender sends, until it says Bye; returns how the data came.
 * Throws when the sender is refused, breaks off, or does not keep to the
 * protocol; complete files stay, others leave no trace.
 */
Mode receive_files(const tools::Adapter &adapter, tools::Request request, const ReceiveJob &job);

} // namespace copy
