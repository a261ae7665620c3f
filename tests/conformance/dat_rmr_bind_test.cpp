// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_rmr_bind(3DAT)

#include "ep_states.hpp"
#include "no_resources.hpp"
#include "play.hpp"
#include "result.hpp"
#include "sleeper.hpp"
#include "window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace suite {
namespace {

/** A connection whose passive end binds, and a call that does it. */
struct Scene {
	Scene()
		: pair(adapter), region(adapter, 8192), own(adapter, 8192), window(adapter),
		  rmr(window.rmr()), what(region.local(0, 64)), ep(pair.passive.ep())
	{
		std::fill_n(region.data(), 8192, 0xee);
	}
	DAT_RETURN call()
	{
		return dat_rmr_bind(rmr, &what, static_cast<DAT_MEM_PRIV_FLAGS>(privileges), ep,
				    cookie_of(cookie), static_cast<DAT_COMPLETION_FLAGS>(flags),
				    &context);
	}
	/** The call succeeds, and so does the bind; what the peer needs. */
	DAT_RMR_TRIPLET bind(Location where = Location::current())
	{
		ok(call(), where);
		window.expect_bound(pair.passive, cookie, DAT_RMR_BIND_SUCCESS, where);
		return { context, 0, what.virtual_address, what.segment_length };
	}
	/** All that was tried before was refused, and left no trace. */
	void require_no_effect(Location where = Location::current())
	{
		DAT_RMR_PARAM param;

		pair.passive.require_state(DAT_EP_STATE_CONNECTED, where);
		pair.passive.request_queue().require_empty(where);
		ok(dat_rmr_query(window.rmr(), DAT_RMR_FIELD_ALL, &param), where);
		require(param.lmr_triplet.segment_length == 0, "it was bound", where);
		pair.settle(where);
	}
	void require_written(const DAT_RMR_TRIPLET &remote, Location where = Location::current())
	{
		fill(own.bytes(0, 64), 7);
		ok(pair.active.write(own.local(0, 64), remote, 1), where);
		pair.active.expect_request(1, 64, where);
		pair.settle(where);
		require_pattern(
			std::span(reinterpret_cast<unsigned char *>(remote.target_address), 64), 7,
			where);
	}
	void require_refused(bool write, const DAT_RMR_TRIPLET &remote,
			     Location where = Location::current())
	{
		ok(write ? pair.active.write(own.local(0, 64), remote, 1) :
			   pair.active.read(own.local(0, 64), remote, 1),
		   where);
		DAT_EVENT event =
			pair.active.request_queue().expect(DAT_DTO_COMPLETION_EVENT, where);
		/* iWARP completes a write before the peer has seen it. */
		if (!adapter.iwarp())
			require(event.event_data.dto_completion_event_data.status ==
					DAT_DTO_ERR_REMOTE_ACCESS,
				"the access was not refused", where);
		pair.active.expect_broken(adapter, where);
		pair.passive.expect_end(where);
		require_bytes(region.bytes(0, 8192), 0xee, where);
	}

