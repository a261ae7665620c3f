// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RMRs: a peer reaches what a window shows, and never what it showed before or
 * what lies beside it. In all tests the passive end binds and the active one
 * reads and writes.
 */

#include "module_state.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "raw_device.hpp"
#include "window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

namespace suite {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t size = 16 * page;
constexpr unsigned char untouched = 0x3c;

/** A connected pair, memory that windows show, and memory of the peer's own. */
struct Stage {
	explicit Stage(const EndpointSizes &sizes = {})
		: pair(adapter, sizes), shown(adapter, size), own(adapter, size), window(adapter)
	{
		std::fill_n(shown.data(), size, untouched);
	}

	Endpoint &binder() { return pair.passive; }
	Endpoint &peer() { return pair.active; }

	/** The peer writes a pattern into all of the window, and finds it there. */
	void write_and_read(const DAT_RMR_TRIPLET &remote, std::uint64_t seed,
			    Location where = Location::current())
	{
		auto place = std::span(reinterpret_cast<unsigned char *>(remote.target_address),
				       remote.segment_length);
		auto half = size / 2;

		fill(own.bytes(0, place.size()), seed);
		ok(peer().write(own.local(0, place.size()), remote, 1), where);
		peer().expect_request(1, place.size(), where);
		pair.settle(where);
		require_pattern(place, seed, where);
		std::fill_n(own.data() + half, place.size(), untouched);
		ok(peer().read(own.local(half, place.size()), remote, 2), where);
		peer().expect_request(2, place.size(), where);
		require_pattern(own.bytes(half, place.size()), seed, where);
	}

	void reconnect(Location where = Location::current())
	{
		ok(dat_ep_reset(peer().ep()), where);
		ok(dat_ep_reset(binder().ep()), where);
		pair.connect(adapter, where);
	}

	/**
	 * The peer's access breaks the connection, and nothing of the memory
	 * changes; afterwards both ends are connected again.
	 */
	void refuse(bool write, const DAT_RMR_TRIPLET &remote, Location where = Location::current())
	{
		std::vector<unsigned char> before(shown.data(), shown.data() + size);
		auto length = remote.segment_length;

		std::fill_n(own.data(), size, static_cast<unsigned char>(~untouched));
		if (write)
			ok(peer().write(own.local(0, length), remote, 9), where);
		else
			ok(peer().read(own.local(0, length), remote, 9), where);
		DAT_EVENT event = peer().request_queue().expect(DAT_DTO_COMPLETION_EVENT, where);
		/* iWARP completes a write before the peer has seen it. */
		if (!Adapter::iwarp())
			require(event.event_data.dto_completion_event_data.status ==
					DAT_DTO_ERR_REMOTE_ACCESS,
				"the access was not refused", where);
		peer().expect_broken(adapter, where);
		binder().expect_end(where);
		require(std::equal(before.begin(), before.end(), shown.data()),
			"a refused access changed the memory", where);
		if (!write)
			require_bytes(own.bytes(0, size), static_cast<unsigned char>(~untouched),
				      where);
		reconnect(where);
	}

