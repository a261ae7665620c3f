// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// dat_cr_handoff(3DAT)

#include "pair.hpp"
#include "play.hpp"
#include "private_data.hpp"
#include "result.hpp"
#include "service_point.hpp"

#include <gtest/gtest.h>

namespace suite {
namespace {

/** A request at one service point, and another service point. */
struct Scene {
	Scene() : listener(adapter), other(adapter), active(adapter)
	{
		ok(active.connect(adapter.address(), listener.qual(), "a word"));
		cr = listener.request();
	}

	Adapter adapter;
	Listener listener, other;
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

/* "hands off the Connection Request to another Service Point specified by ... handoff" */
TEST(DatCrHandoff, DescriptionTheOtherServicePointGetsTheRequest)
{
	with_scene([](Scene &s) {
		DAT_CR_PARAM before, param;
		Endpoint passive(s.adapter);

		ok(dat_cr_query(s.cr, DAT_CR_FIELD_ALL, &before));
		ok(dat_cr_handoff(s.cr, s.other.qual()));
		DAT_CR_HANDLE cr = s.other.request();
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
		require_private_data(param.private_data, param.private_data_size, "a word");
		ok(accept_request(cr, passive));
		passive.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
		s.listener.queue().require_empty();
	});
}

/* The peer notices nothing of it. */
TEST(DatCrHandoff, DescriptionThePeerStillWaits)
{
	with_scene([](Scene &s) {
		ok(dat_cr_handoff(s.cr, s.other.qual()));
		DAT_CR_HANDLE cr = s.other.request();
		s.active.require_state(DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
		s.active.connect_queue().require_empty();
		ok(dat_cr_reject(cr));
		s.active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
	});
}

/* "another Service Point": of another program, too */
TEST(DatCrHandoff, DescriptionToAnotherProgram)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint active(adapter);

			ok(active.connect(adapter.address(), listener.qual()));
			ok(dat_cr_handoff(listener.request(), line.receive<DAT_CONN_QUAL>()));
			active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint passive(adapter);

			line.send(listener.qual());
			listener.accept(passive);
			line.meet();
		});
}

/* It may be handed on again. */
TEST(DatCrHandoff, DescriptionThereAndBack)
{
	with_scene([](Scene &s) {
		ok(dat_cr_handoff(s.cr, s.other.qual()));
		ok(dat_cr_handoff(s.other.request(), s.listener.qual()));
		ok(dat_cr_reject(s.listener.request()));
		s.active.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
	});
}

/* To an RSP, whose endpoint then has its one request. */
TEST(DatCrHandoff, DescriptionToAReservedServicePoint)
{
	with_scene([](Scene &s) {
		Reserved r(s.adapter);
		DAT_CR_PARAM param;

		ok(dat_cr_handoff(s.cr, r.qual));
		DAT_EVENT event = r.queue.expect(DAT_CONNECTION_REQUEST_EVENT);
		DAT_CR_HANDLE cr = event.event_data.cr_arrival_event_data.cr_handle;
		ok(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
		EXPECT_EQ(param.local_ep_handle, r.passive.ep());
		r.passive.require_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
		ok(dat_cr_accept(cr, DAT_HANDLE_NULL, 0, nullptr));
		s.active.expect_connection(DAT_CONNECTION_EVENT_ESTABLISHED);
	});
}

/* "also destroys the Connection Request instance" */
TEST(DatCrHandoff, DescriptionDestroysTheRequest)
{
	with_scene([](Scene &s) {
		Endpoint passive(s.adapter);
		DAT_CR_PARAM param;

		ok(dat_cr_handoff(s.cr, s.other.qual()));
		for (DAT_RETURN result :
		     { dat_cr_handoff(s.cr, s.other.qual()), dat_cr_reject(s.cr),
		       dat_cr_query(s.cr, DAT_CR_FIELD_ALL, &param),
		       accept_request(s.cr, passive) })
			refused(result, DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
		ok(dat_cr_reject(s.other.request()));
	});
}

TEST(DatCrHandoff, ReturnValuesInvalidHandle)
{
	with_scene([](Scene &s) {
		for (DAT_CR_HANDLE cr :
		     { DAT_CR_HANDLE(DAT_HANDLE_NULL), DAT_CR_HANDLE(s.listener.psp()) })
			refused(dat_cr_handoff(cr, s.other.qual()), DAT_INVALID_HANDLE,
				DAT_INVALID_HANDLE_CR);
		ok(dat_cr_reject(s.cr));
	});
}

/* "The handoff parameter is invalid.": nobody listens there, or it is where it is already */
TEST(DatCrHandoff, ReturnValuesInvalidParameter)
{
	with_scene([](Scene &s) {
		const DAT_CONN_QUAL nobody = free_qualifier(s.adapter);

		for (DAT_CONN_QUAL qual : { nobody, s.listener.qual(), DAT_CONN_QUAL(0) })
			refused(dat_cr_handoff(s.cr, qual), DAT_INVALID_PARAMETER,
				DAT_INVALID_ARG2);
		/* The request is none the worse for it. */
		ok(dat_cr_handoff(s.cr, s.other.qual()));
		ok(dat_cr_reject(s.other.request()));
	});
}

} // namespace
} // namespace suite
