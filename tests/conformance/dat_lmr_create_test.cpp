// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_lmr_create(3DAT)

#include "no_resources.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "result.hpp"
#include "shared_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <sys/shm.h>
#include <tuple>

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
		Adapter other;
		Region freed(adapter, size), foreign(other, size);
		const DAT_LMR_HANDLE gone = freed.lmr();
		freed.free();
		for (DAT_LMR_HANDLE lmr : { DAT_LMR_HANDLE(DAT_HANDLE_NULL),
					    DAT_LMR_HANDLE(adapter.pz()), gone, foreign.lmr() }) {
			call.region.for_lmr_handle = lmr;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_LMR);
		}
		for (DAT_PZ_HANDLE pz : { DAT_PZ_HANDLE(DAT_HANDLE_NULL), other.pz() }) {
			call = good;
			call.pz = pz;
			refused(call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
		}
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

/* "requires ... previously allocated": there is nothing, or nothing that may be written */
TEST(DatLmrCreate, InvalidParameterMemoryThatIsNotThere)
{
	with_call([](const Adapter &, Call &call) {
		Pages pages(2 * size);
		void *end = pages.data() + size;

		call.region.for_va = pages.data() + size - page;
		sys(mprotect(end, size, PROT_NONE));
		refused(call(), DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE);
		sys(mprotect(end, size, PROT_READ));
		refused(call(), DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE);
		call.privileges = DAT_MEM_PRIV_LOCAL_READ_FLAG;
		ok(call());
		call.free();
		sys(munmap(end, page));
		refused(call(), DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE);
		mmap(end, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	});
}

/* "the memory is available on demand for the ... Adapter": pages that nobody touched before */
TEST(DatLmrCreate, DescriptionMemoryIsThereOnDemand)
{
	play([](Line &) {
		Adapter adapter;
		Region untouched(adapter, size), target(adapter, size);
		Pair pair(adapter);

		std::fill_n(target.data(), size, static_cast<unsigned char>(0xee));
		ok(pair.active.write(untouched.local(0, size), target.remote(0, size), 1));
		pair.active.expect_request(1, size);
		pair.settle();
		require_bytes(target.bytes(0, size), 0);
	});
}

/* "The Default value is DAT_MEM_PRIV_NONE_FLAG": no use at all, neither here nor there */
TEST(DatLmrCreate, ParametersPrivilegesNone)
{
	play([](Line &) {
		Adapter adapter;
		Region none(adapter, size, DAT_MEM_PRIV_NONE_FLAG);
		Pair pair(adapter);

		EXPECT_EQ(int{ DAT_MEM_PRIV_NONE_FLAG }, 0);
		EXPECT_EQ(none.remote(0, 8).rmr_context, 0U);
		refused(pair.active.send(none.local(0, 8), 1), DAT_PRIVILEGES_VIOLATION,
			DAT_PRIVILEGES_READ);
		refused(pair.active.recv(none.local(0, 8), 1), DAT_PRIVILEGES_VIOLATION,
			DAT_PRIVILEGES_WRITE);
		pair.settle();
	});
}

/* "DAT_MEM_PRIV_ALL_FLAG = 0x33, which specifies both Read and Write privileges" */
TEST(DatLmrCreate, ParametersPrivilegesAll)
{
	play([](Line &) {
		Adapter adapter;
		Region all(adapter, size, DAT_MEM_PRIV_ALL_FLAG);
		Pair pair(adapter);

		EXPECT_EQ(int{ DAT_MEM_PRIV_ALL_FLAG }, 0x33);
		fill(all.bytes(0, 1000), 1);
		ok(pair.passive.recv(all.local(1000, 1000), 1));
		ok(pair.active.send(all.local(0, 1000), 2));
		pair.passive.expect_recv(1, 1000);
		pair.active.expect_request(2, 1000);
		require_pattern(all.bytes(1000, 1000), 1);
		ok(pair.active.write(all.local(0, 1000), all.remote(2000, 1000), 3));
		pair.active.expect_request(3, 1000);
		pair.settle();
		require_pattern(all.bytes(2000, 1000), 1);
		ok(pair.active.read(all.local(3000, 1000), all.remote(0, 1000), 4));
		pair.active.expect_request(4, 1000);
		require_pattern(all.bytes(3000, 1000), 1);
	});
}

/* "Local read access requested.", "Local write access requested.": each alone, and no other */
TEST(DatLmrCreate, ParametersLocalPrivilegesOneByOne)
{
	play([](Line &) {
		Adapter adapter;
		Region reads(adapter, size, DAT_MEM_PRIV_LOCAL_READ_FLAG),
			writes(adapter, size, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
		Pair pair(adapter);

		refused(pair.passive.recv(reads.local(0, 8), 1), DAT_PRIVILEGES_VIOLATION,
			DAT_PRIVILEGES_WRITE);
		refused(pair.active.send(writes.local(0, 8), 1), DAT_PRIVILEGES_VIOLATION,
			DAT_PRIVILEGES_READ);
		fill(reads.bytes(0, size), 2);
		ok(pair.passive.recv(writes.local(0, size), 1));
		ok(pair.active.send(reads.local(0, size), 2));
		pair.passive.expect_recv(1, size);
		pair.active.expect_request(2, size);
		require_pattern(writes.bytes(0, size), 2);
	});
}

/* "No remote privileges are given ... unless explicitly asked for": read is not write */
TEST(DatLmrCreate, DescriptionRemoteReadGivesNoRemoteWrite)
{
	play([](Line &) {
		Adapter adapter;
		Region target(adapter, size, DAT_MEM_PRIV_REMOTE_READ_FLAG), own(adapter, size);
		Pair pair(adapter);

		fill(target.bytes(0, size), 3);
		ok(pair.active.read(own.local(0, size), target.remote(0, size), 1));
		pair.active.expect_request(1, size);
		require_pattern(own.bytes(0, size), 3);
		std::fill_n(own.data(), size, static_cast<unsigned char>(0));
		ok(pair.active.write(own.local(0, size), target.remote(0, size), 2));
		pair.active.expect_broken(adapter);
		require_pattern(target.bytes(0, size), 3);
	});
}

/* "can create an LMR over the existing LMR memory with different Protection Zones and privileges"
 */
TEST(DatLmrCreate, UsageOverAnLmrWithAnotherZoneAndPrivileges)
{
	play([](Line &) {
		Adapter adapter;
		DAT_PZ_HANDLE zone;
		ok(dat_pz_create(adapter.ia(), &zone));
		{
			Region first(adapter, shared_size),
				target(adapter, shared_size, all_privileges, zone);
			Pair here(adapter), there(adapter, { .pz = zone });
			Lmr second(adapter, DAT_MEM_TYPE_LMR, over(first.lmr()), 0,
				   DAT_MEM_PRIV_LOCAL_READ_FLAG, zone);
			ok(second.result);
			EXPECT_EQ(second.rmr_context, 0U);
			EXPECT_EQ(second.registered, shared_size);

			refused(there.active.send(first.local(0, 8), 1), DAT_PROTECTION_VIOLATION,
				DAT_PROTECTION_READ);
			refused(here.active.send(second.local(0, 8), 1), DAT_PROTECTION_VIOLATION,
				DAT_PROTECTION_READ);
			refused(there.active.recv(second.local(0, 8), 1), DAT_PRIVILEGES_VIOLATION,
				DAT_PRIVILEGES_WRITE);
			fill(first.bytes(0, shared_size), 4);
			ok(there.active.write(second.local(0, shared_size),
					      target.remote(0, shared_size), 2));
			there.active.expect_request(2, shared_size);
			there.settle();
			require_pattern(target.bytes(0, shared_size), 4);
			/* It needs the first one no more. */
			first.free();
			fill(first.bytes(0, shared_size), 5);
			ok(there.active.write(second.local(0, shared_size),
					      target.remote(0, shared_size), 3));
			there.active.expect_request(3, shared_size);
			there.settle();
			require_pattern(target.bytes(0, shared_size), 5);
		}
		ok(dat_pz_free(zone));
	});
}

/* The same with more privileges than the first one has, and over an LMR that is over one. */
TEST(DatLmrCreate, UsageOverAnLmrWithMorePrivileges)
{
	play([](Line &) {
		Adapter adapter;
		Region first(adapter, shared_size, DAT_MEM_PRIV_LOCAL_READ_FLAG),
			own(adapter, shared_size);
		Lmr second(adapter, DAT_MEM_TYPE_LMR, over(first.lmr()), 0, all_privileges);
		Lmr third(adapter, DAT_MEM_TYPE_LMR, over(second.lmr), 0,
			  DAT_MEM_PRIV_REMOTE_READ_FLAG);
		Pair pair(adapter);

		ok(second.result);
		ok(third.result);
		EXPECT_NE(second.rmr_context, third.rmr_context);
		fill(own.bytes(0, shared_size), 6);
		ok(pair.active.write(own.local(0, shared_size), second.remote(0, shared_size), 1));
		pair.active.expect_request(1, shared_size);
		std::fill_n(own.data(), shared_size, static_cast<unsigned char>(0));
		ok(pair.active.read(own.local(0, shared_size), third.remote(0, shared_size), 2));
		pair.active.expect_request(2, shared_size);
		require_pattern(own.bytes(0, shared_size), 6);
	});
}

/* "Consumer virtual memory with strong memory ordering": what was asked for stays */
TEST(DatLmrCreate, ParametersSoVirtual)
{
	for (const char *prefix : { "", "RO_AWARE_" }) {
		play([&](Line &) {
			Adapter adapter(prefix + adapter_name());
			Pages pages(size);
			Call call(adapter, pages);
			DAT_LMR_PARAM param;

			call.type = DAT_MEM_TYPE_SO_VIRTUAL;
			ok(call());
			ok(dat_lmr_query(call.lmr, DAT_LMR_FIELD_ALL, &param));
			EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_SO_VIRTUAL);
			EXPECT_EQ(param.region_desc.for_va, pages.data());
			call.free();
		});
	}
}

/* "opened without RO_AWARE_ ... DAT_MEM_TYPE_VIRTUAL is implicitly converted to this type" */
TEST(DatLmrCreate, ParametersVirtualIsConvertedToSoVirtual)
{
	with_call([](const Adapter &, Call &call) {
		DAT_LMR_PARAM param;

		ok(call());
		ok(dat_lmr_query(call.lmr, DAT_LMR_FIELD_MEM_TYPE, &param));
		EXPECT_EQ(param.mem_type, DAT_MEM_TYPE_SO_VIRTUAL);
		call.free();
	});
}

/** What a program made shared for a second one, which has it elsewhere. */
struct Peers {
	Peers() : fd(make_object()) {}
	Peers(const Peers &) = delete;
	Peers &operator=(const Peers &) = delete;
	~Peers() { close(fd); }

	int fd;
};

/* "All DAT Consumers ... specify the same Consumer cookie", at addresses of their own */
TEST(DatLmrCreate, ParametersSharedByProgramsAtDifferentAddresses)
{
	Peers peers;
	const auto transfer = [](const Adapter &adapter, const Lmr &lmr, std::size_t to) {
		Pair pair(adapter);

		ok(pair.active.write(lmr.local(0, 1000), lmr.remote(to, 1000), 1));
		pair.active.expect_request(1, 1000);
		pair.settle();
	};

	play(
		[&](Line &line) {
			Adapter adapter;
			Mapping pages(peers.fd);
			SharedLmr lmr(adapter, pages.data(), shared_cookie());

			ok(lmr.result);
			EXPECT_EQ(lmr.address, reinterpret_cast<DAT_VADDR>(pages.data()));
			EXPECT_EQ(lmr.registered, shared_size);
			fill({ pages.data(), 1000 }, 8);
			transfer(adapter, lmr, page);
			line.send(pages.data());
			line.await();
			require_pattern({ pages.data() + 2 * page, 1000 }, 9);
		},
		[&](Line &line) {
			Adapter adapter;
			Mapping elsewhere(peers.fd, shared_size), pages(peers.fd);
			const auto *other = line.receive<unsigned char *>();
			SharedLmr lmr(adapter, pages.data(), shared_cookie());

			ok(lmr.result);
			require(pages.data() != other, "both have it at the same address");
			require_pattern({ pages.data() + page, 1000 }, 8);
			fill({ pages.data(), 1000 }, 9);
			transfer(adapter, lmr, 2 * page);
			line.tell();
		});
}

/* "must allocate the memory region as shared memory using Platform-specific primitives" */
TEST(DatLmrCreate, ParametersEveryKindOfSharedMemory)
{
	play([](Line &) {
		Adapter adapter;
		const int segment = static_cast<int>(sys(shmget(IPC_PRIVATE, shared_size, 0600)));
		void *attached = shmat(segment, nullptr, 0);
		Mapping file(make_object()),
			anonymous(-1, 0, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);

		sys(shmctl(segment, IPC_RMID, nullptr));
		for (unsigned char *pages :
		     { file.data(), anonymous.data(), static_cast<unsigned char *>(attached) })
			ok(SharedLmr(adapter, pages, shared_cookie()).result);
		shmdt(attached);
	});
}

/* "must check the entire 40 bytes": they differ in the last one alone */
TEST(DatLmrCreate, DescriptionTheLastByteOfTheCookieCounts)
{
	play([](Line &) {
		Adapter adapter;
		Mapping one(make_object()), two(make_object());
		SharedLmr first(adapter, one.data(), shared_cookie('y'));
		SharedLmr second(adapter, two.data(), shared_cookie('z'));

		EXPECT_EQ(DAT_LMR_COOKIE_SIZE, 40);
		ok(first.result);
		ok(second.result);
		refused(SharedLmr(adapter, two.data(), shared_cookie('y')).result,
			DAT_INVALID_STATE, DAT_NO_SUBTYPE);
		refused(SharedLmr(adapter, one.data(), shared_cookie('z')).result,
			DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	});
}

/* "shall not interpret it as a null-terminated string" */
TEST(DatLmrCreate, DescriptionTheCookieIsNoString)
{
	play([](Line &) {
		Adapter adapter;
		Mapping one(make_object()), two(make_object());
		Cookie zeros{}, last{};
		last.back() = 1;
		SharedLmr first(adapter, one.data(), zeros), second(adapter, two.data(), last);

		ok(first.result);
		ok(second.result);
		refused(SharedLmr(adapter, one.data(), last).result, DAT_INVALID_STATE,
			DAT_NO_SUBTYPE);
	});
}

/* "a unique identifier of the shared memory region": of one, and of all of it */
TEST(DatLmrCreate, InvalidStateTheCookieOverOtherMemory)
{
	play([](Line &) {
		Adapter adapter;
		const int fd = make_object();
		Mapping pages(fd), next(fd, page), other(make_object());
		SharedLmr lmr(adapter, pages.data(), shared_cookie(), 2 * page);

		ok(lmr.result);
		ok(SharedLmr(adapter, pages.data(), shared_cookie(), 2 * page).result);
		for (auto [start, length] :
		     { std::tuple{ other.data(), 2 * page }, std::tuple{ next.data(), 2 * page },
		       std::tuple{ pages.data(), page }, std::tuple{ pages.data(), 3 * page } })
			refused(SharedLmr(adapter, start, shared_cookie(), length).result,
				DAT_INVALID_STATE, DAT_NO_SUBTYPE);
		lmr.free();
		ok(SharedLmr(adapter, other.data(), shared_cookie(), page).result);
	});
}

/* Who runs as another user is none of those who share, though he knows the cookie. */
TEST(DatLmrCreate, InvalidStateTheCookieOfAnotherUser)
{
	Peers peers;

	play(
		[&](Line &line) {
			Adapter adapter;
			Mapping pages(peers.fd);
			SharedLmr lmr(adapter, pages.data(), shared_cookie());

			ok(lmr.result);
			line.meet();
			line.await();
		},
		[&](Line &line) {
			Adapter adapter;
			Mapping pages(peers.fd);

			line.meet();
			sys(seteuid(1000));
			refused(SharedLmr(adapter, pages.data(), shared_cookie()).result,
				DAT_INVALID_STATE, DAT_NO_SUBTYPE);
			ok(SharedLmr(adapter, pages.data(), shared_cookie('y')).result);
			sys(seteuid(0));
			line.tell();
		});
}

/* "shared virtual buffer was not created shared by the platform" */
TEST(DatLmrCreate, InvalidStateSharedVirtualWasNotCreatedShared)
{
	play([](Line &) {
		Adapter adapter;
		Pages anonymous(shared_size);
		const int fd = make_object();
		Mapping copy(fd, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE), fixed(fd, 0, PROT_READ);

		for (unsigned char *pages : { anonymous.data(), copy.data(), fixed.data() })
			refused(SharedLmr(adapter, pages, shared_cookie()).result,
				DAT_INVALID_STATE, DAT_NO_SUBTYPE);
	});
}

/* "failed due to resource limitations": more memory than may be pinned */
TEST(DatLmrCreate, InsufficientResourcesPinnedMemory)
{
	with_call([](const Adapter &, Call &call) {
		limit_pinned_memory(size - page);
		refused(call(), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
		call.length = size - page;
		ok(call());
		call.free();
	});
}

TEST(DatLmrCreate, InsufficientResourcesObjects)
{
	with_call([](const Adapter &, Call &call) {
		check_without_objects(call, DAT_RESOURCE_MEMORY_REGION);
		call.free();
	});
}

/* Registering over a connection of the zone's takes a queue and two ends besides. */
TEST(DatLmrCreate, InsufficientResourcesObjectsOfTheConnection)
{
	with_call([](const Adapter &, Call &call) {
		std::string frwr;
		std::ifstream("/sys/module/kdapl/parameters/frwr_only") >> frwr;
		{
			DeviceLimit limit("hca_object=3");
			const DAT_RETURN result = call();

			if (frwr == "Y") {
				refused(result, DAT_INSUFFICIENT_RESOURCES,
					DAT_RESOURCE_MEMORY_REGION);
			} else {
				ok(result);
				call.free();
			}
		}
		{
			DeviceLimit limit("hca_object=4");
			ok(call());
			call.free();
		}
	});
}

TEST(DatLmrCreate, InsufficientResourcesNoHeap)
{
	if (!counts_allocations)
		GTEST_SKIP() << "a sanitizer has the heap";
	with_call([](const Adapter &, Call &call) {
		check_without_heap(call);
		call.free();
	});
}

} // namespace
} // namespace suite