	Adapter adapter;
	Pair pair;
	Region shown, own;
	Window window;
};

DAT_LMR_PARAM query(DAT_LMR_HANDLE lmr)
{
	DAT_LMR_PARAM param;

	ok(dat_lmr_query(lmr, DAT_LMR_FIELD_ALL, &param));
	return param;
}

TEST(Rmr, ShowsWhatItIsBoundTo)
{
	play([](Line &) {
		Stage stage;
		DAT_RMR_PARAM param;
		DAT_HANDLE_TYPE type;

		ok(dat_get_handle_type(stage.window.rmr(), &type));
		EXPECT_EQ(type, DAT_HANDLE_TYPE_RMR);
		for (auto [offset, length] : { std::pair<std::size_t, std::size_t>{ 0, size / 2 },
					       { 1, 1 },
					       { page - 1, 200 },
					       { page + 7, 3 * page },
					       { size - page - 3, page + 3 } }) {
			auto what = stage.shown.local(offset, length);
			auto remote = stage.window.bind(stage.binder(), what);

			stage.write_and_read(remote, offset + length);
			ok(dat_rmr_query(stage.window.rmr(), DAT_RMR_FIELD_ALL, &param));
			EXPECT_EQ(param.ia_handle, stage.adapter.ia());
			EXPECT_EQ(param.pz_handle, stage.adapter.pz());
			EXPECT_EQ(param.lmr_triplet.lmr_context, what.lmr_context);
			EXPECT_EQ(param.lmr_triplet.virtual_address, what.virtual_address);
			EXPECT_EQ(param.lmr_triplet.segment_length, what.segment_length);
			EXPECT_EQ(param.mem_priv, both);
			EXPECT_EQ(param.rmr_context, remote.rmr_context);
		}
	});
}

TEST(Rmr, BesideTheWindowIsNothing)
{
	play([](Line &) {
		Stage stage;
		auto what = stage.shown.local(2 * page + 100, 1000);
		auto remote = stage.window.bind(stage.binder(), what);

		for (bool write : { true, false }) {
			auto before = remote, behind = remote, longer = remote;

			before.target_address--;
			behind.target_address += remote.segment_length;
			behind.segment_length = 1;
			longer.segment_length++;
			stage.refuse(write, before);
			stage.refuse(write, behind);
			stage.refuse(write, longer);
		}
		stage.write_and_read(remote, 5);
	});
}

TEST(Rmr, PrivilegesOfTheWindow)
{
	play([](Line &) {
		Stage stage;
		auto what = stage.shown.local(0, 1000);

		stage.refuse(true, stage.window.bind(stage.binder(), what,
						     DAT_MEM_PRIV_REMOTE_READ_FLAG));
		/* siw answers a read without asking for the privilege. */
		if (!Adapter::iwarp()) {
			stage.refuse(false, stage.window.bind(stage.binder(), what,
							      DAT_MEM_PRIV_REMOTE_WRITE_FLAG));
			stage.refuse(false, stage.window.bind(stage.binder(), what,
							      DAT_MEM_PRIV_NONE_FLAG));
		}
		stage.refuse(true, stage.window.bind(stage.binder(), what, DAT_MEM_PRIV_NONE_FLAG));
	});
}

TEST(Rmr, OldContextIsRefused)
{
	play([](Line &) {
		Stage stage;
		auto old = stage.window.bind(stage.binder(), stage.shown.local(0, page));
		auto now = stage.window.bind(stage.binder(), stage.shown.local(4 * page, page));
		auto disguised = now;

		EXPECT_NE(old.rmr_context, now.rmr_context);
		disguised.rmr_context = old.rmr_context;
		for (bool write : { true, false }) {
			stage.refuse(write, old);
			stage.refuse(write, disguised);
		}
		/* The breaks of the connection took nothing from the window. */
		stage.write_and_read(now, 6);
	});
}

TEST(Rmr, UnboundIsRefused)
{
	play([](Line &) {
		Stage stage;
		auto remote = stage.window.bind(stage.binder(), stage.shown.local(0, page));

		stage.window.unbind(stage.binder());
		stage.refuse(true, remote);
		stage.refuse(false, remote);
		/* Nothing to unbind is no reason to fail. */
		stage.window.unbind(stage.binder());
		stage.write_and_read(
			stage.window.bind(stage.binder(), stage.shown.local(page, page)), 7);
	});
}

TEST(Rmr, FreedIsRefused)
{
	play([](Line &) {
		Stage stage;
		auto remote = stage.window.bind(stage.binder(), stage.shown.local(0, page));
		auto handle = stage.window.rmr();
		DAT_RMR_PARAM param;

		stage.window.free();
		fails(DAT_INVALID_HANDLE, dat_rmr_free(handle));
		fails(DAT_INVALID_HANDLE, dat_rmr_query(handle, DAT_RMR_FIELD_ALL, &param));
		stage.refuse(true, remote);
		stage.refuse(false, remote);
	});
}

/*
 * How many former contexts may come back. The module counts the keys of an MR, and none
 * does. Over siw a window has the one that the device draws, by chance out of 2^24: 700
 * binds meet one again in a run of seventy, and four in none of a hundred million.
 */
std::size_t may_come_back()
{
	return Adapter::iwarp() ? 3 : 0;
}

/* Over the places of the region in turn; an MR has 256 keys. */
void bind_often(std::uint64_t times)
{
	Stage stage;
	std::set<DAT_RMR_CONTEXT> seen;
	std::vector<DAT_RMR_TRIPLET> all;

	for (std::uint64_t i = 0; i < times; i++) {
		auto what = stage.shown.local(i % 4 * page, page);
		auto remote = stage.window.bind(stage.binder(), what);

		require(all.empty() || all.back().rmr_context != remote.rmr_context,
			"the same context twice running");
		seen.insert(remote.rmr_context);
		all.push_back(remote);
		require(all.size() - seen.size() <= may_come_back(), "a context came back");
		if (i % 16 == 0)
			stage.write_and_read(remote, i);
	}
	auto now = all.back();
	for (std::size_t i : { std::size_t{ 0 }, all.size() / 2, all.size() - 2 }) {
		auto disguised = now;

		disguised.rmr_context = all[i].rmr_context;
		stage.refuse(true, disguised);
		stage.refuse(false, disguised);
	}
	stage.write_and_read(now, 8);
}

TEST(Rmr, ContextsDoNotComeBack)
{
	play([](Line &) { bind_often(700); });
}

/* As on devices whose MRs are bound again and again. */
TEST(Rmr, ContextsDoNotComeBackWhereMrsDo)
{
	ModuleParameter reuse("rmr_reuse", "Y");

	play([](Line &) { bind_often(700); });
}

/* The context is sent without a wait for the bind; the bind comes first. */
TEST(Rmr, WhatIsPostedBehindWaits)
{
	play([](Line &) {
		Stage stage;

		for (DAT_UINT64 i = 0; i < 20; i++) {
			auto message = stage.shown.local(8 * page, sizeof(DAT_RMR_TRIPLET));
			auto *place = stage.shown.data() + 8 * page;
			DAT_RMR_TRIPLET remote;

			ok(stage.peer().recv(stage.own.local(0, sizeof remote), i));
			ok(stage.window.post(stage.binder(), stage.shown.local(i % 3 * page, page),
					     i, &remote));
			std::copy_n(reinterpret_cast<unsigned char *>(&remote), sizeof remote,
				    place);
			ok(stage.binder().send(message, 100 + i));
			stage.peer().expect_recv(i, sizeof remote);
			DAT_RMR_TRIPLET told;
			std::copy_n(stage.own.data(), sizeof told,
				    reinterpret_cast<unsigned char *>(&told));
			ok(stage.peer().write(stage.own.local(page, page), told, i));
			stage.peer().expect_request(i, page);
			stage.window.expect_bound(stage.binder(), i, DAT_RMR_BIND_SUCCESS);
			stage.binder().expect_request(100 + i, sizeof remote);
		}
	});
}

TEST(Rmr, ManyBindsAtOnceEndInOrder)
{
	play([](Line &) {
		Stage stage;
		DAT_RMR_TRIPLET remote[4];

		for (DAT_UINT64 round = 0; round < 10; round++) {
			for (DAT_UINT64 i = 0; i < 4; i++)
				ok(stage.window.post(stage.binder(),
						     stage.shown.local(i * page, page), i,
						     &remote[i], both,
						     i == 2 ? DAT_COMPLETION_SUPPRESS_FLAG :
							      DAT_COMPLETION_BARRIER_FENCE_FLAG));
			for (DAT_UINT64 i : { 0, 1, 3 })
				stage.window.expect_bound(stage.binder(), i, DAT_RMR_BIND_SUCCESS);
			stage.write_and_read(remote[3], round);
		}
		stage.binder().request_queue().require_empty();
		stage.refuse(true, remote[2]);
	});
}

TEST(Rmr, OneWindowOverManyConnections)
{
	play([](Line &) {
		Stage stage;
		Pair other(stage.adapter);
		auto first = stage.window.bind(stage.binder(), stage.shown.local(0, page));

		/* It is the PZ that a context is good for. */
		ok(other.active.write(stage.own.local(0, page), first, 1));
		other.active.expect_request(1, page);
		auto second = stage.window.bind(other.passive, stage.shown.local(page, page));
		stage.write_and_read(second, 3);
		stage.refuse(true, first);
	});
}

/* ---- what is refused ---- */

TEST(Rmr, BadHandlesAndArguments)
{
	play([](Line &) {
		Stage stage;
		auto what = stage.shown.local(0, page);
		DAT_RMR_CONTEXT context;
		DAT_RMR_HANDLE rmr = stage.window.rmr(), other;
		DAT_RMR_PARAM param;
		auto bind = [&](DAT_RMR_HANDLE window, const DAT_LMR_TRIPLET *triplet,
				unsigned privileges, DAT_EP_HANDLE ep, unsigned flags,
				DAT_RMR_CONTEXT *out) {
			return dat_rmr_bind(
				window, triplet, static_cast<DAT_MEM_PRIV_FLAGS>(privileges), ep,
				cookie_of(1), static_cast<DAT_COMPLETION_FLAGS>(flags), out);
		};
		DAT_EP_HANDLE ep = stage.binder().ep();

		fails(DAT_INVALID_HANDLE, dat_rmr_create(stage.adapter.ia(), &other));
		fails(DAT_INVALID_HANDLE, dat_rmr_create(DAT_HANDLE_NULL, &other));
		fails(DAT_INVALID_PARAMETER, dat_rmr_create(stage.adapter.pz(), nullptr));
		fails(DAT_INVALID_HANDLE, dat_rmr_free(stage.shown.lmr()));
		fails(DAT_INVALID_HANDLE, dat_rmr_query(ep, DAT_RMR_FIELD_ALL, &param));
		fails(DAT_INVALID_PARAMETER,
		      dat_rmr_query(rmr, static_cast<DAT_RMR_PARAM_MASK>(0x20), &param));
		fails(DAT_INVALID_PARAMETER, dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, nullptr));
		fails(DAT_INVALID_HANDLE, bind(ep, &what, 0x22, ep, 0, &context));
		fails(DAT_INVALID_HANDLE, bind(rmr, &what, 0x22, rmr, 0, &context));
		fails(DAT_INVALID_PARAMETER, bind(rmr, nullptr, 0x22, ep, 0, &context));
		fails(DAT_INVALID_PARAMETER, bind(rmr, &what, 0x40, ep, 0, &context));
		fails(DAT_INVALID_PARAMETER, bind(rmr, &what, 0x22, ep, 2, &context));
		fails(DAT_INVALID_PARAMETER, bind(rmr, &what, 0x22, ep, 4, &context));
		fails(DAT_INVALID_PARAMETER, bind(rmr, &what, 0x22, ep, 0, nullptr));
		what.virtual_address--;
		fails(DAT_INVALID_PARAMETER, bind(rmr, &what, 0x22, ep, 0, &context));
		what = stage.shown.local(1, size);
		fails(DAT_INVALID_PARAMETER, bind(rmr, &what, 0x22, ep, 0, &context));
		what.segment_length = ~DAT_VLEN{ 0 };
		fails(DAT_INVALID_PARAMETER, bind(rmr, &what, 0x22, ep, 0, &context));
		what = stage.shown.local(0, page);
		what.lmr_context = 0x7ffffff0;
		fails(DAT_PRIVILEGES_VIOLATION, bind(rmr, &what, 0x22, ep, 0, &context));
		stage.binder().request_queue().require_empty();
		what = stage.shown.local(0, page);
		ok(bind(rmr, &what, 0x33, ep, 0, &context));
		stage.window.expect_bound(stage.binder(), 1, DAT_RMR_BIND_SUCCESS);
	});
}

