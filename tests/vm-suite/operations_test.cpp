// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Operations that only uDAPL 2.0 has calls for: by the device's own calls, as the
 * adapter has them or refuses them.
 */

#include "play.hpp"
#include "raw_pair.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

namespace suite {
namespace {

/* What the events call the operations. */
enum Told : std::uint32_t {
	told_send = 0,
	told_read = 2,
	told_receive = 3,
	told_receive_invalid = 4,
};

constexpr std::uint64_t receive_cookie = 1, request_cookie = 42;

bool has(RawPair &pair, std::uint32_t flag)
{
	return pair.ia.query().flags & flag;
}

/** The word of a success. */
constexpr std::uint32_t done(std::uint32_t operation, std::uint32_t flags = 0)
{
	return operation << KDAPL_EV_OP_SHIFT | flags;
}

/** A request of the active EP, at the pair's memory from 4096 on. */
kdapl_sqe request_of(const RawPair &pair, kdapl_op op, std::uint32_t length = 64)
{
	kdapl_sqe sqe = pair.write();

	sqe.op = static_cast<__u8>(op);
	sqe.seg[0].length = length;
	return sqe;
}

void post(RawPair &pair, const kdapl_sqe &sqe)
{
	pair.ia.push(sqe);
	require(pair.ia.submit() == 0, "the doorbell fails");
}

void post_receive(RawPair &pair)
{
	kdapl_sqe sqe{};

	sqe.ep = pair.passive;
	sqe.op = KDAPL_OP_RECV;
	sqe.num_seg = 1;
	sqe.cookie = receive_cookie;
	sqe.seg[0] = { .addr = pair.lmr.addr + 12288, .length = 64, .lmr = pair.lmr.id };
	post(pair, sqe);
}

/** The completions of a request and of the receive that it took. */
struct Both {
	kdapl_event request, receive;
};

Both exchange(RawPair &pair, const kdapl_sqe &request)
{
	Both both{};

	post_receive(pair);
	post(pair, request);
	for (int i = 0; i < 2; i++) {
		const kdapl_event event = pair.next_transfer();
		(event.cookie == receive_cookie ? both.receive : both.request) = event;
	}
	return both;
}

/* ---- immediate data ---- */

TEST(Operations, ImmediateData)
{
	play([](Line &) {
		RawPair pair(KDAPL_IA_TELL_OP);

		if (!has(pair, KDAPL_IA_IMM))
			return;
		/* A value of 0 is one, too. */
		for (std::uint32_t value : { 0x01020304U, 0U, ~0U }) {
			kdapl_sqe sqe = request_of(pair, KDAPL_OP_WRITE_IMM);
			fill({ pair.pages.data(), 64 }, value & 0xff);
			sqe.imm = value;
			const Both both = exchange(pair, sqe);
			EXPECT_EQ(both.request.status, done(KDAPL_EV_OP_WRITE_IMM));
			EXPECT_EQ(both.request.type, std::uint32_t{ completion });
			EXPECT_EQ(both.request.cookie, request_cookie);
			EXPECT_EQ(both.receive.status,
				  done(KDAPL_EV_OP_RECV_WRITE_IMM, KDAPL_EV_VALUE));
			EXPECT_EQ(both.receive.type, value);
			EXPECT_EQ(both.receive.length, 64U);
			require_pattern({ pair.pages.data() + 4096, 64 }, value & 0xff);
		}
	});
}

/*
 * A program that did not ask, one of uDAPL 1.2, has a receive like others, of no bytes:
 * what was written is not in its memory, and may be longer than that is.
 */
TEST(Operations, ImmediateDataNobodyAskedFor)
{
	play([](Line &) {
		RawPair pair;

		if (!has(pair, KDAPL_IA_IMM))
			return;
		kdapl_sqe sqe = request_of(pair, KDAPL_OP_WRITE_IMM);
		sqe.imm = 0x77;
		const Both both = exchange(pair, sqe);
		for (const kdapl_event &event : { both.request, both.receive }) {
			EXPECT_EQ(event.type, std::uint32_t{ completion });
			EXPECT_EQ(event.status, 0U);
		}
		EXPECT_EQ(both.request.length, 64U);
		EXPECT_EQ(both.receive.length, 0U);
	});
}

/* ---- atomic operations ---- */

/** Eight bytes that the peer may add to, and where what was there is put. */
class Atom {
public:
	explicit Atom(RawPair &pair) : pair_(pair)
	{
		lmr_.pz = pair.pz;
		lmr_.privileges = KDAPL_PRIV_ALL | KDAPL_PRIV_REMOTE_ATOMIC;
		lmr_.addr = reinterpret_cast<std::uintptr_t>(pages_.data());
		lmr_.length = pages_.size();
		require(pair.ia.file().call(KDAPL_LMR_CREATE, lmr_) == 0, "no LMR");
	}

