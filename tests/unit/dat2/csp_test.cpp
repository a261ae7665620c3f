// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// CSPs: service points by a socket address.

#include "fake/session.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cerrno>
#include <cstring>

namespace {

using fake::is_error;

class CspTest : public fake::Session {
protected:
	static sockaddr_in address(std::uint16_t port)
	{
		sockaddr_in in{};

		in.sin_family = AF_INET;
		in.sin_addr.s_addr = htonl(0x0a000007);
		in.sin_port = htons(port);
		return in;
	}
	DAT_RETURN create(sockaddr_in at, DAT_COMM kind = { AF_INET, SOCK_STREAM, IPPROTO_TCP })
	{
		return dat_csp_create(ia, &kind, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&at),
				      conn_evd, &csp);
	}
	/** What is told of it. */
	DAT_CSP_PARAM query()
	{
		DAT_CSP_PARAM param{};

		EXPECT_EQ(dat_csp_query(csp, DAT_CSP_FIELD_ALL, &param), DAT_SUCCESS);
		return param;
	}
	/** The port that is told of one of IPv4. */
	unsigned told_port()
	{
		sockaddr_in in{};

		std::memcpy(&in, query().address_ptr, sizeof in);
		return ntohs(in.sin_port);
	}

	DAT_CSP_HANDLE csp = DAT_HANDLE_NULL;
};

TEST_F(CspTest, ListensOnItsAddress)
{
	const unsigned char bytes[] = { 10, 0, 0, 7 };
	DAT_HANDLE_TYPE type;

	ASSERT_EQ(create(address(4711)), DAT_SUCCESS);
	const kdapl_csp_create &asked = module.csp_asked;
	EXPECT_EQ(asked.evd, conn_evd_id);
	EXPECT_EQ(asked.domain, static_cast<unsigned>(AF_INET));
	EXPECT_EQ(asked.type, static_cast<unsigned>(SOCK_STREAM));
	EXPECT_EQ(asked.protocol, static_cast<unsigned>(IPPROTO_TCP));
	EXPECT_EQ(asked.addr.family, AF_INET);
	EXPECT_EQ(asked.addr.port, 4711);
	EXPECT_EQ(std::memcmp(asked.addr.addr, bytes, sizeof bytes), 0);
	ASSERT_EQ(dat_get_handle_type(csp, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_CSP);

	const DAT_CSP_PARAM param = query();
	EXPECT_EQ(param.ia_handle, ia);
	EXPECT_EQ(param.evd_handle, conn_evd);
	EXPECT_EQ(param.comm->domain, AF_INET);
	EXPECT_EQ(param.comm->type, SOCK_STREAM);
	EXPECT_EQ(param.comm->protocol, IPPROTO_TCP);
	const sockaddr_in same = address(4711);
	EXPECT_EQ(std::memcmp(param.address_ptr, &same, sizeof same), 0);
}

TEST_F(CspTest, TellsThePortThatWasChosen)
{
	ASSERT_EQ(create(address(0)), DAT_SUCCESS);
	EXPECT_EQ(module.csp_asked.addr.port, 0);
	EXPECT_EQ(told_port(), 49153u);
}

TEST_F(CspTest, ListensByIpv6)
{
	DAT_COMM kind = { AF_INET6, SOCK_STREAM, 0 };
	sockaddr_in6 in6{}, told{};

	in6.sin6_family = AF_INET6;
	in6.sin6_addr.s6_addr[0] = 0xfe;
	in6.sin6_addr.s6_addr[1] = 0x80;
	in6.sin6_addr.s6_addr[15] = 9;
	in6.sin6_scope_id = 3;
	in6.sin6_port = htons(4712);
	ASSERT_EQ(dat_csp_create(ia, &kind, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&in6), conn_evd,
				 &csp),
		  DAT_SUCCESS);
	EXPECT_EQ(module.csp_asked.addr.scope_id, 3u);
	EXPECT_EQ(module.csp_asked.addr.port, 4712);
	std::memcpy(&told, query().address_ptr, sizeof told);
	EXPECT_EQ(std::memcmp(&told, &in6, sizeof told), 0);
}

TEST_F(CspTest, ItsRequestsNameIt)
{
	kdapl_event request{};
	DAT_EVENT event{};

	ASSERT_EQ(create(address(4711)), DAT_SUCCESS);
	request.user = module.psp_user(module.last_id());
	request.type = DAT_CONNECTION_REQUEST_EVENT;
	request.cookie = 4711;
	request.length = 1000001;
	module.post(conn_evd_id, request);
	ASSERT_EQ(dat_evd_dequeue(conn_evd, &event), DAT_SUCCESS);
	const auto &arrival = event.event_data.cr_arrival_event_data;
	EXPECT_EQ(arrival.sp_handle.csp_handle, csp);
	EXPECT_EQ(arrival.conn_qual, 4711u);
	ASSERT_EQ(dat_csp_free(csp), DAT_SUCCESS);
	EXPECT_EQ(dat_cr_accept(arrival.cr_handle, ep, 0, nullptr), DAT_SUCCESS)
		<< "what was delivered outlives the service point";
	EXPECT_EQ(module.accepted.cr, 1000001u);
}