TEST(Rmr, PrivilegesOfTheRegion)
{
	play([](Line &) {
		Stage stage;
		Region read(stage.adapter, page, DAT_MEM_PRIV_LOCAL_READ_FLAG);
		Region write(stage.adapter, page, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);
		DAT_RMR_TRIPLET remote;
		auto post = [&](const Region &region, DAT_MEM_PRIV_FLAGS privileges) {
			return stage.window.post(stage.binder(), region.local(0, page), 1, &remote,
						 privileges);
		};

		EXPECT_EQ(post(read, DAT_MEM_PRIV_REMOTE_WRITE_FLAG),
			  DAT_ERROR(DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE));
		EXPECT_EQ(post(write, DAT_MEM_PRIV_REMOTE_READ_FLAG),
			  DAT_ERROR(DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ));
		fails(DAT_PRIVILEGES_VIOLATION, post(read, both));
		/* Neither gave the peer anything; a window does. */
		fill(std::span(read.data(), page), 4);
		ok(post(read, DAT_MEM_PRIV_REMOTE_READ_FLAG));
		stage.window.expect_bound(stage.binder(), 1, DAT_RMR_BIND_SUCCESS);
		ok(stage.peer().read(stage.own.local(0, page), remote, 3));
		stage.peer().expect_request(3, page);
		require_pattern(stage.own.bytes(0, page), 4);
		stage.window.unbind(stage.binder());
	});
}

