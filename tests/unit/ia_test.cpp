// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The registry, and opening, asking and closing an adapter.

#include "fake/session.hpp"

#include <dat/dat_registry.h>

#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using fake::is_error;

class Registry : public testing::Test {
protected:
	void SetUp() override { module.install(); }

	fake::Module module;
};

TEST_F(Registry, ListsWhatTheModuleServes)
{
	module.adapters = { "rxe0", "mlx5_0-2" };
	DAT_PROVIDER_INFO infos[3];
	DAT_PROVIDER_INFO *list[] = { &infos[0], &infos[1], &infos[2] };
	DAT_COUNT count = -1;

	ASSERT_EQ(dat_registry_list_providers(3, &count, list), DAT_SUCCESS);
	ASSERT_EQ(count, 2);
	EXPECT_STREQ(infos[0].ia_name, "rxe0");
	EXPECT_STREQ(infos[1].ia_name, "mlx5_0-2");
	EXPECT_EQ(infos[0].dapl_version_major, 1u);
	EXPECT_EQ(infos[0].dapl_version_minor, 2u);
	EXPECT_EQ(infos[0].is_thread_safe, DAT_TRUE);
}

TEST_F(Registry, ShortListTellsHowManyThereAre)
{
	module.adapters = { "a", "b", "c" };
	DAT_PROVIDER_INFO info;
	DAT_PROVIDER_INFO *list[] = { &info };
	DAT_COUNT count = -1;

	EXPECT_TRUE(is_error(dat_registry_list_providers(1, &count, list), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG1));
	EXPECT_EQ(count, 3);
	EXPECT_TRUE(is_error(dat_registry_list_providers(3, &count, nullptr), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_registry_list_providers(3, nullptr, list), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_registry_list_providers(-1, &count, list), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG1));
}

TEST_F(Registry, NoModuleIsNoAdapterAndNoPermissionIsTold)
{
	DAT_COUNT count = -1;

	module.open_error = ENOENT;
	EXPECT_EQ(dat_registry_list_providers(0, &count, nullptr), DAT_SUCCESS);
	EXPECT_EQ(count, 0);
	module.open_error = EACCES;
	EXPECT_TRUE(is_error(dat_registry_list_providers(0, &count, nullptr),
			     DAT_PRIVILEGES_VIOLATION));
}