	Adapter adapter;
	Pair pair;
	Region region, own;
	Window window;
	DAT_RMR_HANDLE rmr;
	DAT_LMR_TRIPLET what;
	unsigned privileges = both;
	DAT_EP_HANDLE ep;
	DAT_UINT64 cookie = 42;
	unsigned flags = DAT_COMPLETION_DEFAULT_FLAG;
	DAT_RMR_CONTEXT context = 0;
};

void with_scene(void (*body)(Scene &))
{
	play([body](Line &) {
		Scene scene;

		body(scene);
	});
}

/* "binds the RMR to the specified memory region ... and provides the new rmr_context" */
TEST(DatRmrBind, DescriptionTheContextGivesAccess)
{
	with_scene([](Scene &s) { s.require_written(s.bind()); });
}

/* "notified ... through a rmr_bind Completion event on the request_evd_handle" */
TEST(DatRmrBind, DescriptionTheCompletionIsAnRmrEvent)
{
	with_scene([](Scene &s) {
		ok(s.call());
		DAT_EVENT event =
			s.pair.passive.request_queue().expect(DAT_RMR_BIND_COMPLETION_EVENT);
		EXPECT_EQ(event.event_data.rmr_completion_event_data.rmr_handle, s.rmr);
		EXPECT_EQ(event.event_data.rmr_completion_event_data.user_cookie.as_64, 42U);
		EXPECT_EQ(event.event_data.rmr_completion_event_data.status, DAT_RMR_BIND_SUCCESS);
		s.pair.passive.request_queue().require_empty();
		s.pair.passive.recv_queue().require_empty();
	});
}

/* "user_cookie ... not required to ensure the uniqueness ... is returned" */
TEST(DatRmrBind, DescriptionTheCookieIsReturned)
{
	with_scene([](Scene &s) {
		for (DAT_UINT64 cookie : { DAT_UINT64{ 5 }, DAT_UINT64{ 5 }, ~DAT_UINT64{ 0 } }) {
			s.cookie = cookie;
			s.bind();
		}
	});
}

/* "a Send DTO does not start until dat_rmr_bind() completed": it may carry the context */
TEST(DatRmrBind, DescriptionASendBehindItComesBehindIt)
{
	with_scene([](Scene &s) {
		DAT_RMR_TRIPLET told;
		const DAT_LMR_TRIPLET message = s.region.local(4096, sizeof told);

		s.pair.settle();
		for (int i = 0; i < 5; i++) {
			ok(s.pair.active.recv(s.own.local(4096, sizeof told), 8));
			ok(s.call());
			told = { s.context, 0, s.what.virtual_address, s.what.segment_length };
			std::memcpy(s.region.data() + 4096, &told, sizeof told);
			ok(s.pair.passive.send(message, 9));
			s.pair.active.expect_recv(8, sizeof told);
			std::memcpy(&told, s.own.data() + 4096, sizeof told);
			s.require_written(told);
			s.window.expect_bound(s.pair.passive, 42, DAT_RMR_BIND_SUCCESS);
			s.pair.passive.expect_request(9, sizeof told);
		}
	});
}

/* "RDMA DTO that uses the previous value of rmr_context after ... completed fail" */
TEST(DatRmrBind, DescriptionThePreviousContextIsDead)
{
	with_scene([](Scene &s) {
		DAT_RMR_TRIPLET previous = s.bind();

		s.what = s.region.local(4096, 64);
		const DAT_RMR_TRIPLET now = s.bind();
		EXPECT_NE(now.rmr_context, previous.rmr_context);
		s.require_refused(true, previous);
	});
}

/* ... also where both show the same memory */
TEST(DatRmrBind, DescriptionThePreviousContextIsDeadForTheSameMemory)
{
	with_scene([](Scene &s) {
		DAT_RMR_TRIPLET previous = s.bind();

		s.bind();
		s.require_refused(false, previous);
	});
}

/* "By default, dat_rmr_bind() generates notification completions." */
TEST(DatRmrBind, DescriptionASuppressedCompletionIsNotReported)
{
	with_scene([](Scene &s) {
		s.flags = DAT_COMPLETION_SUPPRESS_FLAG;
		ok(s.call());
		s.flags = DAT_COMPLETION_BARRIER_FENCE_FLAG;
		s.cookie = 43;
		s.bind();
		s.pair.passive.request_queue().require_empty();
	});
}

/* "restrict the type of remote accesses": remote write alone gives no remote read */
TEST(DatRmrBind, DescriptionPrivilegesRestrictReading)
{
	if (Adapter::iwarp())
		GTEST_SKIP() << "siw answers a read without asking for the privilege";
	with_scene([](Scene &s) {
		s.privileges = DAT_MEM_PRIV_REMOTE_WRITE_FLAG;
		s.require_refused(false, s.bind());
	});
}

/* ... and remote read alone no remote write */
TEST(DatRmrBind, DescriptionPrivilegesRestrictWriting)
{
	with_scene([](Scene &s) {
		s.privileges = DAT_MEM_PRIV_REMOTE_READ_FLAG;
		s.require_refused(true, s.bind());
	});
}

/* What lies beside it in the LMR is not shown. */
TEST(DatRmrBind, DescriptionTheRegionWithinTheLmr)
{
	with_scene([](Scene &s) {
		s.what = s.region.local(100, 64);
		DAT_RMR_TRIPLET remote = s.bind();
		remote.target_address++;
		s.require_refused(true, remote);
	});
}

/* "Set RMR's DAT_MEM_PRIV_REMOTE_READ_FLAG requires that LMR's ... LOCAL_READ_FLAG is also set" */
TEST(DatRmrBind, DescriptionPrivilegesOfTheLmr)
{
	with_scene([](Scene &s) {
		Region readable(s.adapter, 4096, DAT_MEM_PRIV_LOCAL_READ_FLAG);
		Region writable(s.adapter, 4096, DAT_MEM_PRIV_LOCAL_WRITE_FLAG);

		s.what = writable.local(0, 64);
		s.privileges = DAT_MEM_PRIV_REMOTE_READ_FLAG;
		refused(s.call(), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_READ);
		s.what = readable.local(0, 64);
		s.privileges = DAT_MEM_PRIV_REMOTE_WRITE_FLAG;
		refused(s.call(), DAT_PRIVILEGES_VIOLATION, DAT_PRIVILEGES_WRITE);
		s.require_no_effect();
		/* The LMR's own remote privileges are not asked for. */
		s.privileges = DAT_MEM_PRIV_REMOTE_READ_FLAG;
		s.bind();
		s.window.unbind(s.pair.passive);
	});
}

/* "length of zero means ... not ... any memory region within the LMR" */
TEST(DatRmrBind, DescriptionALengthOfZeroUnbinds)
{
	with_scene([](Scene &s) {
		const DAT_RMR_TRIPLET remote = s.bind();

		s.what.segment_length = 0;
		s.bind();
		s.require_refused(true, remote);
	});
}

/* "DAT_COMPLETION_UNSIGNALLED_FLAG is only valid if the Endpoint Request Completion Flags" */
TEST(DatRmrBind, DescriptionUnsignalledIsNotThisEndpoints)
{
	with_scene([](Scene &s) {
		for (unsigned flags :
		     { DAT_COMPLETION_UNSIGNALLED_FLAG, DAT_COMPLETION_SOLICITED_WAIT_FLAG }) {
			s.flags = flags;
			refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
		}
		s.require_no_effect();
	});
}

/* "DISCONNECTED state, the posted RMR Bind is immediately flushed to request_evd_handle" */
TEST(DatRmrBind, DescriptionIsFlushedInDisconnected)
{
	with_scene([](Scene &s) {
		ok(dat_ep_disconnect(s.ep, DAT_CLOSE_ABRUPT_FLAG));
		s.pair.passive.expect_end();
		ok(s.call());
		s.window.expect_bound(s.pair.passive, 42, DAT_RMR_BIND_FAILURE);
	});
}

/* A queue without room for it. */
TEST(DatRmrBind, ReturnValuesInsufficientResources)
{
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter, { .requests = 1 });
		Region region(adapter, 4096);
		Window window(adapter);

