// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What objects have counted; some of it the module has. */

#include "play.hpp"
#include "talk.hpp"

#include <dat2/dat_ib_extensions.h>

#include <array>
#include <string>

namespace suite {
namespace {

constexpr std::size_t size = 100;

bool has_extensions(const Adapter &adapter)
{
	DAT_IA_ATTR attr;

	ok(dat_ia_query(adapter.ia(), nullptr, DAT_IA_FIELD_ALL, &attr, 0, nullptr));
	return attr.extension_supported == DAT_EXTENSION_IB;
}

/** An object has counted so many. Without extensions it says that it does not count. */
void expect_count(const Adapter &adapter, DAT_HANDLE object, int which, DAT_UINT64 count,
		  Location where = Location::current())
{
	std::array<DAT_UINT64, DCNT_IA_ALL_COUNTERS> all{};
	const DAT_RETURN ret = dat_ib_query_counters(object, which, all.data(), 0);

	if (!has_extensions(adapter)) {
		fails(DAT_MODEL_NOT_SUPPORTED, ret, where);
		return;
	}
	ok(ret, where);
	const DAT_UINT64 found = all.at(static_cast<std::size_t>(which));
	require(found == count,
		"counter " + std::to_string(which) + " is " + std::to_string(found) + " and not " +
			std::to_string(count),
		where);
}

TEST(Dat2Counters, TellWhatHasMoved)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Memory inbox(adapter);

			line.send(listener.address());
			answer(listener, endpoint, inbox, size);
			expect_count(adapter, endpoint.ep(), DCNT_EP_POST_RECV, 1);
			expect_count(adapter, endpoint.ep(), DCNT_EP_POST_RECV_DATA, size);
			expect_count(adapter, endpoint.ep(), DCNT_EP_RECV, 1);
			expect_count(adapter, endpoint.ep(), DCNT_EP_RECV_DATA, size);
			expect_count(adapter, endpoint.ep(), DCNT_EP_POST_SEND, 0);
			expect_count(adapter, endpoint.ep(), DCNT_EP_CONNECT, 0);
			expect_count(adapter, adapter.ia(), DCNT_IA_SP_CR, 1);
			expect_count(adapter, adapter.ia(), DCNT_IA_SP_CR_ACCEPTED, 1);
			expect_count(adapter, adapter.ia(), DCNT_IA_EP_CREATE, 1);
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Memory outbox(adapter);

			call(endpoint, outbox, line.receive<sockaddr_storage>(), size);
			expect_count(adapter, endpoint.ep(), DCNT_EP_CONNECT, 1);
			expect_count(adapter, endpoint.ep(), DCNT_EP_POST_SEND, 1);
			expect_count(adapter, endpoint.ep(), DCNT_EP_POST_SEND_DATA, size);
			expect_count(adapter, endpoint.ep(), DCNT_EP_RECV, 0);
			line.meet();
		});
}

/* What tells of a watermark is of the asynchronous kind, but no error. */
TEST(Dat2Counters, AWatermarkIsNoError)
{
	play([](Line &) {
		Adapter adapter;
		DAT_SRQ_ATTR attributes = { 4, 1, DAT_SRQ_LW_DEFAULT };
		DAT_SRQ_HANDLE srq;

		ok(dat_srq_create(adapter.ia(), adapter.pz(), &attributes, &srq));
		ok(dat_srq_set_lw(srq, 1));
		const DAT_EVENT event =
			adapter.expect_async(DAT_ASYNC_ERROR_PROVIDER_INTERNAL_ERROR);
		EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, srq);
		EXPECT_EQ(event.event_data.asynch_error_event_data.reason,
			  DAT_SRQ_LOW_WATERMARK_EVENT);
		expect_count(adapter, adapter.ia(), DCNT_IA_ASYNC_ERROR, 0);
		ok(dat_srq_free(srq));
	});
}

} // namespace
} // namespace suite