TEST(Rmr, ZonesMustBeTheSame)
{
	play([](Line &) {
		Stage stage;
		DAT_PZ_HANDLE pz;

		ok(dat_pz_create(stage.adapter.ia(), &pz));
		{
			Window strange(stage.adapter, pz);
			Region foreign(stage.adapter, page, all_privileges, pz);

			fails(DAT_PROTECTION_VIOLATION,
			      strange.post(stage.binder(), stage.shown.local(0, page), 1, nullptr));
			fails(DAT_PROTECTION_VIOLATION,
			      stage.window.post(stage.binder(), foreign.local(0, page), 1,
						nullptr));
			EXPECT_EQ(dat_pz_free(pz),
				  DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE));
		}
		ok(dat_pz_free(pz));
	});
}

TEST(Rmr, LongestBind)
{
	play([](Line &) {
		Stage stage;
		std::size_t longest =
			std::stoul(stage.adapter.named_attribute("KDAPL_MAX_RMR_SIZE"));
		EXPECT_GT(stage.adapter.attributes().max_rmrs, 0);
		require(longest >= page, "no RMR at all");
		/* One that starts within a page. */
		if (stage.adapter.attributes().max_lmr_block_size < longest + page)
			return;
		Region region(stage.adapter, longest + page);
		auto remote = stage.window.bind(stage.binder(), region.local(page - 1, longest));

		remote.target_address += longest - page;
		remote.segment_length = page;
		stage.write_and_read(remote, 4);
		EXPECT_EQ(
			stage.window.post(stage.binder(), region.local(0, longest + 1), 1, nullptr),
			DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY_REGION));
		stage.window.unbind(stage.binder());
	});
}