		/* It takes two slots: one for the new binding, one for the end of the old. */
		refused(window.post(pair.passive, region.local(0, 64), 1, nullptr),
			DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_CREDITS);
		pair.settle();
	});
}

/* "due to resource limitations": of the device's objects; the connection stays whole */
TEST(DatRmrBind, ReturnValuesInsufficientResourcesObjects)
{
	with_scene([](Scene &s) {
		check_without_objects([&] { return s.call(); }, DAT_RESOURCE_MEMORY_REGION);
		s.window.expect_bound(s.pair.passive, 42, DAT_RMR_BIND_SUCCESS);
		s.pair.settle();
	});
}

/* "the target_address or segment_length exceeded the limits of the existing LMR" */
TEST(DatRmrBind, ReturnValuesInvalidParameterOutsideOfTheLmr)
{
	with_scene([](Scene &s) {
		const DAT_VADDR start = s.what.virtual_address;
		const DAT_VLEN all = s.region.size();

		for (auto [address, length] : { std::pair<DAT_VADDR, DAT_VLEN>{ start - 1, 64 },
						{ start + all - 63, 64 },
						{ start, all + 1 },
						{ start, ~DAT_VLEN{ 0 } } }) {
			s.what.virtual_address = address;
			s.what.segment_length = length;
			refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		}
		s.require_no_effect();
	});
}

