// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Failures of a tool: an exception that carries the sentence to print and the
 * exit code to leave with.
 */
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <dat/udat.h>

namespace tools {

/** What the exit code of every tool means. */
enum class Exit : int {
	Ok = 0,
	Failed = 1, /**< the transfer, or the check of what arrived, failed */
	Usage = 2, /**< the command line makes no sense */
	NoAdapter = 3, /**< module not loaded, not permitted, or no such adapter */
};

/** Ends what the tool is doing. what() is a sentence for the user. */
class Error : public std::runtime_error {
public:
	explicit Error(const std::string &sentence, Exit code = Exit::Failed)
		: std::runtime_error(sentence), code_(code)
	{
	}

	Exit code() const { return code_; }

private:
	Exit code_;
};

/** A DAT result in words, e.g. "DAT_INVALID_STATE (DAT_EVD_IN_USE)". */
std::string dat_text(DAT_RETURN ret);

/** Throws an Error "cannot WHAT: ..." unless ret is DAT_SUCCESS. */
void check(DAT_RETURN ret, std::string_view what);

/** The status of a completed transfer in words. */
std::string_view dto_text(DAT_DTO_COMPLETION_STATUS status);

/** An Error "cannot WHAT: ..." with the text of errno, to be thrown. */
Error errno_error(std::string_view what, int err);

/** Text that a peer sent, with everything a terminal would obey taken out. */
std::string printable(std::string_view text);

} // namespace tools
