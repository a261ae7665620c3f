// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Our provider behind a registry that is not ours: it calls IAs by names of its own,
// and may have one adapter twice. This test is that registry.

#include "fake/module.hpp"

#include <dat2/dat_registry.h>
#include <dat2/udat.h>

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace {

struct Entry {
	const DAT_PROVIDER *provider;
	DAT_PROVIDER_INFO info;
};

std::vector<Entry> registered;

/** What the registry calls the one IA that is open, and what its provider does. */
DAT_IA_HANDLE const given_name = reinterpret_cast<DAT_IA_HANDLE>(7);
DAT_IA_HANDLE opened = DAT_HANDLE_NULL;

bool is_same(const DAT_PROVIDER_INFO &a, const DAT_PROVIDER_INFO &b)
{
	return std::string(a.ia_name) == b.ia_name && a.is_thread_safe == b.is_thread_safe &&
	       a.dapl_version_major == b.dapl_version_major &&
	       a.dapl_version_minor == b.dapl_version_minor;
}

} // namespace

DAT_RETURN dat_registry_add_provider(const DAT_PROVIDER *provider, const DAT_PROVIDER_INFO *info)
{
	registered.push_back({ provider, *info });
	return DAT_SUCCESS;
}

DAT_RETURN dat_registry_remove_provider(const DAT_PROVIDER *provider, const DAT_PROVIDER_INFO *info)
{
	const auto count = std::erase_if(registered, [=](const Entry &entry) {
		return entry.provider == provider && is_same(entry.info, *info);
	});

	if (count != 1)
		return DAT_CLASS_ERROR | DAT_PROVIDER_NOT_FOUND;
	return DAT_SUCCESS;
}

DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE handle, DAT_IA_HANDLE *name)
{
	if (!handle || handle != opened)
		return DAT_CLASS_ERROR | DAT_INVALID_HANDLE | DAT_INVALID_HANDLE_IA;
	*name = given_name;
	return DAT_SUCCESS;
}

namespace {

class Provider2 : public testing::Test {
protected:
	void SetUp() override { module.install(); }
	void TearDown() override
	{
		close();
		EXPECT_TRUE(registered.empty());
		EXPECT_FALSE(module.file_open);
	}
	static DAT_PROVIDER_INFO info(DAT_BOOLEAN thread_safe)
	{
		DAT_PROVIDER_INFO made{};

		std::string("dapl0").copy(made.ia_name, sizeof made.ia_name - 1);
		made.dapl_version_major = 2;
		made.is_thread_safe = thread_safe;
		return made;
	}
	void init(DAT_BOOLEAN thread_safe)
	{
		const DAT_PROVIDER_INFO as = info(thread_safe);

		dat_provider_init(&as, "fake0");
		ASSERT_TRUE(!registered.empty() && is_same(registered.back().info, as));
		table = registered.back().provider;
	}
	void fini(DAT_BOOLEAN thread_safe)
	{
		const DAT_PROVIDER_INFO as = info(thread_safe);
		const std::size_t before = registered.size();

		dat_provider_fini(&as);
		EXPECT_EQ(registered.size(), before - 1) << "that very adapter goes";
	}
	void open(const DAT_PROVIDER *by)
	{
		char name[] = "dapl0";

		async_evd = DAT_HANDLE_NULL;
		ASSERT_EQ(by->ia_open_func(name, 4, &async_evd, &opened), DAT_SUCCESS);
		EXPECT_EQ(DAT_HANDLE_TO_PROVIDER(opened), by);
	}
	void close()
	{
		if (opened) {
			EXPECT_EQ(DAT_HANDLE_TO_PROVIDER(opened)->ia_close_func(
					  opened, DAT_CLOSE_ABRUPT_FLAG),
				  DAT_SUCCESS);
		}
		opened = DAT_HANDLE_NULL;
	}
	DAT_BOOLEAN told_thread_safety()
	{
		DAT_PROVIDER_ATTR attr{};

		EXPECT_EQ(table->ia_query_func(opened, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL,
					       &attr),
			  DAT_SUCCESS);
		EXPECT_EQ(attr.dapl_version_major, 2u);
		EXPECT_EQ(attr.dapl_version_minor, 0u);
		return attr.is_thread_safe;
	}