TEST(DatRmrBind, ReturnValuesInvalidParameter)
{
	with_scene([](Scene &s) {
		refused(dat_rmr_bind(s.rmr, nullptr, both, s.ep, cookie_of(1),
				     DAT_COMPLETION_DEFAULT_FLAG, &s.context),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		refused(dat_rmr_bind(s.rmr, &s.what, both, s.ep, cookie_of(1),
				     DAT_COMPLETION_DEFAULT_FLAG, nullptr),
			DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
		s.privileges = 0x44;
		refused(s.call(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
		s.require_no_effect();
	});
}

TEST(DatRmrBind, ReturnValuesInvalidHandle)
{
	with_scene([](Scene &s) {
		Adapter elsewhere;
		Endpoint foreign(elsewhere);

		for (DAT_RMR_HANDLE rmr :
		     { DAT_RMR_HANDLE(DAT_HANDLE_NULL), DAT_RMR_HANDLE(s.region.lmr()) }) {
			s.rmr = rmr;
			refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_RMR);
		}
		s.rmr = s.window.rmr();
		for (DAT_EP_HANDLE ep :
		     { DAT_EP_HANDLE(DAT_HANDLE_NULL), DAT_EP_HANDLE(s.rmr), foreign.ep() }) {
			s.ep = ep;
			refused(s.call(), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
		}
		s.require_no_effect();
	});
}

/* "Endpoint was not in the a DAT_EP_STATE_CONNECTED or DAT_EP_STATE_DISCONNECTED state." */
TEST(DatRmrBind, ReturnValuesInvalidState)
{
	with_scene([](Scene &s) {
		in_every_state(s.adapter, [&](DAT_EP_HANDLE ep, DAT_EP_STATE state) {
			if (state == DAT_EP_STATE_CONNECTED || state == DAT_EP_STATE_DISCONNECTED)
				return;
			s.ep = ep;
			refused(s.call(), DAT_INVALID_STATE, subtype_of(state));
		});
		s.require_no_effect();
	});
}

/* "Privileges violation": an LMR that is not there */
TEST(DatRmrBind, ReturnValuesPrivilegesViolationNoSuchLmr)
{
	with_scene([](Scene &s) {
		s.what.lmr_context ^= 0x5a5a5a5a;
		refused(s.call(), DAT_PRIVILEGES_VIOLATION, DAT_NO_SUBTYPE);
		s.require_no_effect();
	});
}

/* "Protection violation": the zones of RMR, LMR and EP must be one */
TEST(DatRmrBind, ReturnValuesProtectionViolation)
{
	with_scene([](Scene &s) {
		DAT_PZ_HANDLE pz;

		ok(dat_pz_create(s.adapter.ia(), &pz));
		{
			Region region(s.adapter, 4096, all_privileges, pz);
			Window window(s.adapter, pz);

			s.rmr = window.rmr();
			refused(s.call(), DAT_PROTECTION_VIOLATION, DAT_NO_SUBTYPE);
			s.rmr = s.window.rmr();
			s.what = region.local(0, 64);
			refused(s.call(), DAT_PROTECTION_VIOLATION, DAT_NO_SUBTYPE);
		}
		ok(dat_pz_free(pz));
		s.require_no_effect();
	});
}

/* "DAT_COMPLETION_UNSIGNALLED_FLAG": a completion that notifies nobody */
TEST(DatRmrBind, DescriptionAnUnsignalledCompletionEndsNoWait)
{
	play([](Line &) {
		Adapter adapter;
		Region region(adapter, 4096);
		Window window(adapter);
		EndpointSizes sizes;
		DAT_EVENT event;
		DAT_COUNT more = 0;

		sizes.request_style = DAT_COMPLETION_UNSIGNALLED_FLAG;
		sizes.dto_streams = DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG;
		Pair pair(adapter, sizes);
		const DAT_EVD_HANDLE evd = pair.passive.request_queue().evd();

		ok(window.post(pair.passive, region.local(0, 64), 1, nullptr, both,
			       DAT_COMPLETION_UNSIGNALLED_FLAG));
		while (more < 1)
			fails(DAT_TIMEOUT_EXPIRED, dat_evd_wait(evd, 50'000, 1, &event, &more));
		EvdWait wait(evd);
		ok(window.post(pair.passive, region.local(64, 64), 2, nullptr));
		ok(wait.result());
		EXPECT_EQ(wait.event.event_data.rmr_completion_event_data.user_cookie.as_64, 1U);
		EXPECT_EQ(wait.more, 1);
		window.expect_bound(pair.passive, 2, DAT_RMR_BIND_SUCCESS);
	});
}

} // namespace
} // namespace suite