	/** What was there before. */
	std::uint64_t apply(kdapl_op op, std::uint64_t operand, std::uint64_t swap = 0)
	{
		kdapl_sqe sqe = request_of(pair_, op, KDAPL_ATOMIC_SIZE);
		std::uint64_t before;

		sqe.remote_addr = lmr_.addr + 8;
		sqe.rkey = lmr_.rkey;
		sqe.seg[1].addr = operand;
		sqe.seg[2].addr = swap;
		post(pair_, sqe);
		const kdapl_event event = pair_.next_transfer();
		require(event.status == done(op == KDAPL_OP_FETCH_ADD ? KDAPL_EV_OP_FETCH_ADD :
									KDAPL_EV_OP_CMP_SWAP),
			"status " + std::to_string(event.status));
		std::memcpy(&before, pair_.pages.data(), sizeof before);
		return before;
	}
	std::uint64_t value() const
	{
		std::uint64_t now;

		std::memcpy(&now, pages_.data() + 8, sizeof now);
		return now;
	}

private:
	RawPair &pair_;
	Pages pages_{ 4096 };
	kdapl_lmr_create lmr_{};
};

TEST(Operations, AtomicOperations)
{
	play([](Line &) {
		RawPair pair(KDAPL_IA_TELL_OP);

		if (!has(pair, KDAPL_IA_ATOMIC))
			return;
		Atom atom(pair);
		for (std::uint64_t i = 0; i < 20; i++)
			EXPECT_EQ(atom.apply(KDAPL_OP_FETCH_ADD, 0x100000001), i * 0x100000001);
		const std::uint64_t sum = 20 * 0x100000001ULL;
		EXPECT_EQ(atom.value(), sum);
		EXPECT_EQ(atom.apply(KDAPL_OP_CMP_SWAP, sum + 1, 7), sum) << "is another value";
		EXPECT_EQ(atom.value(), sum);
		EXPECT_EQ(atom.apply(KDAPL_OP_CMP_SWAP, sum, 7), sum);
		EXPECT_EQ(atom.value(), 7U);
		EXPECT_EQ(atom.apply(KDAPL_OP_FETCH_ADD, ~0ULL), 7U) << "one less";
		EXPECT_EQ(atom.value(), 6U);
	});
}

/* Memory without the privilege is no memory for them. */
TEST(Operations, AtomicOperationsNeedAPrivilege)
{
	play([](Line &) {
		RawPair pair;

		if (!has(pair, KDAPL_IA_ATOMIC))
			return;
		post(pair, request_of(pair, KDAPL_OP_FETCH_ADD, KDAPL_ATOMIC_SIZE));
		EXPECT_NE(pair.next(completion).status, 0U);
		pair.next(broken);
	});
}

TEST(Operations, AtomicOperationsAreOnEightAlignedBytes)
{
	play([](Line &) {
		for (int wrong = 0; wrong < 4; wrong++) {
			RawPair pair;
			if (!has(pair, KDAPL_IA_ATOMIC))
				return;
			kdapl_sqe sqe = request_of(pair, KDAPL_OP_CMP_SWAP, KDAPL_ATOMIC_SIZE);
			sqe.remote_addr += wrong == 0 ? 4 : 0;
			sqe.seg[0].length += wrong == 1 ? 8 : 0;
			sqe.seg[1] = sqe.seg[0];
			sqe.num_seg = static_cast<__u8>(wrong == 2 ? 2 : wrong == 3 ? 0 : 1);
			pair.expect_refused(sqe, wrong == 0 ? DAT_DTO_ERR_LOCAL_EP :
							      DAT_DTO_ERR_LOCAL_LENGTH);
			pair.next(broken);
		}
	});
}

/* ---- windows ---- */

/** A window of the passive EP onto 64 bytes of the pair's memory. */
class RawWindow {
public:
	static constexpr std::uint64_t offset = 8192;

