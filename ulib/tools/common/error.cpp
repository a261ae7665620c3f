// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "error.hpp"

#include <system_error>

#include <fmt/format.h>

namespace tools {

std::string dat_text(DAT_RETURN ret)
{
	const char *major = nullptr;
	const char *minor = nullptr;

	if (dat_strerror(ret, &major, &minor) != DAT_SUCCESS)
		return fmt::format("unknown DAT result {:#x}", ret);
	if (DAT_GET_SUBTYPE(ret) == DAT_NO_SUBTYPE || !minor || !*minor)
		return major;
	return fmt::format("{} ({})", major, minor);
}

void check(DAT_RETURN ret, std::string_view what)
{
	if (ret != DAT_SUCCESS)
		throw Error(fmt::format("cannot {}: {}", what, dat_text(ret)));
}

std::string_view dto_text(DAT_DTO_COMPLETION_STATUS status)
{
	switch (status) {
	case DAT_DTO_SUCCESS:
		return "success";
	case DAT_DTO_ERR_FLUSHED:
		return "flushed, because the connection went down";
	case DAT_DTO_ERR_LOCAL_LENGTH:
		return "the message is longer than the receive buffer";
	case DAT_DTO_ERR_LOCAL_EP:
		return "the local endpoint is inconsistent";
	case DAT_DTO_ERR_LOCAL_PROTECTION:
		return "the local buffer may not be used like this";
	case DAT_DTO_ERR_BAD_RESPONSE:
		return "the peer's device answered with something unexpected";
	case DAT_DTO_ERR_REMOTE_ACCESS:
		return "the peer does not allow this access to its memory";
	case DAT_DTO_ERR_REMOTE_RESPONDER:
		return "the peer's device could not carry it out";
	case DAT_DTO_ERR_TRANSPORT:
		return "the transport gave up: the peer does not answer";
	case DAT_DTO_ERR_RECEIVER_NOT_READY:
		return "the peer had no receive posted";
	case DAT_DTO_ERR_PARTIAL_PACKET:
		return "only part of a packet arrived";
	case DAT_RMR_OPERATION_FAILED:
		return "the bind failed";
	}
	return "unknown completion status";
}

Error errno_error(std::string_view what, int err)
{
	return Error(fmt::format("cannot {}: {}", what, std::generic_category().message(err)));
}

std::string printable(std::string_view text)
{
	std::string out;

	for (unsigned char c : text) {
		if (c < 0x20 || c >= 0x7f)
			out += fmt::format("\\x{:02x}", c);
		else
			out += static_cast<char>(c);
	}
	return out;
}

} // namespace tools
