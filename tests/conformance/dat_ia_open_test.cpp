// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ia_open(3DAT)

#include "cno.hpp"
#include "every_object.hpp"
#include "no_memory.hpp"
#include "no_resources.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "registry.hpp"
#include "result.hpp"
#include "shared_queue.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** An opened adapter, with the macro's own arguments and nothing around it. */
struct Opened {
	explicit Opened(std::string name = adapter_name(), DAT_COUNT length = 8)
	{
		ok(dat_ia_open(name.data(), length, &async, &ia));
	}
	Opened(const Opened &) = delete;
	Opened &operator=(const Opened &) = delete;
	~Opened() { dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG); }

	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
};

DAT_EVD_PARAM query(DAT_EVD_HANDLE evd)
{
	DAT_EVD_PARAM param;

	ok(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param));
	return param;
}

/* "opens an IA by creating an IA instance" */
TEST(DatIaOpen, DescriptionCreatesAnInstance)
{
	play([](Line &) {
		Opened opened;
		DAT_HANDLE_TYPE type;

		ok(dat_get_handle_type(opened.ia, &type));
		EXPECT_EQ(type, DAT_HANDLE_TYPE_IA);
	});
}

/* "Multiple instances (opens) of an IA can exist.", each with objects of its own */
TEST(DatIaOpen, DescriptionSeveralInstances)
{
	play([](Line &) {
		Adapter one, two;
		Region region(two, 64);
		DAT_RMR_HANDLE rmr;
		DAT_EP_HANDLE ep;

		EXPECT_NE(one.ia(), two.ia());
		EXPECT_NE(one.async_evd(), two.async_evd());
		refused(dat_ep_create(one.ia(), two.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL,
				      DAT_HANDLE_NULL, nullptr, &ep),
			DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
		ok(dat_rmr_create(two.pz(), &rmr));
		ok(dat_rmr_free(rmr));
	});
}

/* They reach each other like two programs. */
TEST(DatIaOpen, DescriptionInstancesConnect)
{
	play([](Line &) {
		Adapter one, two;
		Listener listener(one);
		Endpoint passive(one), active(two);

		ok(active.connect(one.address(), listener.qual()));
		listener.accept(passive);
		active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		ok(passive.recv(Segments(), 1));
		ok(active.send(Segments(), 2));
		passive.expect_recv(1, 0);
		active.expect_request(2, 0);
	});
}

/* "the default Event Dispatcher is created with the requested async_evd_min_qlen" */
TEST(DatIaOpen, DescriptionAsyncEvdIsCreated)
{
	play([](Line &) {
		for (DAT_COUNT length : { 0, 1, 5, 100 }) {
			Opened opened(adapter_name(), length);
			const DAT_EVD_PARAM param = query(opened.async);

			EXPECT_EQ(param.ia_handle, opened.ia);
			EXPECT_GE(param.evd_qlen, length);
			EXPECT_EQ(param.evd_flags, DAT_EVD_ASYNC_FLAG);
			EXPECT_TRUE(param.evd_state & DAT_EVD_STATE_ENABLED);
			EXPECT_TRUE(param.evd_state & DAT_EVD_STATE_WAITABLE);
		}
	});
}

/* "is created with no CNO (DAT_HANDLE_NULL). Consumers can change these values" */
TEST(DatIaOpen, DescriptionAsyncEvdGetsACno)
{
	play([](Line &) {
		Adapter adapter;
		Cno cno(adapter);

		EXPECT_EQ(query(adapter.async_evd()).cno_handle, DAT_HANDLE_NULL);
		ok(dat_evd_modify_cno(adapter.async_evd(), cno.handle()));
		EXPECT_EQ(query(adapter.async_evd()).cno_handle, cno.handle());
		ok(dat_evd_modify_cno(adapter.async_evd(), DAT_HANDLE_NULL));
	});
}

/* "can modify parameters of the Event Dispatcher using dat_evd_resize(3DAT)" */
TEST(DatIaOpen, DescriptionAsyncEvdIsResized)
{
	play([](Line &) {
		Opened opened(adapter_name(), 1);

		ok(dat_evd_resize(opened.async, 200));
		EXPECT_GE(query(opened.async).evd_qlen, 200);
	});
}

/* "Valid IA names are obtained from dat_registry_list_providers(3DAT)." */
TEST(DatIaOpen, DescriptionNamesOfTheRegistry)
{
	play([](Line &) {
		for (const std::string &name : listed()) {
			Opened opened(name);
			EXPECT_EQ(DAT_HANDLE_TO_PROVIDER(opened.ia)->device_name, name);
		}
	});
}

/* "The name should be defined by the Provider registration.": by dat.conf, too */
TEST(DatIaOpen, ParametersNameOfDatConf)
{
	play([](Line &) {
		const DatConf conf(conf_line("storage", adapter_name(), "libdapl_kdapl.so.1"));
		Opened opened("storage");

		EXPECT_STREQ(DAT_HANDLE_TO_PROVIDER(opened.ia)->device_name, "storage");
	});
}

/* "If the name is prefixed by the string RO_AWARE_, then the prefix is removed" */
TEST(DatIaOpen, ParametersRoAwarePrefixIsRemoved)
{
	play([](Line &) {
		Opened opened("RO_AWARE_" + adapter_name());
		DAT_IA_ATTR attributes;

		ok(dat_ia_query(opened.ia, nullptr, DAT_IA_FIELD_IA_ADAPTER_NAME, &attributes, 0,
				nullptr));
		EXPECT_EQ(attributes.adapter_name, adapter_name());
	});
}

/* "the open will fail" without it where ordering is relaxed: here memory is ordered instead */
TEST(DatIaOpen, ParametersWithoutRoAwareMemoryIsOrdered)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		DAT_LMR_PARAM param;

		ok(dat_lmr_query(region.lmr(), DAT_LMR_FIELD_MEM_TYPE, &param));
		EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_SO_VIRTUAL);
	});
}