	explicit RawWindow(RawPair &pair) : pair_(pair)
	{
		kdapl_rmr_create create{};

		create.pz = pair.pz;
		require(pair.ia.file().call(KDAPL_RMR_CREATE, create) == 0, "no RMR");
		rmr_ = create.id;
	}

	/** Its new context; 0 when it is unbound, by a length of 0. */
	std::uint32_t bind(std::uint64_t length = 64)
	{
		kdapl_rmr_bind arg{};

		arg.rmr = rmr_;
		arg.ep = pair_.passive;
		arg.lmr = pair_.lmr.id;
		arg.addr = pair_.lmr.addr + offset;
		arg.length = length;
		arg.privileges = KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_REMOTE_WRITE;
		require(pair_.ia.file().call(KDAPL_RMR_BIND, arg) == 0, "it cannot be bound");
		require(pair_.next(bound).status == 0, "it is not bound");
		return arg.rkey;
	}

private:
	RawPair &pair_;
	std::uint32_t rmr_;
};

/** The active EP reads what a window shows; the status. */
std::uint32_t read_from(RawPair &pair, std::uint32_t rkey)
{
	kdapl_sqe sqe = request_of(pair, KDAPL_OP_RDMA_READ);

	sqe.remote_addr = pair.lmr.addr + RawWindow::offset;
	sqe.rkey = rkey;
	post(pair, sqe);
	return pair.next_transfer().status;
}

/* The program is told which context it was; its window can be bound again. */
TEST(Operations, InvalidatedByThePeer)
{
	play([](Line &) {
		RawPair pair(KDAPL_IA_TELL_OP);

		if (!has(pair, KDAPL_IA_INV))
			return;
		RawWindow window(pair);
		const std::uint32_t old = window.bind();
		EXPECT_EQ(read_from(pair, old), done(told_read));

		kdapl_sqe sqe = request_of(pair, KDAPL_OP_SEND_INV);
		sqe.remote_addr = 0;
		sqe.rkey = old;
		const Both both = exchange(pair, sqe);
		EXPECT_EQ(both.request.status, done(told_send));
		EXPECT_EQ(both.receive.status, done(told_receive_invalid, KDAPL_EV_VALUE));
		EXPECT_EQ(both.receive.type, old);
		EXPECT_EQ(both.receive.length, 64U);

		EXPECT_EQ(read_from(pair, window.bind()), done(told_read));
		EXPECT_NE(read_from(pair, old), done(told_read));
		pair.next_end();
	});
}

/* A program of uDAPL 1.2 is not told. It unbinds what is not bound any more. */
TEST(Operations, UnboundWhenItWasInvalidated)
{
	play([](Line &) {
		RawPair pair;

		if (!has(pair, KDAPL_IA_INV))
			return;
		RawWindow window(pair);
		kdapl_sqe sqe = request_of(pair, KDAPL_OP_SEND_INV);
		sqe.remote_addr = 0;
		sqe.rkey = window.bind();
		const Both both = exchange(pair, sqe);
		EXPECT_EQ(both.request.status, 0U);
		EXPECT_EQ(both.receive.status, 0U);
		EXPECT_EQ(window.bind(0), 0U);
		EXPECT_EQ(read_from(pair, window.bind()), 0U);
	});
}

TEST(Operations, ReadIntoAWindow)
{
	play([](Line &) {
		RawPair pair(KDAPL_IA_TELL_OP);

		if (!has(pair, KDAPL_IA_INV))
			return;
		RawWindow window(pair);
		kdapl_sqe sqe = request_of(pair, KDAPL_OP_READ_RMR);
		sqe.seg[0].addr = pair.lmr.addr + RawWindow::offset;
		sqe.seg[0].lmr = window.bind();
		fill({ pair.pages.data() + 4096, 64 }, 9);
		post(pair, sqe);
		EXPECT_EQ(pair.next_transfer().status, done(told_read));
		require_pattern({ pair.pages.data() + RawWindow::offset, 64 }, 9);

		/* One byte further than it goes. */
		sqe.seg[0].addr++;
		post(pair, sqe);
		EXPECT_EQ(pair.next_transfer().status,
			  done(told_read) |
				  static_cast<std::uint32_t>(DAT_DTO_ERR_LOCAL_PROTECTION));
		pair.next(broken);
	});
}

/* ---- what is not there ---- */

/** iWARP has no such operations, and software that is here to be tested has all others. */
void expect_flags(const kdapl_ia_query &query)
{
	const std::string driver = reinterpret_cast<const char *>(query.driver);
	const std::uint32_t all = KDAPL_IA_ATOMIC | KDAPL_IA_IMM | KDAPL_IA_INV;

	EXPECT_EQ((query.flags & KDAPL_IA_IMM) != 0, !Adapter::iwarp());
	if (Adapter::iwarp()) {
		EXPECT_EQ(query.flags & KDAPL_IA_ATOMIC, 0U);
	}
	if (driver == "rdma_rxe") {
		EXPECT_EQ(query.flags & all, all);
	}
	if (driver == "siw") {
		EXPECT_EQ(query.flags & all, std::uint32_t{ KDAPL_IA_INV });
	}
}

TEST(Operations, WhatTheAdapterLacksIsRefused)
{
	play([](Line &) {
		const struct {
			kdapl_op op;
			std::uint32_t flag;
		} cases[] = {
			{ KDAPL_OP_SEND_INV, KDAPL_IA_INV },
			{ KDAPL_OP_READ_RMR, KDAPL_IA_INV },
			{ KDAPL_OP_WRITE_IMM, KDAPL_IA_IMM },
			{ KDAPL_OP_CMP_SWAP, KDAPL_IA_ATOMIC },
			{ KDAPL_OP_FETCH_ADD, KDAPL_IA_ATOMIC },
		};

		for (const auto &wanted : cases) {
			RawPair pair;
			if (has(pair, wanted.flag))
				continue;
			pair.expect_refused(request_of(pair, wanted.op, KDAPL_ATOMIC_SIZE),
					    DAT_DTO_ERR_LOCAL_EP);
			pair.next(broken);
		}
		RawIa ia;
		kdapl_lmr_create lmr{};
		Pages pages(4096);
		lmr.pz = ia.pz();
		lmr.privileges = KDAPL_PRIV_REMOTE_ATOMIC;
		lmr.addr = reinterpret_cast<std::uintptr_t>(pages.data());
		lmr.length = 4096;
		const bool atomic = ia.query().flags & KDAPL_IA_ATOMIC;
		EXPECT_EQ(ia.file().call(KDAPL_LMR_CREATE, lmr), atomic ? 0 : EOPNOTSUPP);
		EXPECT_EQ(lmr.rkey != 0, atomic);
		expect_flags(ia.query());
	});
}

} // namespace
} // namespace suite