/* ---- states ---- */

TEST(Rmr, StateOfTheEndpoint)
{
	play([](Line &) {
		Stage stage;
		Endpoint fresh(stage.adapter);
		auto what = stage.shown.local(0, page);
		DAT_RMR_TRIPLET remote;

		EXPECT_EQ(stage.window.post(fresh, what, 1, nullptr),
			  DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_EP_UNCONNECTED));
		auto bound = stage.window.bind(stage.binder(), what);
		ok(dat_ep_disconnect(stage.peer().ep(), DAT_CLOSE_ABRUPT_FLAG));
		stage.peer().expect_end();
		stage.binder().expect_end();
		/* It is flushed at once, and changes nothing. */
		ok(stage.window.post(stage.binder(), stage.shown.local(page, page), 2, &remote,
				     both, DAT_COMPLETION_SUPPRESS_FLAG));
		stage.window.expect_bound(stage.binder(), 2, DAT_DTO_ERR_FLUSHED);
		ok(stage.window.post(stage.binder(), DAT_LMR_TRIPLET{}, 3, nullptr));
		stage.window.expect_bound(stage.binder(), 3, DAT_DTO_ERR_FLUSHED);
		stage.reconnect();
		stage.write_and_read(bound, 5);
		stage.refuse(true, remote);
	});
}

TEST(Rmr, SlotsOfTheQueue)
{
	play([](Line &) {
		Stage stage(EndpointSizes{ .requests = 3 });
		auto what = stage.shown.local(0, page);

		for (int i = 0; i < 10; i++) {
			ok(stage.window.post(stage.binder(), what, 1, nullptr));
			DAT_RETURN second = stage.window.post(stage.binder(), what, 2, nullptr);
			stage.window.expect_bound(stage.binder(), 1, DAT_RMR_BIND_SUCCESS);
			if (second == DAT_SUCCESS)
				stage.window.expect_bound(stage.binder(), 2, DAT_RMR_BIND_SUCCESS);
			else
				fails(DAT_INSUFFICIENT_RESOURCES, second);
		}
		Stage small(EndpointSizes{ .requests = 1 });
		EXPECT_EQ(small.window.post(small.binder(), small.shown.local(0, 1), 1, nullptr),
			  DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS));
	});
}