/* "creates a unique handle for the IA": a handle of one that was closed does not come back */
TEST(DatIaOpen, UsageUniqueHandle)
{
	play([](Line &) {
		DAT_IA_HANDLE before = DAT_HANDLE_NULL;

		for (int i = 0; i < 10; i++) {
			Opened opened;
			DAT_HANDLE_TYPE type;

			EXPECT_NE(opened.ia, before);
			if (before)
				refused(dat_get_handle_type(before, &type), DAT_INVALID_HANDLE,
					DAT_INVALID_HANDLE1);
			before = opened.ia;
		}
	});
}

/* "When the Consumer closes its handle, all its DAT Objects are released." */
TEST(DatIaOpen, UsageRootOfAllObjects)
{
	play([](Line &) {
		EveryObject objects;
		DAT_HANDLE_TYPE type;

		objects.close();
		for (const auto &object : objects.list())
			refused(dat_get_handle_type(object.handle, &type), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
	});
}

/* "The specified provider was not registered in the registry." */
TEST(DatIaOpen, ProviderNotFound)
{
	play([](Line &) {
		DAT_IA_HANDLE ia;

		for (const char *name : { "", "nosuch0", "RO_AWARE_nosuch0", "RO_AWARE_" })
			refused(open_ia(name, ia), DAT_PROVIDER_NOT_FOUND, DAT_NAME_NOT_REGISTERED);
		refused(open_ia(adapter_name(), ia, 0, 2), DAT_PROVIDER_NOT_FOUND,
			DAT_MAJOR_NOT_FOUND);
		refused(open_ia(adapter_name(), ia, 3), DAT_PROVIDER_NOT_FOUND,
			DAT_MINOR_NOT_FOUND);
	});
}

TEST(DatIaOpen, InvalidParameter)
{
	play([](Line &) {
		std::string name = adapter_name(), endless(DAT_NAME_MAX_LENGTH, 'n');
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
		DAT_IA_HANDLE ia;

		refused(dat_ia_open(nullptr, 8, &async, &ia), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG1);
		refused(dat_ia_open(endless.data(), 8, &async, &ia), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG1);
		refused(dat_ia_open(name.data(), -1, &async, &ia), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG2);
		refused(dat_ia_open(name.data(), 8, nullptr, &ia), DAT_INVALID_PARAMETER,
			DAT_INVALID_ARG3);
	});
}

/* "ignores the async_evd_min_qlen"; "the returned async_evd_handle is the same" */
TEST(DatIaOpen, DescriptionTheConsumersAsyncEvd)
{
	play([](Line &) {
		Opened owner;
		DAT_EVD_HANDLE async = owner.async, asked = DAT_HANDLE_NULL;
		const DAT_COUNT length = query(owner.async).evd_qlen;
		std::string name = adapter_name();
		DAT_IA_HANDLE ia;

		ok(dat_ia_open(name.data(), 4 * length, &async, &ia));
		EXPECT_EQ(async, owner.async);
		ok(dat_ia_query(ia, &asked, 0, nullptr, 0, nullptr));
		EXPECT_EQ(asked, owner.async);
		EXPECT_EQ(query(owner.async).evd_qlen, length);
		EXPECT_EQ(query(owner.async).ia_handle, owner.ia);
		ok(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	});
}

/* "All asynchronous notifications for the open instance of the IA are directed" there */
TEST(DatIaOpen, DescriptionTheConsumersAsyncEvdGetsTheEvents)
{
	play([](Line &) {
		Adapter owner, other(adapter_name(), owner.async_evd());
		SharedQueue queue(other, 4);

		ok(dat_srq_set_lw(queue.srq(), 1));
		EXPECT_EQ(expect_async(owner).dat_handle, queue.srq());
	});
}

/* "DAT_EVD_OUT_OF_SCOPE ... not in a scope where this Consumer may directly invoke it" */
TEST(DatIaOpen, DescriptionAsyncExists)
{
	play([](Line &) {
		DAT_EVD_HANDLE async = DAT_EVD_ASYNC_EXISTS, asked = DAT_HANDLE_NULL;
		std::string name = adapter_name();
		DAT_EVENT event;
		DAT_IA_HANDLE ia;

		ok(dat_ia_open(name.data(), 8, &async, &ia));
		EXPECT_EQ(async, DAT_EVD_OUT_OF_SCOPE);
		ok(dat_ia_query(ia, &asked, 0, nullptr, 0, nullptr));
		EXPECT_EQ(asked, DAT_EVD_OUT_OF_SCOPE);
		refused(dat_evd_dequeue(async, &event), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE1);
		ok(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	});
}

/* "async_evd_handle is invalid", and "remains unchanged" */
TEST(DatIaOpen, InvalidHandleAsyncEvd)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE async = adapter.pz();
		std::string name = adapter_name();
		DAT_IA_HANDLE ia;

		refused(dat_ia_open(name.data(), 8, &async, &ia), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_EVD_ASYNC);
		EXPECT_EQ(async, adapter.pz());
		EventQueue queue(adapter, 16);
		async = queue.evd();
		refused(dat_ia_open(name.data(), 8, &async, &ia), DAT_INVALID_HANDLE,
			DAT_INVALID_HANDLE_EVD_ASYNC);
		EXPECT_EQ(async, queue.evd());
	});
}

