// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cr_query(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "private_data.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

#include <netinet/in.h>

namespace suite {
namespace {

/** A request with private data. */
struct Scene {
	Scene() : listener(adapter), active(adapter)
	{
		ok(active.connect(adapter.address(), listener.qual(), "a word"));
		cr = listener.request();
	}
	~Scene() { dat_cr_reject(cr); }

	Adapter adapter;
	Listener listener;
	Endpoint active;
	DAT_CR_HANDLE cr = DAT_HANDLE_NULL;
};

void with_scene(void (*body)(Scene &))
{
	play([body](Line &) {
		Scene scene;

		body(scene);
	});
}

/* "provides remote_ia_address and remote_port_qual": those of the requesting endpoint */
TEST(DatCrQuery, UsageTheRemoteEndpoint)
{
	with_scene([](Scene &s) {
		DAT_CR_PARAM param;
		DAT_EP_PARAM active;

		ok(dat_cr_query(s.cr, DAT_CR_FIELD_REMOTE_IA_ADDRESS_PTR, &param));
		auto remote = reinterpret_cast<sockaddr_in *>(param.remote_ia_address_ptr);
		auto own = reinterpret_cast<sockaddr_in *>(s.adapter.address());
		EXPECT_EQ(remote->sin_family, AF_INET);
		EXPECT_EQ(remote->sin_addr.s_addr, own->sin_addr.s_addr);
		ok(dat_cr_query(s.cr, DAT_CR_FIELD_REMOTE_PORT_QUAL, &param));
		ok(dat_ep_query(s.active.ep(), DAT_EP_FIELD_LOCAL_PORT_QUAL, &active));
		EXPECT_EQ(param.remote_port_qual, active.local_port_qual);
	});
}

/* "remote peer private_data and its size" */
TEST(DatCrQuery, UsagePrivateData)
{
	with_scene([](Scene &s) {
		DAT_CR_PARAM param;

		ok(dat_cr_query(s.cr, DAT_CR_FIELD_PRIVATE_DATA_SIZE | DAT_CR_FIELD_PRIVATE_DATA,
				&param));
		require_private_data(param.private_data, param.private_data_size, "a word");
	});
}

/* What it points to lasts as long as the request. */
TEST(DatCrQuery, UsageItsMemoryLasts)
{
	with_scene([](Scene &s) {
		Endpoint other(s.adapter);
		DAT_CR_PARAM first, second;

		ok(dat_cr_query(s.cr, DAT_CR_FIELD_ALL, &first));
		ok(other.connect(s.adapter.address(), s.listener.qual(), "another"));
		DAT_CR_HANDLE cr = s.listener.request();
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &second));
		s.listener.free();
		require_private_data(first.private_data, first.private_data_size, "a word");
		require_private_data(second.private_data, second.private_data_size, "another");
		ok(dat_cr_reject(cr));
	});
}

/* "a local Endpoint if it was allocated by the Provider" */
TEST(DatCrQuery, UsageTheLocalEndpointOfTheProvider)
{
	play([](Line &) {
		Adapter adapter;
		Maker maker(adapter);
		DAT_EP_HANDLE ep;
		DAT_CR_PARAM param;

		DAT_CR_HANDLE cr = maker.request(ep);
		ok(dat_cr_query(cr, DAT_CR_FIELD_LOCAL_EP_HANDLE, &param));
		EXPECT_EQ(param.local_ep_handle, ep);
		Maker::require_state(ep, DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
		ok(dat_cr_reject(cr));
	});
}

/* That of an RSP is the consumer's own. */
TEST(DatCrQuery, UsageTheLocalEndpointOfAnRsp)
{
	play([](Line &) {
		Adapter adapter;
		Reserved r(adapter);
		DAT_CR_PARAM param;

		DAT_CR_HANDLE cr = r.request();
		ok(dat_cr_query(cr, DAT_CR_FIELD_LOCAL_EP_HANDLE, &param));
		EXPECT_EQ(param.local_ep_handle, r.passive.ep());
		ok(dat_cr_reject(cr));
	});
}

/* A PSP with DAT_PSP_CONSUMER_FLAG has none. */
TEST(DatCrQuery, UsageNoLocalEndpoint)
{
	with_scene([](Scene &s) {
		DAT_CR_PARAM param;

		ok(dat_cr_query(s.cr, DAT_CR_FIELD_LOCAL_EP_HANDLE, &param));
		EXPECT_EQ(param.local_ep_handle, DAT_HANDLE_NULL);
	});
}

/* "The cr_handle handle is invalid." */
TEST(DatCrQuery, ReturnValuesInvalidHandle)
{
	with_scene([](Scene &s) {
		DAT_CR_PARAM param;

		for (DAT_CR_HANDLE cr :
		     { DAT_CR_HANDLE(DAT_HANDLE_NULL), DAT_CR_HANDLE(s.listener.psp()) })
			refused(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_CR);
		ok(dat_cr_reject(s.cr));
		refused(dat_cr_query(s.cr, DAT_CR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_CR);
	});
}

/* "The cr_param_mask parameter is invalid." */
TEST(DatCrQuery, ReturnValuesInvalidParameter)
{
	with_scene([](Scene &s) {
		DAT_CR_PARAM param;

		refused(dat_cr_query(s.cr, static_cast<DAT_CR_PARAM_MASK>(DAT_CR_FIELD_ALL + 1),
				     &param),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_cr_query(s.cr, DAT_CR_FIELD_ALL, nullptr), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG3);
	});
}

} // namespace
} // namespace suite
