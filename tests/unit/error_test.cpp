// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Errors: how errnos and engine results become DAT results, and their names.

#include "dat_version.hpp"
#include "face/face.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace {

using kdapl::ErrnoMeaning;
using kdapl::from_errno;
using kdapl::Sub;
using kdapl::Type;

/** The enumerators of the public header, so that none can be forgotten here. */
std::vector<std::pair<std::string, DAT_RETURN>> enumerators(const std::string &first,
							    const std::string &last)
{
	std::ifstream header(DAT_ERROR_HEADER);
	const std::regex line_with_value(R"(^\s*(DAT_\w+) = (0x[0-9a-f]+))");
	std::vector<std::pair<std::string, DAT_RETURN>> found;
	bool inside = false;
	std::smatch match;

	for (std::string line; std::getline(header, line);) {
		inside = inside || line.find(first) != std::string::npos;
		if (line.find(last) != std::string::npos)
			break;
		if (inside && std::regex_search(line, match, line_with_value))
			found.emplace_back(match[1], static_cast<DAT_RETURN>(
							     std::stoul(match[2], nullptr, 0)));
	}
	return found;
}

TEST(Strerror, EveryTypeByItsName)
{
	const auto types = enumerators("enum dat_return_type", "DAT_RETURN_TYPE;");
	ASSERT_EQ(types.size(), fake::result_types);
	for (const auto &[name, value] : types) {
		const char *major = nullptr, *minor = nullptr;
		ASSERT_EQ(dat_strerror(value, &major, &minor), DAT_SUCCESS) << name;
		EXPECT_EQ(major, name);
		EXPECT_STREQ(minor, "");
		ASSERT_EQ(dat_strerror(DAT_CLASS_ERROR | value, &major, &minor), DAT_SUCCESS)
			<< name;
		EXPECT_EQ(major, name);
		ASSERT_EQ(dat_strerror(DAT_CLASS_WARNING | value, &major, &minor), DAT_SUCCESS)
			<< name;
		EXPECT_EQ(major, name);
	}
}

TEST(Strerror, EverySubtypeByItsName)
{
	const auto subtypes = enumerators("enum dat_return_subtype", "DAT_RETURN_SUBTYPE;");
	ASSERT_EQ(subtypes.size(), fake::result_subtypes);
	for (const auto &[name, value] : subtypes) {
		const char *major = nullptr, *minor = nullptr;
		ASSERT_EQ(dat_strerror(DAT_ERROR(DAT_INVALID_STATE, value), &major, &minor),
			  DAT_SUCCESS)
			<< name;
		EXPECT_STREQ(major, "DAT_INVALID_STATE");
		EXPECT_EQ(minor, value ? name : "");
	}
}