TEST_F(Registry, OpeningChecksItsArguments)
{
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	DAT_IA_HANDLE ia;
	char name[] = "fake0";
	std::string longest(DAT_NAME_MAX_LENGTH - 1, 'x'), too_long(DAT_NAME_MAX_LENGTH, 'x');
	const auto open = [&](char *what) { return dat_ia_open(what, 1, &async, &ia); };

	EXPECT_TRUE(is_error(open(nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	EXPECT_TRUE(is_error(open(too_long.data()), DAT_INVALID_PARAMETER, DAT_INVALID_ARG1));
	EXPECT_TRUE(
		is_error(open(longest.data()), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
	char unknown[] = "nosuch", empty[] = "", prefix[] = "RO_AWARE_";
	for (char *absent : { unknown, empty, prefix })
		EXPECT_TRUE(is_error(open(absent), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED))
			<< absent;
	EXPECT_TRUE(is_error(dat_ia_open(name, -1, &async, &ia), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG2));
	EXPECT_TRUE(is_error(dat_ia_open(name, 1, nullptr, &ia), DAT_INVALID_PARAMETER,
			     DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_ia_open(name, 1, &async, nullptr), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_ia_openv(name, 1, &async, &ia, 2, 0, DAT_FALSE),
			     DAT_PROVIDER_NOT_FOUND, DAT_MAJOR_NOT_FOUND));
	EXPECT_TRUE(is_error(dat_ia_openv(name, 1, &async, &ia, 1, 1, DAT_FALSE),
			     DAT_PROVIDER_NOT_FOUND, DAT_MINOR_NOT_FOUND));
	async = &ia;
	EXPECT_TRUE(is_error(open(name), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_ASYNC));
	EXPECT_FALSE(module.file_open);
}

TEST_F(Registry, OpeningFailsCleanlyAtEveryStep)
{
	struct Row {
		unsigned long command;
		int err;
		DAT_RETURN want;
	};
	const Row rows[] = {
		{ KDAPL_QUERY, ENOMEM, DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY) },
		{ KDAPL_IA_OPEN, ENODEV,
		  DAT_ERROR(DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED) },
		{ KDAPL_IA_OPEN, EACCES, DAT_ERROR(DAT_PRIVILEGES_VIOLATION, 0) },
		{ KDAPL_IA_QUERY, ENOMEM,
		  DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY) },
		{ KDAPL_EVD_CREATE, ENOSPC,
		  DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEVD) },
	};
	char name[] = "fake0";

	for (const Row &row : rows) {
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
		DAT_IA_HANDLE ia;
		module.fail_next(row.command, row.err);
		EXPECT_EQ(dat_ia_open(name, 1, &async, &ia), row.want) << row.err;
		EXPECT_FALSE(module.file_open);
		EXPECT_EQ(module.mappings, 0);
	}
}

using Ia = fake::OpenAdapter;

TEST_F(Ia, TellsItsAttributes)
{
	DAT_IA_ATTR attr;
	DAT_EVD_HANDLE evd;
	ASSERT_EQ(dat_ia_query(ia, &evd, DAT_IA_FIELD_ALL, &attr, 0, nullptr), DAT_SUCCESS);

	EXPECT_EQ(evd, async_evd);
	EXPECT_STREQ(attr.adapter_name, "fake0");
	EXPECT_EQ(attr.firmware_version_major, 16u);
	EXPECT_EQ(attr.firmware_version_minor, 35u);
	EXPECT_EQ(attr.max_dto_per_ep, 512);
	EXPECT_EQ(attr.max_iov_segments_per_rdma_read, 3);
	EXPECT_EQ(attr.max_rdma_read_per_ep_in, 16);
	EXPECT_EQ(attr.max_rdma_read_per_ep_out, 8);
	EXPECT_EQ(attr.max_rdma_read_in, 16000);
	EXPECT_EQ(attr.max_lmr_block_size, 1ULL << 40);
	EXPECT_EQ(attr.max_srqs, 100);
	EXPECT_EQ(attr.max_recv_per_srq, 1024);
	EXPECT_EQ(attr.max_rmrs, 1000);
}

TEST_F(Ia, AddressIsTheIpv4OneAndAllElseOfItIsZero)
{
	DAT_IA_ATTR attr;
	ASSERT_EQ(dat_ia_query(ia, nullptr, DAT_IA_FIELD_IA_ADDRESS_PTR, &attr, 0, nullptr),
		  DAT_SUCCESS);

	sockaddr_in want{};
	want.sin_family = AF_INET;
	want.sin_addr.s_addr = htonl(0x0a000007);
	EXPECT_EQ(std::memcmp(attr.ia_address_ptr, &want, sizeof want), 0);
}

TEST_F(Ia, TellsOfItsProvider)
{
	DAT_PROVIDER_ATTR attr;
	ASSERT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attr),
		  DAT_SUCCESS);

	EXPECT_EQ(attr.dapl_version_major, 1u);
	EXPECT_EQ(attr.max_private_data_size, 56);
	EXPECT_EQ(attr.srq_supported, DAT_TRUE);
	EXPECT_EQ(attr.srq_watermarks_supported, 0x111);
	EXPECT_EQ(attr.srq_info_supported, 0x11);
	EXPECT_EQ(attr.lmr_sync_req, DAT_FALSE);
	EXPECT_EQ(int{ attr.lmr_mem_types_supported }, DAT_MEM_TYPE_VIRTUAL | DAT_MEM_TYPE_LMR |
							       DAT_MEM_TYPE_SHARED_VIRTUAL |
							       DAT_MEM_TYPE_SO_VIRTUAL);
	EXPECT_EQ(attr.evd_stream_merging_supported[2][3], DAT_TRUE);
	const auto value = [&](const std::string &name) -> std::string {
		for (DAT_COUNT i = 0; i < attr.num_provider_specific_attr; i++)
			if (attr.provider_specific_attr[i].name == name)
				return attr.provider_specific_attr[i].value;
		return "(none)";
	};
	EXPECT_EQ(value("KDAPL_MODULE_VERSION"), "1.0-fake");
	EXPECT_EQ(value("KDAPL_NETDEV"), "eth7");
	EXPECT_EQ(value("KDAPL_DRIVER"), "fake");
	EXPECT_EQ(value("KDAPL_TRANSPORT"), "IB");
	EXPECT_EQ(value("KDAPL_ORDERING"), "strong");
	EXPECT_EQ(value("KDAPL_REGISTRATION"), "device");
	EXPECT_EQ(value("KDAPL_ADDRESSES"), "::1 10.0.0.7");
}

