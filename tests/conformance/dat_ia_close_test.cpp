// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_ia_close(3DAT)

#include "cno.hpp"
#include "every_object.hpp"
#include "pair.hpp"
#include "play.hpp"
#include "registry.hpp"
#include "result.hpp"
#include "software.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

namespace suite {
namespace {

void refuse_graceful(DAT_IA_HANDLE ia, Location where = Location::current())
{
	refused(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
		DAT_INVALID_STATE_IA_IN_USE, where);
}

/* ---- abrupt ---- */

/* "All DAT Objects associated with an IA instance are destroyed." */
TEST(DatIaClose, DescriptionAbruptDestroysEveryObject)
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

/* "LMRs (including lmr_contexts)": what the peer knows of them reaches nothing */
TEST(DatIaClose, DescriptionAbruptEndsConnections)
{
	play([](Line &) {
		Adapter one, two;
		Listener listener(one);
		Endpoint kept(one), gone(two);

		ok(gone.connect(one.address(), listener.qual()));
		listener.accept(kept);
		two.close_abruptly();
		kept.expect_end();
	});
}

/* "All the waiters on all CNOs, including the OS Wait Proxy Agents" */
TEST(DatIaClose, DescriptionAbruptReleasesWaitersOnCnos)
{
	play([](Line &) {
		Adapter adapter;
		CountingAgent agent;
		DAT_CNO_HANDLE with, without;
		DAT_EVD_HANDLE evd;

		ok(dat_cno_create(adapter.ia(), agent.agent(), &with));
		ok(dat_cno_create(adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &without));
		ok(dat_evd_create(adapter.ia(), 8, with, DAT_EVD_SOFTWARE_FLAG, &evd));
		CnoWait one(with), two(with, DAT_TIMEOUT_INFINITE), three(without);
		adapter.close_abruptly();
		for (CnoWait *wait : { &one, &two, &three }) {
			ok(wait->result());
			EXPECT_EQ(wait->hint, DAT_HANDLE_NULL);
		}
		agent.await(1);
		EXPECT_EQ(agent.evd(), DAT_HANDLE_NULL);
	});
}

/* The same where an agent waits itself: for the CNO that is closed behind its own. */
TEST(DatIaClose, DescriptionAbruptReleasesAnAgentThatWaits)
{
	struct Waiting {
		DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
		std::atomic<int> begun = 0;
		std::atomic<DAT_RETURN> result = DAT_INTERNAL_ERROR;

		static void run(DAT_PVOID instance, DAT_EVD_HANDLE)
		{
			auto *self = static_cast<Waiting *>(instance);
			DAT_EVD_HANDLE evd;

			/* The second call is its own CNO's release. */
			if (!self->begun++)
				self->result = dat_cno_wait(self->cno, DAT_TIMEOUT_INFINITE, &evd);
		}
	};

	play([](Line &) {
		Adapter adapter;
		Waiting waiting;
		DAT_CNO_HANDLE one, two;
		DAT_EVD_HANDLE evd;
		DAT_EVENT event{};

		ok(dat_cno_create(adapter.ia(), DAT_OS_WAIT_PROXY_AGENT_NULL, &one));
		waiting.cno = one;
		ok(dat_cno_create(adapter.ia(), { &waiting, Waiting::run }, &two));
		ok(dat_evd_create(adapter.ia(), 8, two, DAT_EVD_SOFTWARE_FLAG, &evd));
		event.event_number = DAT_SOFTWARE_EVENT;
		ok(dat_evd_post_se(evd, &event));
		while (!waiting.begun)
			std::this_thread::yield();
		adapter.close_abruptly();
		EXPECT_EQ(waiting.result, DAT_RETURN(DAT_SUCCESS));
	});
}

/* "All direct waiters on all EVDs are also unblocked and return with DAT_ABORT." */
TEST(DatIaClose, DescriptionAbruptReleasesWaitersOnEvds)
{
	play([](Line &) {
		Adapter adapter;
		DAT_EVD_HANDLE one, two;

		ok(dat_evd_create(adapter.ia(), 8, DAT_HANDLE_NULL, any_stream, &one));
		ok(dat_evd_create(adapter.ia(), 8, DAT_HANDLE_NULL, any_stream, &two));
		EvdWait first(one, 1, DAT_TIMEOUT_INFINITE), second(two, 8),
			third(adapter.async_evd());
		adapter.close_abruptly();
		for (EvdWait *wait : { &first, &second, &third })
			refused(wait->result(), DAT_ABORT, DAT_NO_SUBTYPE);
	});
}

/* "avoiding hidden resource leakage": play() looks at what is left after the program */
TEST(DatIaClose, UsageAbruptLeavesNothing)
{
	play([](Line &) {
		for (int i = 0; i < 5; i++) {
			EveryObject objects;
			objects.close();
		}
	});
}

/* dat_ia_open(): "Multiple instances (opens) ... can exist.": others are not touched */
TEST(DatIaClose, DescriptionOtherInstancesLive)
{
	play([](Line &) {
		Adapter kept;
		{
			EveryObject objects;
			objects.close();
		}
		Pair pair(kept);
		ok(pair.passive.recv(Segments(), 1));
		ok(pair.active.send(Segments(), 2));
		pair.passive.expect_recv(1, 0);
	});
}

/* "Default value of DAT_CLOSE_DEFAULT = DAT_CLOSE_ABRUPT_FLAG" */
TEST(DatIaClose, ParametersDefaultIsAbrupt)
{
	play([](Line &) {
		DAT_IA_HANDLE ia;
		DAT_PZ_HANDLE pz;

		ok(open_ia(adapter_name(), ia));
		ok(dat_pz_create(ia, &pz));
		ok(dat_ia_close(ia, DAT_CLOSE_DEFAULT));
	});
}

/* ---- graceful ---- */

/* "only if the Consumer has done a cleanup of all DAT objects": of one alone */
TEST(DatIaClose, InvalidStateAnObjectOfEachKind)
{
	play([](Line &) {
		DAT_IA_HANDLE ia;
		DAT_EVD_HANDLE evd;
		DAT_CNO_HANDLE cno;
		DAT_PZ_HANDLE pz;

		ok(open_ia(adapter_name(), ia));
		ok(dat_pz_create(ia, &pz));
		refuse_graceful(ia);
		ok(dat_pz_free(pz));
		ok(dat_evd_create(ia, 8, DAT_HANDLE_NULL, any_stream, &evd));
		refuse_graceful(ia);
		ok(dat_evd_free(evd));
		ok(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
		refuse_graceful(ia);
		ok(dat_cno_free(cno));
		ok(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	});
}

/* ... until the last is gone */
TEST(DatIaClose, InvalidStateUntilTheLastObjectIsFreed)
{
	play([](Line &) {
		EveryObject objects;
		const DAT_IA_HANDLE ia = objects.of(DAT_HANDLE_TYPE_IA);
		const std::function<DAT_RETURN()> frees[] = {
			[&] { return dat_cr_reject(objects.of(DAT_HANDLE_TYPE_CR)); },
			[&] { return dat_psp_free(objects.of(DAT_HANDLE_TYPE_PSP)); },
			[&] { return dat_rsp_free(objects.of(DAT_HANDLE_TYPE_RSP)); },
			[&] { return dat_ep_free(objects.of(DAT_HANDLE_TYPE_EP)); },
			[&] { return dat_ep_free(objects.reserved()); },
			[&] { return dat_srq_free(objects.of(DAT_HANDLE_TYPE_SRQ)); },
			[&] { return dat_rmr_free(objects.of(DAT_HANDLE_TYPE_RMR)); },
			[&] { return dat_lmr_free(objects.of(DAT_HANDLE_TYPE_LMR)); },
			[&] { return dat_evd_free(objects.of(DAT_HANDLE_TYPE_EVD)); },
			[&] { return dat_cno_free(objects.of(DAT_HANDLE_TYPE_CNO)); },
			[&] { return dat_pz_free(objects.of(DAT_HANDLE_TYPE_PZ)); },
		};

		for (const auto &free : frees) {
			refuse_graceful(ia);
			ok(free());
		}
		objects.close(DAT_CLOSE_GRACEFUL_FLAG);
	});
}

/* "the operation does not destroy the IA instance" */
TEST(DatIaClose, InvalidStateChangesNothing)
{
	play([](Line &) {
		Adapter adapter;
		SoftwareQueue queue(adapter);

		ok(post_se(queue, 1));
		refuse_graceful(adapter.ia());
		expect_se(queue, 1);
		Pair pair(adapter);
		refuse_graceful(adapter.ia());
		ok(pair.passive.recv(Segments(), 1));
		ok(pair.active.send(Segments(), 2));
		pair.passive.expect_recv(1, 0);
	});
}

/* "the Consumer does not need to destroy it for graceful close to succeed" */
TEST(DatIaClose, DescriptionGracefulWithTheAsyncEvd)
{
	play([](Line &) {
		DAT_IA_HANDLE ia;

		ok(open_ia(adapter_name(), ia));
		ok(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	});
}

/* "If async EVD was created as part of ... dat_ia_open(3DAT), dat_ia_close() must destroy it." */
TEST(DatIaClose, DescriptionAsyncEvdIsDestroyed)
{
	play([](Line &) {
		for (DAT_CLOSE_FLAGS flags : { DAT_CLOSE_ABRUPT_FLAG, DAT_CLOSE_GRACEFUL_FLAG }) {
			DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
			std::string name = adapter_name();
			DAT_EVENT event;
			DAT_IA_HANDLE ia;

			ok(dat_ia_open(name.data(), 8, &async, &ia));
			ok(dat_ia_close(ia, flags));
			refused(dat_evd_dequeue(async, &event), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE1);
		}
	});
}

/* "If async_evd_handle was passed in by the Consumer ... this handle is not destroyed." */
TEST(DatIaClose, DescriptionThePassedAsyncEvdIsNotDestroyed)
{
	play([](Line &) {
		Adapter owner;

		for (DAT_CLOSE_FLAGS flags : { DAT_CLOSE_ABRUPT_FLAG, DAT_CLOSE_GRACEFUL_FLAG }) {
			DAT_EVD_HANDLE async = owner.async_evd();
			std::string name = adapter_name();
			DAT_EVENT event;
			DAT_IA_HANDLE ia;

			ok(dat_ia_open(name.data(), 8, &async, &ia));
			ok(dat_ia_close(ia, flags));
			refused(dat_evd_dequeue(async, &event), DAT_QUEUE_EMPTY, DAT_NO_SUBTYPE);
		}
	});
}

/* ---- errors ---- */

/* "ia_flags is invalid" */
TEST(DatIaClose, InvalidParameter)
{
	play([](Line &) {
		DAT_IA_HANDLE ia;

		ok(open_ia(adapter_name(), ia));
		for (int flags : { 2, 3, -1 })
			refused(dat_ia_close(ia, static_cast<DAT_CLOSE_FLAGS>(flags)),
				DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
		ok(dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG));
	});
}

/* "ia_handle is invalid": closed before, or another object */
TEST(DatIaClose, InvalidHandle)
{
	play([](Line &) {
		Adapter adapter;
		DAT_IA_HANDLE ia;

		ok(open_ia(adapter_name(), ia));
		ok(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG));
		for (DAT_HANDLE other : { DAT_HANDLE_NULL, ia, DAT_HANDLE(adapter.pz()),
					  DAT_HANDLE(adapter.async_evd()) })
			refused(dat_ia_close(other, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_IA);
	});
}

} // namespace
} // namespace suite