TEST_F(CspTest, IsFreedOnce)
{
	ASSERT_EQ(create(address(4711)), DAT_SUCCESS);
	const std::uint32_t id = module.last_id();
	EXPECT_TRUE(is_error(dat_psp_free(csp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PSP));
	EXPECT_TRUE(module.exists(id));
	EXPECT_EQ(dat_csp_free(csp), DAT_SUCCESS);
	EXPECT_FALSE(module.exists(id));
	EXPECT_TRUE(is_error(dat_csp_free(csp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CSP));
}

/* Without this the adapter's file would stay open. */
TEST_F(CspTest, GoesWithItsAdapter)
{
	ASSERT_EQ(create(address(4711)), DAT_SUCCESS);
	ASSERT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	ia = DAT_HANDLE_NULL;
	EXPECT_FALSE(module.file_open);
	EXPECT_TRUE(is_error(dat_csp_free(csp), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CSP));
}

TEST_F(CspTest, OtherKindsOfSocketsAreRefused)
{
	sockaddr_in local = address(1);

	for (const DAT_COMM kind :
	     { DAT_COMM{ AF_UNIX, SOCK_STREAM, 0 }, DAT_COMM{ AF_INET, SOCK_DGRAM, 0 },
	       DAT_COMM{ AF_INET, SOCK_STREAM, IPPROTO_UDP } })
		EXPECT_TRUE(is_error(create(address(1), kind), DAT_COMM_NOT_SUPPORTED));
	EXPECT_TRUE(is_error(create(address(1), { AF_INET6, SOCK_STREAM, 0 }),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_EQ(module.calls(KDAPL_CSP_CREATE), 4u);
	local.sin_family = AF_UNIX;
	EXPECT_TRUE(is_error(create(local), DAT_COMM_NOT_SUPPORTED));
	EXPECT_EQ(module.calls(KDAPL_CSP_CREATE), 4u);
}

TEST_F(CspTest, WhatTheModuleRefuses)
{
	struct Row {
		int err;
		DAT_RETURN want;
	};
	const Row rows[] = {
		{ EADDRINUSE, DAT_ERROR(DAT_PORT_IN_USE, 0) },
		{ EADDRNOTAVAIL, DAT_ERROR(DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNREACHABLE) },
		{ EACCES, DAT_ERROR(DAT_PRIVILEGES_VIOLATION, 0) },
		{ ENOENT, DAT_ERROR(DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR) },
		{ ENOSPC, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE) },
		{ ENOTTY, DAT_ERROR(DAT_NOT_IMPLEMENTED, 0) },
	};

	for (const Row &row : rows) {
		module.fail_next(KDAPL_CSP_CREATE, row.err);
		EXPECT_EQ(create(address(4711)), row.want) << row.err;
	}
	EXPECT_EQ(csp, DAT_HANDLE_NULL);
}

TEST_F(CspTest, ChecksItsArguments)
{
	DAT_COMM kind = { AF_INET, SOCK_STREAM, 0 };
	sockaddr_in in = address(4711);
	const auto at = reinterpret_cast<DAT_IA_ADDRESS_PTR>(&in);
	DAT_CSP_PARAM param;

	EXPECT_TRUE(is_error(dat_csp_create(pz, &kind, at, conn_evd, &csp), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_csp_create(ia, nullptr, at, conn_evd, &csp), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_csp_create(ia, &kind, nullptr, conn_evd, &csp),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	for (const DAT_HANDLE evd : { DAT_HANDLE_NULL, dto_evd, pz })
		EXPECT_TRUE(is_error(dat_csp_create(ia, &kind, at, evd, &csp), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE_EVD_CR));
	EXPECT_TRUE(is_error(dat_csp_create(ia, &kind, at, conn_evd, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	EXPECT_EQ(module.calls(KDAPL_CSP_CREATE), 0u);

	ASSERT_EQ(create(in), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_csp_query(ia, DAT_CSP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_CSP));
	EXPECT_TRUE(is_error(dat_csp_query(csp, static_cast<DAT_CSP_PARAM_MASK>(0x10), &param),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_csp_query(csp, DAT_CSP_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_csp_free(conn_evd), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CSP));
	EXPECT_TRUE(is_error(dat_csp_free(DAT_HANDLE_NULL), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_CSP));
}

} // namespace
