// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Rings whose indices jump and whose entries lie: error completions or nothing,
 * and never any harm to another program.
 */

#include "bystander.hpp"
#include "endpoint.hpp"
#include "raw_pair.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <random>
#include <thread>

namespace suite {
namespace {

/* ---- entries that are wrong ---- */

TEST(HostileRing, PlainEntriesWork)
{
	play_hostile([] {
		RawPair pair;

		fill({ pair.pages.data(), 64 }, 5);
		pair.ia.push(pair.write());
		EXPECT_EQ(pair.ia.submit(), 0);
		kdapl_event event = pair.next(completion);
		EXPECT_EQ(event.status, static_cast<std::uint32_t>(DAT_DTO_SUCCESS));
		EXPECT_EQ(event.length, 64U);
		require_pattern({ pair.pages.data() + 4096, 64 }, 5);
	});
}

TEST(HostileRing, UnknownOperations)
{
	play_hostile([] {
		for (unsigned op : { 0U, 10U, 127U, 250U, 255U }) {
			RawPair pair;
			kdapl_sqe sqe = pair.write();

			sqe.op = static_cast<__u8>(op);
			pair.expect_refused(sqe, DAT_DTO_ERR_LOCAL_EP);
			pair.next(broken);
		}
	});
}

TEST(HostileRing, UnknownFlagsAndStrayData)
{
	play_hostile([] {
		for (unsigned bit : { 4U, 5U, 9U, 15U, 16U }) {
			RawPair pair;
			kdapl_sqe sqe = pair.write();

			if (bit < 16)
				sqe.flags = static_cast<__u16>(1U << bit);
			else
				sqe.imm = 1;
			pair.expect_refused(sqe, DAT_DTO_ERR_LOCAL_EP);
			pair.next(broken);
		}
	});
}

TEST(HostileRing, TooManySegments)
{
	play_hostile([] {
		for (unsigned segments : { 3U, 6U, 7U, 255U }) {
			RawPair pair;
			kdapl_sqe sqe = pair.write();

			sqe.num_seg = static_cast<__u8>(segments);
			for (kdapl_seg &seg : sqe.seg)
				seg = sqe.seg[0];
			pair.expect_refused(sqe, DAT_DTO_ERR_LOCAL_LENGTH);
			pair.next(broken);
		}
	});
}

TEST(HostileRing, SegmentsOutside)
{
	play_hostile([] {
		const std::array<kdapl_seg, 5> wrong = { {
			{ .addr = memory_size - 63, .length = 64, .lmr = 0 },
			{ .addr = ~0ULL, .length = 2, .lmr = 0 },
			{ .addr = 0, .length = memory_size + 1, .lmr = 0 },
			{ .addr = 0, .length = ~0U, .lmr = 0 },
			{ .addr = 1ULL << 63, .length = 64, .lmr = 0 },
		} };

		for (const kdapl_seg &seg : wrong) {
			RawPair pair;
			kdapl_sqe sqe = pair.write();

			sqe.seg[0].addr = pair.lmr.addr + seg.addr;
			sqe.seg[0].length = seg.length;
			pair.expect_refused(sqe, DAT_DTO_ERR_LOCAL_PROTECTION);
			pair.next(broken);
		}
	});
}

/* Contexts that name no LMR of this file, among them what devices use as keys. */
TEST(HostileRing, ForeignMemory)
{
	play_hostile([] {
		RawPair other;
		Pages more(4096);
		std::uint32_t foreign = 0;

		for (int i = 0; i < 30; i++)
			foreign = other.ia.lmr_create(other.pz, more.data(), 4096).id;
		for (int i = 0; i < 7; i++) {
			RawPair pair;
			kdapl_sqe sqe = pair.write();
			const std::array<std::uint32_t, 7> contexts = {
				0,	 ~0U,	      0x80000000U, pair.lmr.rkey | 0x40000000U,
				pair.pz, pair.active, foreign
			};

			sqe.seg[0].lmr = contexts[static_cast<std::size_t>(i)];
			pair.expect_refused(sqe, DAT_DTO_ERR_LOCAL_PROTECTION);
			pair.next(broken);
		}
	});
}

/* An entry for an EP that is not there does nothing, and holds up nobody. */
TEST(HostileRing, ForeignEndpoints)
{
	play_hostile([] {
		RawPair pair, other;
		std::uint32_t foreign = 0;

		for (int i = 0; i < 30; i++)
			foreign = other.ia.pz();
		for (std::uint32_t ep :
		     { 0U, ~0U, 0x80000000U, pair.pz, pair.lmr.id, foreign, 0x7fffffffU }) {
			kdapl_sqe sqe = pair.write();
			sqe.ep = ep;
			pair.ia.push(sqe);
		}
		pair.ia.push(pair.write());
		EXPECT_EQ(pair.ia.submit(), 0);
		kdapl_event event = pair.next(completion);
		EXPECT_EQ(event.status, static_cast<std::uint32_t>(DAT_DTO_SUCCESS));
		EXPECT_EQ(event.cookie, 42U);
	});
}

/* More than the EP's queues hold: the EP breaks, nothing else does. */
TEST(HostileRing, MoreThanTheQueueHolds)
{
	play_hostile([] {
		RawPair pair;

		for (unsigned i = 0; i < 40; i++) {
			kdapl_sqe sqe{};
			sqe.ep = pair.passive;
			sqe.op = KDAPL_OP_RECV;
			sqe.cookie = i;
			pair.ia.push(sqe);
		}
		EXPECT_EQ(pair.ia.submit(), 0);
		for (unsigned i = 0; i < 16; i++) {
			kdapl_event event = pair.next(completion);
			EXPECT_EQ(event.cookie, i);
			EXPECT_EQ(event.status, static_cast<std::uint32_t>(DAT_DTO_ERR_FLUSHED));
		}
		pair.next(broken);
		pair.ia.await_taken();
	});
}

/* ---- indices that jump ---- */

/** Moves the tail to anywhere, again and again, with noise in the entries. */
TEST(HostileRing, TailsThatJump)
{
	play_hostile([] {
		std::mt19937 random(7);

		for (int round = 0; round < 5; round++) {
			RawPair pair;

			for (std::uint32_t i = 0; i < pair.ia.entries(); i++) {
				kdapl_sqe sqe = pair.write();
				sqe.ep = random() % 3 ? random() % 16 : sqe.ep;
				*pair.ia.entry(i) = sqe;
			}
			for (int i = 0; i < 200; i++) {
				std::atomic_ref(pair.ia.ring()->tail).store(random());
				EXPECT_EQ(pair.ia.submit(), 0);
			}
			for (std::uint32_t tail : { 0U, 1U, ~0U, 0x80000000U, 0x7fffffffU }) {
				std::atomic_ref(pair.ia.ring()->tail).store(tail);
				EXPECT_EQ(pair.ia.submit(), 0);
			}
			/* The ring works again once its indices are sound. */
			std::uint32_t ep = pair.ia.ep_create(pair.pz, pair.events.id()).id;
			std::atomic_ref(pair.ia.ring()->tail).store(pair.ia.status()->head);
			kdapl_sqe sqe{};
			sqe.ep = ep;
			sqe.op = KDAPL_OP_RECV;
			pair.ia.push(sqe);
			EXPECT_EQ(pair.ia.submit(), 0);
			EXPECT_EQ(pair.ia.status()->head, pair.ia.ring()->tail);
			EXPECT_EQ(pair.ia.destroy(KDAPL_OBJ_EP, ep), 0);
		}
	});
}

TEST(HostileRing, NoiseInEntries)
{
	play_hostile([] {
		std::mt19937 random(11);

		for (std::uint64_t round = 0; round < scaled(20) + 3; round++) {
			RawPair pair;

			for (std::uint32_t i = 0; i < pair.ia.entries(); i++) {
				auto words = reinterpret_cast<std::uint32_t *>(pair.ia.entry(i));
				for (std::size_t w = 0; w < sizeof(kdapl_sqe) / 4; w++)
					words[w] = random();
				pair.ia.entry(i)->ep = random() % 2 ? pair.active : pair.passive;
				pair.ia.entry(i)->op = static_cast<__u8>(random() % 11);
			}
			std::atomic_ref(pair.ia.ring()->tail).fetch_add(pair.ia.entries());
			EXPECT_EQ(pair.ia.submit(), 0);
			pair.next(broken);
			pair.ia.await_taken();
		}
	});
}

/* Another thread rewrites the entries while the module reads them. */
TEST(HostileRing, EntriesRewrittenMeanwhile)
{
	play_hostile([] {
		for (std::uint64_t round = 0; round < scaled(10) + 2; round++) {
			RawPair pair;
			std::atomic<bool> over = false;
			std::thread writer([&] {
				std::mt19937 random(static_cast<std::uint32_t>(round));

				while (!over) {
					volatile kdapl_sqe *sqe = pair.ia.entry(random());
					sqe->num_seg = static_cast<__u8>(random());
					sqe->seg[0].length = random() % 3 ? 64 :
							     random() % 2 ? 8 :
									    random();
					/* The operands of an atomic operation. */
					sqe->seg[1].addr = random();
					sqe->seg[2].addr = random();
					sqe->imm = random() % 4 ? 0 : random();
					sqe->seg[0].addr = random() % 3 ? pair.lmr.addr : random();
					sqe->seg[0].lmr = random() % 3 ? pair.lmr.id : random() % 8;
					sqe->op = static_cast<__u8>(1 + random() % 10);
					sqe->num_seg = static_cast<__u8>(1 + random() % 2);
				}
			});
			for (int i = 0; i < 300; i++) {
				pair.ia.push(pair.write());
				EXPECT_EQ(pair.ia.submit(), 0);
				*pair.events.head() = pair.events.tail();
			}
			over = true;
			writer.join();
			pair.ia.await_taken();
		}
	});
}

/* ---- event rings ---- */

TEST(HostileRing, HeadsThatJump)
{
	play_hostile([] {
		std::mt19937 random(3);
		RawPair pair;

		for (int i = 0; i < 2000; i++) {
			*pair.events.head() = random();
			if (i % 4 == 0) {
				pair.ia.push(pair.write());
				EXPECT_EQ(pair.ia.submit(), 0);
			}
			int error = pair.events.wait(1 + random() % pair.events.length(),
						     deadline_after_ms(0));
			EXPECT_TRUE(error == 0 || error == ETIMEDOUT) << error;
			kdapl_evd_fill fill{};
			fill.evd = pair.events.id();
			EXPECT_EQ(pair.ia.file().call(KDAPL_EVD_FILL, fill), 0);
		}
		/* With a sound head the queue goes on. */
		std::uint32_t ep = pair.ia.ep_create(pair.pz, pair.events.id()).id;
		*pair.events.head() = pair.events.tail();
		EXPECT_EQ(pair.ia.destroy(KDAPL_OBJ_EP, ep), 0);
		EXPECT_EQ(pair.ia.destroy(KDAPL_OBJ_EP, pair.active), 0);
		EXPECT_EQ(pair.ia.destroy(KDAPL_OBJ_EP, pair.passive), 0);
		EXPECT_EQ(pair.ia.destroy(KDAPL_OBJ_EVD, pair.events.id()), 0);
	});
}

/* Nobody takes the events: they wait, the EP cannot post more, nothing is lost. */
TEST(HostileRing, EventsNobodyTakes)
{
	play_hostile([] {
		RawIa ia;
		std::uint32_t pz = ia.pz();
		RawEvd evd(ia, 2);
		std::uint32_t ep = ia.ep_create(pz, evd.id()).id;
		kdapl_sqe sqe{};

		sqe.ep = ep;
		sqe.op = KDAPL_OP_RECV;
		for (int i = 0; i < 16; i++)
			ia.push(sqe);
		EXPECT_EQ(ia.submit(), 0);
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_EP, ep), 0);
		EXPECT_EQ(ia.destroy(KDAPL_OBJ_EVD, evd.id()), 0);
	});
}

} // namespace
} // namespace suite
