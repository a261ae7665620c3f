// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_lmr_create(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

constexpr std::size_t size = 8192;

/** The arguments of the call; tests change what they are about. */
struct Call {
	explicit Call(const Adapter &adapter, const Pages &pages)
		: ia(adapter.ia()), pz(adapter.pz())
	{
		region.for_va = pages.data();
	}
	DAT_RETURN operator()()
	{
		return dat_lmr_create(ia, type, region, length, pz,
				      static_cast<DAT_MEM_PRIV_FLAGS>(privileges), &lmr, &context,
				      &rmr_context, &registered_size, &registered_address);
	}
	void free() { ok(dat_lmr_free(lmr)); }

	DAT_IA_HANDLE ia;
	DAT_MEM_TYPE type = DAT_MEM_TYPE_VIRTUAL;
	DAT_REGION_DESCRIPTION region{};
	DAT_VLEN length = size;
	DAT_PZ_HANDLE pz;
	unsigned privileges = DAT_MEM_PRIV_ALL_FLAG;
	DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
	DAT_LMR_CONTEXT context = 0;
	DAT_RMR_CONTEXT rmr_context = 0;
	DAT_VLEN registered_size = 0;
	DAT_VADDR registered_address = 0;
};

void with_call(void (*body)(const Adapter &adapter, Call &call))
{
	play([body](Line &) {
		Adapter adapter;
		Pages pages(size);
		Call call(adapter, pages);

		body(adapter, call);
	});
}

/* "how much of the contiguous region ... was registered ... and where" */
TEST(DatLmrCreate, DescriptionRegisteredSizeAndAddress)
{
	with_call([](const Adapter &, Call &call) {
		for (DAT_MEM_TYPE type : { DAT_MEM_TYPE_VIRTUAL, DAT_MEM_TYPE_SO_VIRTUAL }) {
			call.type = type;
			ok(call());
			EXPECT_LE(call.registered_address,
				  reinterpret_cast<DAT_VADDR>(call.region.for_va));
			EXPECT_GE(call.registered_address + call.registered_size,
				  reinterpret_cast<DAT_VADDR>(call.region.for_va) + size);
			call.free();
		}
	});
}

/* "If mem_privileges does not specify remote Read and Write privileges" */
TEST(DatLmrCreate, DescriptionNoRmrContextWithoutRemotePrivileges)
{
	with_call([](const Adapter &, Call &call) {
		for (unsigned local : { 0x00, 0x01, 0x10, 0x11 }) {
			for (unsigned remote : { 0x00, 0x02, 0x20, 0x22 }) {
				call.privileges = local | remote;
				call.rmr_context = 1;
				ok(call());
				EXPECT_EQ(call.rmr_context != 0, remote != 0);
				call.free();
			}
		}
	});
}

/* "No remote privileges are given ... unless explicitly asked for", nor local ones */
TEST(DatLmrCreate, DescriptionDataByRemoteWriteGivesNoLocalWrite)
{
	play([](Line &) {
		Adapter adapter;
		Region target(adapter, size, DAT_MEM_PRIV_REMOTE_WRITE_FLAG), own(adapter, size);
		Pair pair(adapter);

		refused(pair.passive.recv(target.local(0, 8), 1), DAT_PRIVILEGES_VIOLATION,
			DAT_PRIVILEGES_WRITE);
		refused(pair.passive.send(target.local(0, 8), 1), DAT_PRIVILEGES_VIOLATION,
			DAT_PRIVILEGES_READ);
		fill(own.bytes(0, size), 4);
		ok(pair.active.write(own.local(0, size), target.remote(0, size), 2));
		pair.active.expect_request(2, size);
		pair.settle();
		require_pattern(target.bytes(0, size), 4);
	});
}

/* "Length parameter is ignored." */
TEST(DatLmrCreate, ParametersLengthOfLmrIsIgnored)
{
	with_call([](const Adapter &, Call &call) {
		ok(call());
		Call second = call;
		second.type = DAT_MEM_TYPE_LMR;
		second.region.for_lmr_handle = call.lmr;
		for (DAT_VLEN length : { DAT_VLEN{ 0 }, DAT_VLEN{ 1 }, ~DAT_VLEN{ 0 } }) {
			second.length = length;
			ok(second());
			EXPECT_NE(second.context, call.context);
			EXPECT_EQ(second.registered_size, call.registered_size);
			EXPECT_EQ(second.registered_address, call.registered_address);
			second.free();
		}
		call.free();
	});
}

/* More than max_lmr_block_size tells. */
TEST(DatLmrCreate, InvalidParameterLengthBeyondTheAdapters)
{
	with_call([](const Adapter &adapter, Call &call) {
		call.length = adapter.attributes().max_lmr_block_size + 1;
		refused(call(), DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE);
	});
}

TEST(DatLmrCreate, InvalidParameter)
{
	with_call([](const Adapter &, Call &call) {
		const Call good = call;

		call.type = static_cast<DAT_MEM_TYPE>(4);
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		call = good;
		call.region.for_va = nullptr;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		call = good;
		call.type = DAT_MEM_TYPE_SHARED_VIRTUAL;
		call.region.for_shared_memory.shared_memory_id = nullptr;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		call = good;
		call.length = 0;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
		call = good;
		call.privileges = 0x44;
		refused(call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
		refused(dat_lmr_create(good.ia, good.type, good.region, good.length, good.pz,
				       DAT_MEM_PRIV_ALL_FLAG, nullptr, nullptr, nullptr, nullptr,
				       nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
	});
}

TEST(DatLmrCreate, InvalidHandle)
{
	with_call([](const Adapter &adapter, Call &call) {
		const Call good = call;

		call.ia = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
		call = good;
		call.pz = adapter.ia();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
		call = good;
		call.type = DAT_MEM_TYPE_LMR;
		call.region.for_lmr_handle = adapter.pz();
		refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR);
	});
}

/* "shared virtual buffer was not created shared by the platform" */
TEST(DatLmrCreate, InvalidStateSharedVirtualWasNotCreatedShared)
{
	with_call([](const Adapter &, Call &call) {
		char cookie[DAT_LMR_COOKIE_SIZE] = "a cookie";
		DAT_PVOID start = call.region.for_va;

		call.type = DAT_MEM_TYPE_SHARED_VIRTUAL;
		call.region.for_shared_memory = { start, &cookie };
		refused(call(), DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	});
}

/* "requested Memory Type was not supported": all of them are */
TEST(DatLmrCreate, ModelNotSupportedByNoType)
{
	with_call([](const Adapter &adapter, Call &) {
		EXPECT_EQ(int{ adapter.provider().lmr_mem_types_supported },
			  DAT_MEM_TYPE_VIRTUAL | DAT_MEM_TYPE_LMR | DAT_MEM_TYPE_SHARED_VIRTUAL);
	});
}

} // namespace
} // namespace suite
