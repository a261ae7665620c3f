// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* RMRs that a message of the peer makes invalid, and those that are read into. */

#include "play.hpp"
#include "talk.hpp"

#include <cstddef>
#include <string_view>

namespace suite {
namespace {

constexpr std::size_t size = 64;

/** An RMR. */
class Window {
public:
	explicit Window(const Adapter &adapter) { ok(dat_rmr_create(adapter.pz(), &rmr_)); }
	Window(const Window &) = delete;
	Window &operator=(const Window &) = delete;
	~Window() { dat_rmr_free(rmr_); }

	/** To the front of the memory; what its user needs. */
	DAT_RMR_TRIPLET bind(Endpoint &endpoint, const Memory &memory,
			     Location where = Location::current())
	{
		const DAT_LMR_TRIPLET part = memory.segment(size);
		DAT_RMR_CONTEXT context = 0;

		ok(dat_rmr_bind(rmr_, memory.lmr(), &part,
				DAT_MEM_PRIV_REMOTE_READ_FLAG | DAT_MEM_PRIV_REMOTE_WRITE_FLAG,
				DAT_VA_TYPE_VA, endpoint.ep(), DAT_RMR_COOKIE{},
				DAT_COMPLETION_DEFAULT_FLAG, &context),
		   where);
		endpoint.expect_bound(rmr_, where);
		return { part.virtual_address, part.segment_length, context };
	}
	/** What the library takes it to show. */
	DAT_RMR_PARAM query(Location where = Location::current()) const
	{
		DAT_RMR_PARAM param;

		ok(dat_rmr_query(rmr_, DAT_RMR_FIELD_ALL, &param), where);
		return param;
	}

private:
	DAT_RMR_HANDLE rmr_ = DAT_HANDLE_NULL;
};

void read(Endpoint &endpoint, const Memory &memory, const DAT_RMR_TRIPLET &from)
{
	DAT_LMR_TRIPLET to = memory.segment(size);

	ok(dat_ep_post_rdma_read(endpoint.ep(), 1, &to, DAT_DTO_COOKIE{}, &from,
				 DAT_COMPLETION_DEFAULT_FLAG));
	endpoint.expect_done(DAT_DTO_RDMA_READ, size);
}

void send_and_invalidate(Endpoint &endpoint, const Memory &memory, DAT_RMR_CONTEXT context)
{
	DAT_LMR_TRIPLET segment = memory.segment(size);

	ok(dat_ep_post_send_with_invalidate(endpoint.ep(), 1, &segment, DAT_DTO_COOKIE{},
					    DAT_COMPLETION_DEFAULT_FLAG, DAT_TRUE, context));
	endpoint.expect_done(DAT_DTO_SEND, size);
}

/* Whose it is hears of it, and can bind it again. */
TEST(Dat2Rmr, IsMadeInvalidByAMessage)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Memory inbox(adapter), shown(adapter);
			Window window(adapter);

			line.send(listener.address());
			answer(listener, endpoint, inbox, size);
			const DAT_RMR_TRIPLET first = window.bind(endpoint, shown);
			EXPECT_EQ(window.query().rmr_context, first.rmr_context);
			endpoint.recv(inbox, size);
			line.send(first);
			const auto done =
				endpoint.expect_done(DAT_DTO_RECEIVE_WITH_INVALIDATE, size);
			EXPECT_EQ(done.rmr_context, first.rmr_context);
			EXPECT_EQ(window.query().rmr_context, 0U);
			EXPECT_EQ(window.query().lmr_triplet.segment_length, 0U);
			const DAT_RMR_TRIPLET second = window.bind(endpoint, shown);
			EXPECT_NE(second.rmr_context, first.rmr_context);
			line.send(second);
			line.meet();
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Memory memory(adapter);

			call(endpoint, memory, line.receive<sockaddr_storage>(), size);
			const auto first = line.receive<DAT_RMR_TRIPLET>();
			read(endpoint, memory, first);
			send_and_invalidate(endpoint, memory, first.rmr_context);
			read(endpoint, memory, line.receive<DAT_RMR_TRIPLET>());
			line.meet();
		});
}

TEST(Dat2Rmr, IsReadInto)
{
	constexpr std::string_view text = "what the peer's window shows";

	play(
		[=](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Endpoint endpoint(adapter);
			Memory inbox(adapter), shown(adapter);
			Window window(adapter);

			text.copy(shown.data(), text.size());
			line.send(listener.address());
			answer(listener, endpoint, inbox, size);
			line.send(window.bind(endpoint, shown));
			line.meet();
		},
		[=](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);
			Memory memory(adapter);
			Window window(adapter);

			call(endpoint, memory, line.receive<sockaddr_storage>(), size);
			const DAT_RMR_TRIPLET to = window.bind(endpoint, memory);
			const auto from = line.receive<DAT_RMR_TRIPLET>();
			ok(dat_ep_post_rdma_read_to_rmr(endpoint.ep(), &to, DAT_DTO_COOKIE{}, &from,
							DAT_COMPLETION_DEFAULT_FLAG));
			endpoint.expect_done(DAT_DTO_RDMA_READ, size);
			require(memory.text(text.size()) == text, "other bytes came");
			line.meet();
		});
}

} // namespace
} // namespace suite