/**
 * A bind that has to wait: what stands before it, the peer does not take, and an
 * invalidation waits for that.
 */
DAT_RMR_TRIPLET bind_that_waits(Stage &stage)
{
	DAT_RMR_TRIPLET remote;

	ok(stage.binder().send(stage.shown.local(8 * page, 1), 1));
	ok(stage.window.post(stage.binder(), stage.shown.local(page, page), 2, &remote));
	stage.binder().request_queue().require_empty();
	return remote;
}

/** The context names nothing: an access breaks the connection, and they connect again. */
void require_dead(Stage &stage, const DAT_RMR_TRIPLET &remote, Location where = Location::current())
{
	ok(stage.peer().write(stage.own.local(0, page), remote, 9), where);
	stage.peer().expect_request_failure(9, DAT_DTO_ERR_REMOTE_ACCESS, where);
	stage.peer().expect_broken(stage.adapter, where);
	stage.binder().expect_end(where);
	require_bytes(stage.shown.bytes(0, 2 * page), untouched, where);
	stage.reconnect(where);
}

TEST(Rmr, FlushedBindLeavesItUnbound)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "without a receive at the peer the connection ends";
	play([](Line &) {
		Stage stage;
		auto before = stage.window.bind(stage.binder(), stage.shown.local(0, page));
		auto remote = bind_that_waits(stage);

		ok(dat_ep_disconnect(stage.peer().ep(), DAT_CLOSE_ABRUPT_FLAG));
		stage.peer().expect_end();
		stage.binder().request_queue().expect(DAT_DTO_COMPLETION_EVENT);
		stage.window.expect_bound(stage.binder(), 2, DAT_DTO_ERR_FLUSHED);
		stage.binder().expect_end();
		/* Nothing keeps the region. */
		stage.shown.free();
		stage.reconnect();
		require_dead(stage, before);
		require_dead(stage, remote);
	});
}

TEST(Rmr, FreeEndsWhatStandsInItsWay)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "without a receive at the peer the connection ends";
	play([](Line &) {
		Stage stage;
		auto before = stage.window.bind(stage.binder(), stage.shown.local(0, page));
		auto remote = bind_that_waits(stage);

		stage.window.free();
		stage.binder().request_queue().expect(DAT_DTO_COMPLETION_EVENT);
		stage.binder().request_queue().expect(DAT_RMR_BIND_COMPLETION_EVENT);
		stage.binder().expect_connection(DAT_CONNECTION_EVENT_BROKEN);
		stage.peer().expect_end();
		stage.reconnect();
		require_dead(stage, before);
		require_dead(stage, remote);
	});
}

TEST(Rmr, RegionIsInUseWhileBound)
{
	play([](Line &) {
		Stage stage;
		Region *region = &stage.shown;
		auto in_use = DAT_ERROR(DAT_INVALID_STATE, DAT_INVALID_STATE_LMR_IN_USE);

		stage.window.bind(stage.binder(), region->local(0, page));
		EXPECT_EQ(dat_lmr_free(region->lmr()), in_use);
		stage.window.bind(stage.binder(), stage.own.local(0, page));
		EXPECT_EQ(dat_lmr_free(stage.own.lmr()), in_use);
		region->free();
		stage.window.unbind(stage.binder());
		stage.own.free();
	});
}

/* What the window shows was charged when it was registered. */
TEST(Rmr, PagesAreChargedOnce)
{
	play([](Line &) {
		Stage stage;
		auto pinned = module_query().pinned;

		stage.window.bind(stage.binder(), stage.shown.local(0, page));
		EXPECT_EQ(module_query().pinned, pinned);
		EXPECT_EQ(query(stage.shown.lmr()).length, size);
	});
}

TEST(Rmr, FreedWithBindsUnderWay)
{
	play([](Line &) {
		Stage stage;
		DAT_RMR_TRIPLET remote{};

		for (int i = 0; i < 20; i++) {
			auto window = new Window(stage.adapter);

			for (DAT_UINT64 n = 0; n < 3; n++)
				ok(window->post(stage.binder(), stage.shown.local(n * page, page),
						n, &remote));
			window->free();
			for (int n = 0; n < 3; n++)
				stage.binder().request_queue().expect(
					DAT_RMR_BIND_COMPLETION_EVENT);
			delete window;
		}
		stage.refuse(true, remote);
		stage.refuse(false, remote);
	});
}