/* No memory for what the adapter shares with the program, and nothing left. */
TEST(DatIaOpen, InsufficientResourcesNoMemory)
{
	play([](Line &) {
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
		std::string name = adapter_name();
		DAT_IA_HANDLE ia;
		NoMemory limit;

		refused(dat_ia_open(name.data(), 8, &async, &ia), DAT_INSUFFICIENT_RESOURCES,
			DAT_RESOURCE_MEMORY);
	});
}

/* A queue that is too long for every adapter. */
TEST(DatIaOpen, InsufficientResources)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
		std::string name = adapter_name();
		DAT_IA_HANDLE ia;

		refused(dat_ia_open(name.data(), adapter.attributes().max_evd_qlen + 1, &async,
				    &ia),
			DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEVD);
		EXPECT_EQ(async, DAT_HANDLE_NULL);
	});
}

/* The administrator lets the program open no adapter. */
TEST(DatIaOpen, InsufficientResourcesNoAdapterAllowed)
{
	play([](Line &) {
		std::string name = adapter_name();
		DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
		DAT_IA_HANDLE ia;

		{
			DeviceLimit limit("hca_handle=0");
			refused(dat_ia_open(name.data(), 8, &async, &ia),
				DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
		}
		EXPECT_EQ(async, DAT_HANDLE_NULL);
		ok(dat_ia_open(name.data(), 8, &async, &ia));
		ok(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	});
}

} // namespace
} // namespace suite