TEST(Strerror, UndefinedResultsAreRefused)
{
	const char *major, *minor;

	EXPECT_EQ(dat_strerror(DAT_ERROR(fake::no_type, 0), &major, &minor),
		  DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	EXPECT_EQ(dat_strerror(DAT_ERROR(DAT_INVALID_STATE, fake::result_subtypes), &major, &minor),
		  DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	EXPECT_EQ(dat_strerror(DAT_SUCCESS, nullptr, &minor),
		  DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_EQ(dat_strerror(DAT_SUCCESS, &major, nullptr),
		  DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
}

struct SubRow {
	Sub sub;
	DAT_RETURN_SUBTYPE want;
};

const SubRow sub_rows[] = {
	{ Sub::none, DAT_NO_SUBTYPE },
	{ Sub::resource_memory, DAT_RESOURCE_MEMORY },
	{ Sub::resource_device, DAT_RESOURCE_DEVICE },
	{ Sub::resource_tep, DAT_RESOURCE_TEP },
	{ Sub::resource_tevd, DAT_RESOURCE_TEVD },
	{ Sub::resource_protection_domain, DAT_RESOURCE_PROTECTION_DOMAIN },
	{ Sub::resource_memory_region, DAT_RESOURCE_MEMORY_REGION },
	{ Sub::resource_credits, DAT_RESOURCE_CREDITS },
	{ Sub::resource_srq, DAT_RESOURCE_SRQ },
	{ Sub::handle_ia, DAT_INVALID_HANDLE_IA },
	{ Sub::handle_ep, DAT_INVALID_HANDLE_EP },
	{ Sub::handle_lmr, DAT_INVALID_HANDLE_LMR },
	{ Sub::handle_pz, DAT_INVALID_HANDLE_PZ },
	{ Sub::handle_psp, DAT_INVALID_HANDLE_PSP },
	{ Sub::handle_rsp, DAT_INVALID_HANDLE_RSP },
	{ Sub::handle_cr, DAT_INVALID_HANDLE_CR },
	{ Sub::handle_rmr, DAT_INVALID_HANDLE_RMR },
	{ Sub::handle_cno, DAT_INVALID_HANDLE_CNO },
	{ Sub::handle_evd_cr, DAT_INVALID_HANDLE_EVD_CR },
	{ Sub::handle_evd_request, DAT_INVALID_HANDLE_EVD_REQUEST },
	{ Sub::handle_evd_recv, DAT_INVALID_HANDLE_EVD_RECV },
	{ Sub::handle_evd_conn, DAT_INVALID_HANDLE_EVD_CONN },
	{ Sub::handle_evd_async, DAT_INVALID_HANDLE_EVD_ASYNC },
	{ Sub::handle_srq, DAT_INVALID_HANDLE_SRQ },
	{ Sub::handle_csp, fake::handle_csp },
	{ Sub::handle1, DAT_INVALID_HANDLE1 },
	{ Sub::handle2, DAT_INVALID_HANDLE2 },
	{ Sub::arg1, DAT_INVALID_ARG1 },
	{ Sub::arg2, DAT_INVALID_ARG2 },
	{ Sub::arg3, DAT_INVALID_ARG3 },
	{ Sub::arg4, DAT_INVALID_ARG4 },
	{ Sub::arg5, DAT_INVALID_ARG5 },
	{ Sub::arg6, DAT_INVALID_ARG6 },
	{ Sub::arg7, DAT_INVALID_ARG7 },
	{ Sub::arg8, DAT_INVALID_ARG8 },
	{ Sub::arg9, DAT_INVALID_ARG9 },
	{ Sub::ep_unconnected, DAT_INVALID_STATE_EP_UNCONNECTED },
	{ Sub::ep_active_pending, DAT_INVALID_STATE_EP_ACTCONNPENDING },
	{ Sub::ep_passive_pending, DAT_INVALID_STATE_EP_PASSCONNPENDING },
	{ Sub::ep_tentative_pending, DAT_INVALID_STATE_EP_TENTCONNPENDING },
	{ Sub::ep_connected, DAT_INVALID_STATE_EP_CONNECTED },
	{ Sub::ep_disconnected, DAT_INVALID_STATE_EP_DISCONNECTED },
	{ Sub::ep_reserved, DAT_INVALID_STATE_EP_RESERVED },
	{ Sub::ep_completion_pending, DAT_INVALID_STATE_EP_COMPLPENDING },
	{ Sub::ep_disconnect_pending, DAT_INVALID_STATE_EP_DISCPENDING },
	{ Sub::ep_not_ready, DAT_INVALID_STATE_EP_NOTREADY },
	{ Sub::cno_in_use, DAT_INVALID_STATE_CNO_IN_USE },
	{ Sub::evd_unwaitable, DAT_INVALID_STATE_EVD_UNWAITABLE },
	{ Sub::evd_in_use, DAT_INVALID_STATE_EVD_IN_USE },
	{ Sub::evd_waiter, DAT_INVALID_STATE_EVD_WAITER },
	{ Sub::evd_config_notify, DAT_INVALID_STATE_EVD_CONFIG_NOTIFY },
	{ Sub::evd_config_solicited, DAT_INVALID_STATE_EVD_CONFIG_SOLICITED },
	{ Sub::ia_in_use, DAT_INVALID_STATE_IA_IN_USE },
	{ Sub::lmr_in_use, DAT_INVALID_STATE_LMR_IN_USE },
	{ Sub::pz_in_use, DAT_INVALID_STATE_PZ_IN_USE },
	{ Sub::srq_in_use, DAT_INVALID_STATE_SRQ_IN_USE },
	{ Sub::privileges_read, DAT_PRIVILEGES_READ },
	{ Sub::privileges_write, DAT_PRIVILEGES_WRITE },
	{ Sub::protection_read, DAT_PROTECTION_READ },
	{ Sub::protection_write, DAT_PROTECTION_WRITE },
	{ Sub::address_unsupported, DAT_INVALID_ADDRESS_UNSUPPORTED },
	{ Sub::address_unreachable, DAT_INVALID_ADDRESS_UNREACHABLE },
	{ Sub::address_malformed, DAT_INVALID_ADDRESS_MALFORMED },
	{ Sub::name_not_registered, DAT_NAME_NOT_REGISTERED },
	{ Sub::major_not_found, DAT_MAJOR_NOT_FOUND },
	{ Sub::minor_not_found, DAT_MINOR_NOT_FOUND },
};

TEST(Errors, EveryEngineSubtypeHasItsNumber)
{
	ASSERT_EQ(std::size(sub_rows), static_cast<std::size_t>(Sub::minor_not_found) + 1);

	for (const SubRow &row : sub_rows)
		EXPECT_EQ(face::to_dat(fail(Type::invalid_state, row.sub)),
			  DAT_ERROR(DAT_INVALID_STATE, row.want));
	EXPECT_EQ(face::to_dat(kdapl::success), DAT_SUCCESS);
	EXPECT_EQ(face::to_dat(fail(Type::queue_empty)), fake::queue_empty);
	EXPECT_EQ(face::to_dat(fail(Type::port_in_use)), DAT_ERROR(fake::port_in_use, 0));
}

TEST(Errors, EveryErrnoOfTheContract)
{
	const ErrnoMeaning meaning = { .object = Sub::handle_pz,
				       .busy = Sub::pz_in_use,
				       .limit = Sub::resource_tep,
				       .state = Sub::ep_connected };
	struct Row {
		int err;
		DAT_RETURN want;
	};
	const Row rows[] = {
		{ 0, DAT_SUCCESS },
		{ ENOTTY, DAT_ERROR(DAT_NOT_IMPLEMENTED, 0) },
		{ E2BIG, DAT_ERROR(DAT_INVALID_PARAMETER, 0) },
		{ EINVAL, DAT_ERROR(DAT_INVALID_PARAMETER, 0) },
		{ EFAULT, DAT_ERROR(DAT_INVALID_PARAMETER, 0) },
		{ EMSGSIZE, DAT_ERROR(DAT_INVALID_PARAMETER, 0) },
		{ ENOENT, DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ) },
		{ EBADFD, DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_EP_CONNECTED) },
		{ EBUSY, DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE) },
		{ EPERM, DAT_ERROR(DAT_PROTECTION_VIOLATION, 0) },
		{ EACCES, DAT_ERROR(DAT_PRIVILEGES_VIOLATION, 0) },
		{ ENOMEM, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY) },
		{ EMFILE, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, 0) },
		{ ENFILE, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, 0) },
		{ EPROTONOSUPPORT, DAT_ERROR(fake::comm_not_supported, 0) },
		{ EDQUOT, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP) },
		{ ENOSPC, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEP) },
		{ ENODEV, DAT_ERROR(DAT_INTERNAL_ERROR, 0) },
		{ EOPNOTSUPP, DAT_ERROR(DAT_MODEL_NOT_SUPPORTED, 0) },
		{ EADDRINUSE, DAT_ERROR(DAT_CONN_QUAL_IN_USE, 0) },
		{ EADDRNOTAVAIL, DAT_ERROR(DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNREACHABLE) },
		{ ENOBUFS, DAT_ERROR(DAT_QUEUE_FULL, 0) },
		{ ETIMEDOUT, DAT_ERROR(DAT_TIMEOUT_EXPIRED, 0) },
		{ EINTR, DAT_ERROR(DAT_INTERRUPTED_CALL, 0) },
		{ ECANCELED, DAT_ERROR(DAT_ABORT, 0) },
	};

	for (const Row &row : rows)
		EXPECT_EQ(face::to_dat(from_errno(row.err, meaning)), row.want) << row.err;
}

} // namespace