TEST(Rmr, EndpointFreedWithBindsUnderWay)
{
	play([](Line &) {
		for (int i = 0; i < 10; i++) {
			Stage stage;
			DAT_RMR_TRIPLET remote;

			for (DAT_UINT64 n = 0; n < 4; n++)
				ok(stage.window.post(stage.binder(),
						     stage.shown.local(n * page, page), n,
						     &remote));
			stage.binder().free();
			stage.window.free();
			stage.shown.free();
		}
	});
}

/* The fixture looks whether anything is left of it. */
TEST(Rmr, ProgramEndsWithBindsUnderWay)
{
	for (int binds : { 0, 1, 5 }) {
		play([binds](Line &) {
			auto stage = new Stage;

			stage->window.bind(stage->binder(), stage->shown.local(0, page));
			for (int n = 0; n < binds; n++)
				ok(stage->window.post(stage->binder(),
						      stage->shown.local(n * page, page), 1,
						      nullptr));
		});
	}
}

TEST(Rmr, IaClosedWithEverything)
{
	play([](Line &) {
		auto stage = new Stage;

		stage->window.bind(stage->binder(), stage->shown.local(0, page));
		ok(stage->window.post(stage->binder(), stage->shown.local(page, page), 1, nullptr));
		stage->adapter.close_abruptly();
	});
}

/* ---- without the library ---- */

TEST(HostileRmr, BadBinds)
{
	play([](Line &) {
		RawIa ia;
		Pages pages(page);
		std::uint32_t pz = ia.pz();
		std::uint32_t ep = ia.ep_create(pz, ia.evd()).id;
		kdapl_rmr_create create{};
		kdapl_rmr_bind good{};
		auto bind = [&](auto spoil) {
			kdapl_rmr_bind arg = good;
			spoil(arg);
			return ia.file().call(KDAPL_RMR_BIND, arg);
		};

		create.pz = pz;
		create.pad = 1;
		EXPECT_EQ(ia.file().call(KDAPL_RMR_CREATE, create), EINVAL);
		create.pad = 0;
		ASSERT_EQ(ia.file().call(KDAPL_RMR_CREATE, create), 0);
		good.rmr = create.id;
		good.ep = ep;
		good.lmr = ia.lmr_create(pz, pages.data(), page).id;
		good.addr = reinterpret_cast<std::uintptr_t>(pages.data());
		good.length = page;
		good.privileges = KDAPL_PRIV_REMOTE_READ;
		EXPECT_EQ(bind([](auto &) {}), EBADFD);
		EXPECT_EQ(bind([](auto &a) { a.rmr = a.lmr; }), ENOENT);
		EXPECT_EQ(bind([](auto &a) { a.ep = a.lmr; }), ENOENT);
		EXPECT_EQ(bind([](auto &a) { a.lmr = a.ep; }), ENOENT);
		EXPECT_EQ(bind([](auto &a) { a.pad = 1; }), EINVAL);
		EXPECT_EQ(bind([](auto &a) { a.flags = KDAPL_SQE_SOLICITED; }), EINVAL);
		EXPECT_EQ(bind([](auto &a) { a.privileges = 0x100; }), EINVAL);
		EXPECT_EQ(bind([](auto &a) { a.privileges |= KDAPL_PRIV_REMOTE_ATOMIC; }), EINVAL);
		EXPECT_EQ(bind([](auto &a) { a.addr--; }), EINVAL);
		EXPECT_EQ(bind([](auto &a) { a.length++; }), EINVAL);
		EXPECT_EQ(bind([](auto &a) { a.length = ~0ULL; }), EINVAL);
		EXPECT_EQ(bind([](auto &a) { a.addr = ~0ULL; }), EINVAL);
		/* What was refused holds nothing. */
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_LMR, good.lmr), 0);
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_PZ, pz), EBUSY);
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_RMR, create.id), 0);
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_RMR, create.id), ENOENT);
	});
}

} // namespace
} // namespace suite
