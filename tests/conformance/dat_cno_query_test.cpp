// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cno_query(3DAT)

#include "cno.hpp"
#include "play.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/* "returns values for cno_param_mask requested parameters" */
TEST(DatCnoQuery, DescriptionAllParameters)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		Cno cno(adapter, agent.agent());
		DAT_CNO_PARAM param{};

		ok(dat_cno_query(cno.handle(), DAT_CNO_FIELD_ALL, &param));
		EXPECT_EQ(param.ia_handle, adapter.ia());
		EXPECT_EQ(param.agent.instance_data, agent.agent().instance_data);
		EXPECT_EQ(param.agent.proxy_agent_func, agent.agent().proxy_agent_func);
	});
}

TEST(DatCnoQuery, DescriptionEachParameterAlone)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		Cno cno(adapter, agent.agent());
		DAT_CNO_PARAM param{};

		ok(dat_cno_query(cno.handle(), DAT_CNO_FIELD_IA_HANDLE, &param));
		EXPECT_EQ(param.ia_handle, adapter.ia());
		param = {};
		ok(dat_cno_query(cno.handle(), DAT_CNO_FIELD_AGENT, &param));
		EXPECT_EQ(param.agent.proxy_agent_func, agent.agent().proxy_agent_func);
	});
}

/* "DAT_OS_WAIT_PROXY_AGENT_NULL ... no Proxy Agent": also once it was invoked */
TEST(DatCnoQuery, DescriptionNoAgent)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		SoftwareQueue queue(adapter);
		Cno without(adapter), cno(adapter, agent.agent());
		DAT_CNO_PARAM param;

		ok(dat_cno_query(without.handle(), DAT_CNO_FIELD_AGENT, &param));
		EXPECT_EQ(param.agent.proxy_agent_func, nullptr);
		EXPECT_EQ(param.agent.instance_data, nullptr);

		ok(dat_evd_modify_cno(queue.evd(), cno.handle()));
		ok(post_se(queue));
		agent.await(1);
		ok(dat_cno_query(cno.handle(), DAT_CNO_FIELD_AGENT, &param));
		EXPECT_EQ(param.agent.proxy_agent_func, nullptr);
		ok(dat_evd_modify_cno(queue.evd(), DAT_HANDLE_NULL));
	});
}

/* "The cno_param_mask parameter is invalid." */
TEST(DatCnoQuery, InvalidParameter)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);
		DAT_CNO_PARAM param;

		refused(dat_cno_query(cno.handle(), static_cast<DAT_CNO_PARAM_MASK>(4), &param),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_cno_query(cno.handle(), DAT_CNO_FIELD_ALL, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	});
}

TEST(DatCnoQuery, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_CNO_PARAM param;

		for (DAT_HANDLE other : { DAT_HANDLE_NULL, adapter.ia(), adapter.async_evd() })
			refused(dat_cno_query(other, DAT_CNO_FIELD_ALL, &param), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_CNO);
	});
}

} // namespace
} // namespace suite