	fake::Module module;
	const DAT_PROVIDER *table = nullptr;
	DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
};

/* The registry looks for what it closes by that. */
TEST_F(Provider2, EachRegistrationKeepsItsThreadSafety)
{
	init(DAT_TRUE);
	const DAT_PROVIDER *safe = table;
	init(DAT_FALSE);
	const DAT_PROVIDER *unsafe = table;

	ASSERT_NE(safe, unsafe);
	open(safe);
	EXPECT_EQ(told_thread_safety(), DAT_TRUE);
	close();
	open(unsafe);
	EXPECT_EQ(told_thread_safety(), DAT_FALSE);
	close();
	fini(DAT_TRUE);
	open(unsafe);
	EXPECT_EQ(told_thread_safety(), DAT_FALSE);
	close();
	fini(DAT_FALSE);
}

TEST_F(Provider2, QueriesSayTheNameThatTheRegistryGave)
{
	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	DAT_HANDLE made = DAT_HANDLE_NULL;
	DAT_PZ_HANDLE pz;
	const DAT_REGION_DESCRIPTION region = { .for_va = this };

	init(DAT_FALSE);
	open(table);

	DAT_PZ_PARAM pz_param{};
	ASSERT_EQ(table->pz_create_func(opened, &pz), DAT_SUCCESS);
	ASSERT_EQ(table->pz_query_func(pz, DAT_PZ_FIELD_ALL, &pz_param), DAT_SUCCESS);
	EXPECT_EQ(pz_param.ia_handle, given_name);

	DAT_EVD_PARAM evd_param{};
	ASSERT_EQ(table->evd_create_func(
			  opened, 8, DAT_HANDLE_NULL,
			  DAT_EVD_CR_FLAG | DAT_EVD_CONNECTION_FLAG | DAT_EVD_DTO_FLAG, &evd),
		  DAT_SUCCESS);
	ASSERT_EQ(table->evd_query_func(evd, DAT_EVD_FIELD_ALL, &evd_param), DAT_SUCCESS);
	EXPECT_EQ(evd_param.ia_handle, given_name);

	DAT_CNO_PARAM cno_param{};
	ASSERT_EQ(table->cno_create_func(opened, DAT_OS_WAIT_PROXY_AGENT_NULL, &made), DAT_SUCCESS);
	ASSERT_EQ(table->cno_query_func(made, DAT_CNO_FIELD_IA_HANDLE, &cno_param), DAT_SUCCESS);
	EXPECT_EQ(cno_param.ia_handle, given_name);

	DAT_EP_PARAM ep_param{};
	ASSERT_EQ(table->ep_create_func(opened, pz, evd, evd, evd, nullptr, &made), DAT_SUCCESS);
	ASSERT_EQ(table->ep_query_func(made, DAT_EP_FIELD_ALL, &ep_param), DAT_SUCCESS);
	EXPECT_EQ(ep_param.ia_handle, given_name);

	DAT_LMR_PARAM lmr_param{};
	ASSERT_EQ(table->lmr_create_func(opened, DAT_MEM_TYPE_VIRTUAL, region, 8, pz,
					 DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &made, nullptr,
					 nullptr, nullptr, nullptr),
		  DAT_SUCCESS);
	ASSERT_EQ(table->lmr_query_func(made, DAT_LMR_FIELD_ALL, &lmr_param), DAT_SUCCESS);
	EXPECT_EQ(lmr_param.ia_handle, given_name);

	DAT_RMR_PARAM rmr_param{};
	ASSERT_EQ(table->rmr_create_func(pz, &made), DAT_SUCCESS);
	ASSERT_EQ(table->rmr_query_func(made, DAT_RMR_FIELD_ALL, &rmr_param), DAT_SUCCESS);
	EXPECT_EQ(rmr_param.ia_handle, given_name);

	DAT_SRQ_ATTR srq_attr = { 8, 1, DAT_SRQ_LW_DEFAULT };
	DAT_SRQ_PARAM srq_param{};
	ASSERT_EQ(table->srq_create_func(opened, pz, &srq_attr, &made), DAT_SUCCESS);
	ASSERT_EQ(table->srq_query_func(made, DAT_SRQ_FIELD_ALL, &srq_param), DAT_SUCCESS);
	EXPECT_EQ(srq_param.ia_handle, given_name);

	DAT_PSP_PARAM psp_param{};
	ASSERT_EQ(table->psp_create_func(opened, 4567, evd, DAT_PSP_CONSUMER_FLAG, &made),
		  DAT_SUCCESS);
	ASSERT_EQ(table->psp_query_func(made, DAT_PSP_FIELD_ALL, &psp_param), DAT_SUCCESS);
	EXPECT_EQ(psp_param.ia_handle, given_name);

	DAT_EP_HANDLE ep;
	DAT_RSP_PARAM rsp_param{};
	ASSERT_EQ(table->ep_create_func(opened, pz, evd, evd, evd, nullptr, &ep), DAT_SUCCESS);
	ASSERT_EQ(table->rsp_create_func(opened, 4568, ep, evd, &made), DAT_SUCCESS);
	ASSERT_EQ(table->rsp_query_func(made, DAT_RSP_FIELD_ALL, &rsp_param), DAT_SUCCESS);
	EXPECT_EQ(rsp_param.ia_handle, given_name);
	close();
	fini(DAT_FALSE);
}

TEST_F(Provider2, AnAsynchronousEventSaysTheNameToo)
{
	kdapl_event error{};
	DAT_EVENT event{};

	init(DAT_FALSE);
	open(table);
	error.type = DAT_ASYNC_ERROR_IA_CATASTROPHIC;
	module.post(1, error);
	ASSERT_EQ(table->evd_dequeue_func(async_evd, &event), DAT_SUCCESS);
	EXPECT_EQ(event.event_number, DAT_ASYNC_ERROR_IA_CATASTROPHIC);
	EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, given_name);
	close();
	fini(DAT_FALSE);
}

} // namespace