TEST_F(Ia, QueryChecksItsArguments)
{
	DAT_IA_ATTR attr;
	DAT_PROVIDER_ATTR provider;

	EXPECT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, 0, nullptr), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_ia_query(async_evd, nullptr, 0, nullptr, 0, nullptr),
			     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA));
	EXPECT_TRUE(is_error(dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL + 1, &attr, 0, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3));
	EXPECT_TRUE(is_error(dat_ia_query(ia, nullptr, 1, nullptr, 0, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG4));
	EXPECT_TRUE(is_error(
		dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL + 1, &provider),
		DAT_INVALID_PARAMETER, DAT_INVALID_ARG5));
	EXPECT_TRUE(is_error(dat_ia_query(ia, nullptr, 0, nullptr, 1, nullptr),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG6));
}

TEST_F(Ia, RelaxedOrderingIsAskedForByName)
{
	DAT_PROVIDER_ATTR attr;

	ASSERT_EQ(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
	open("RO_AWARE_fake0");
	ASSERT_EQ(dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_ALL, &attr),
		  DAT_SUCCESS);
	EXPECT_STREQ(attr.provider_specific_attr[6].name, "KDAPL_ORDERING");
	EXPECT_STREQ(attr.provider_specific_attr[6].value, "relaxed");
	EXPECT_STREQ(DAT_HANDLE_TO_PROVIDER(ia)->device_name, "fake0");
}

TEST_F(Ia, OpensByTheNetworkDeviceToo)
{
	ASSERT_EQ(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
	open("eth7");
	EXPECT_STREQ(DAT_HANDLE_TO_PROVIDER(ia)->device_name, "eth7");
}

TEST_F(Ia, HandlesReachTheProvidersCalls)
{
	DAT_PZ_HANDLE pz = DAT_HANDLE_NULL;
	DAT_HANDLE_TYPE type;

	ASSERT_EQ(DAT_HANDLE_TO_PROVIDER(ia)->pz_create_func(ia, &pz), DAT_SUCCESS);
	ASSERT_EQ(DAT_HANDLE_TO_PROVIDER(pz), DAT_HANDLE_TO_PROVIDER(ia));
	ASSERT_EQ(DAT_HANDLE_TO_PROVIDER(pz)->get_handle_type_func(pz, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_PZ);
	EXPECT_EQ(DAT_HANDLE_TO_PROVIDER(pz)->pz_free_func(pz), DAT_SUCCESS);

	DAT_IA_HANDLE second = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	char unknown[] = "nosuch";
	EXPECT_TRUE(is_error(
		DAT_HANDLE_TO_PROVIDER(ia)->ia_open_func(unknown, 1, &async, &second, DAT_TRUE),
		DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED));
}

TEST_F(Ia, GracefulCloseWaitsForTheConsumersObjects)
{
	DAT_PZ_HANDLE pz;
	ASSERT_EQ(dat_pz_create(ia, &pz), DAT_SUCCESS);

	EXPECT_TRUE(is_error(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
			     DAT_INVALID_STATE_IA_IN_USE));
	EXPECT_TRUE(is_error(dat_ia_close(ia, static_cast<DAT_CLOSE_FLAGS>(2)),
			     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	ASSERT_EQ(dat_pz_free(pz), DAT_SUCCESS);
	EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
	EXPECT_TRUE(is_error(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE_IA));
	ia = DAT_HANDLE_NULL;
}

TEST_F(Ia, AbruptCloseFreesEverything)
{
	DAT_PZ_HANDLE pz;
	ASSERT_EQ(dat_pz_create(ia, &pz), DAT_SUCCESS);
	const DAT_EVD_HANDLE evd = make_evd(DAT_EVD_DTO_FLAG);

	ASSERT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	for (const DAT_HANDLE gone : { pz, evd, async_evd, ia }) {
		DAT_HANDLE_TYPE type;
		EXPECT_TRUE(is_error(dat_get_handle_type(gone, &type), DAT_INVALID_HANDLE,
				     DAT_INVALID_HANDLE1));
	}
	ia = DAT_HANDLE_NULL;
}

TEST_F(Ia, AsyncEvdBelongsToIt)
{
	DAT_EVD_PARAM param;

	ASSERT_EQ(dat_evd_query(async_evd, DAT_EVD_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.evd_flags, DAT_EVD_ASYNC_FLAG);
	EXPECT_EQ(param.evd_qlen, 4);
	EXPECT_TRUE(
		is_error(dat_evd_free(async_evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE));
}

TEST_F(Ia, ContextsAndTypesOfAllKinds)
{
	for (const DAT_HANDLE handle : { ia, async_evd }) {
		DAT_CONTEXT context;
		ASSERT_EQ(dat_get_consumer_context(handle, &context), DAT_SUCCESS);
		EXPECT_EQ(context.as_64, 0u);
		context.as_ptr = this;
		ASSERT_EQ(dat_set_consumer_context(handle, context), DAT_SUCCESS);
		context.as_64 = 0;
		ASSERT_EQ(dat_get_consumer_context(handle, &context), DAT_SUCCESS);
		EXPECT_EQ(context.as_ptr, this);
		EXPECT_TRUE(is_error(dat_get_consumer_context(handle, nullptr),
				     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
		EXPECT_TRUE(is_error(dat_get_handle_type(handle, nullptr), DAT_INVALID_PARAMETER,
				     DAT_INVALID_ARG2));
	}
	DAT_HANDLE_TYPE type;
	ASSERT_EQ(dat_get_handle_type(ia, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_IA);
	ASSERT_EQ(dat_get_handle_type(async_evd, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_EVD);
	DAT_CONTEXT context = {};
	EXPECT_TRUE(is_error(dat_set_consumer_context(this, context), DAT_INVALID_HANDLE,
			     DAT_INVALID_HANDLE1));
}

// The child of a fork has no part in its parent's adapters, and can have its own.
TEST_F(Ia, AForkedChildKnowsNoHandle)
{
	DAT_PZ_HANDLE pz;
	ASSERT_EQ(dat_pz_create(ia, &pz), DAT_SUCCESS);

	const pid_t child = fork();
	if (!child) {
		DAT_EVD_HANDLE own_async = DAT_HANDLE_NULL;
		DAT_IA_HANDLE own;
		char name[] = "fake0";
		bool good =
			DAT_GET_TYPE(dat_pz_free(pz)) == DAT_INVALID_HANDLE &&
			DAT_GET_TYPE(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG)) == DAT_INVALID_HANDLE;
		good = good && dat_ia_open(name, 1, &own_async, &own) == DAT_SUCCESS && own != ia &&
		       DAT_GET_TYPE(dat_pz_free(pz)) == DAT_INVALID_HANDLE &&
		       dat_ia_close(own, DAT_CLOSE_GRACEFUL_FLAG) == DAT_SUCCESS;
		_exit(good ? 0 : 1);
	}
	int status = -1;
	ASSERT_EQ(waitpid(child, &status, 0), child);
	EXPECT_TRUE(WIFEXITED(status) && !WEXITSTATUS(status)) << status;
	EXPECT_EQ(dat_pz_free(pz), DAT_SUCCESS) << "the parent's is as it was";
}

} // namespace
