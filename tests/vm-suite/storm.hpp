// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that calls everything in any order: objects are made, used and destroyed at
 * random by many threads at once, by ids that mostly name something. Nothing is expected
 * of a call; that the kernel stays sound is, and that nothing is left.
 */
#pragma once

#include "raw_device.hpp"
#include "shared_memory.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <random>

namespace suite {

/** What the files of a storm know of each other: where to connect to, and keys to memory. */
struct Rumours {
	std::array<std::atomic<std::uint64_t>, 8> conn_quals{};
	std::array<std::atomic<std::uint32_t>, 8> rkeys{};
	std::array<std::atomic<std::uint64_t>, 8> addresses{};
};

/** An IA with a few objects of each type, whose ids all threads know. */
class Storm {
public:
	explicit Storm(Rumours &rumours);

	/** So many calls. To be made by any number of threads. */
	void rage(std::uint32_t seed, std::uint64_t calls);

	/** What has come of it, as far as its events tell; and calls that failed with ENOMEM. */
	struct Tally {
		std::atomic<std::uint64_t> requests = 0, established = 0, transfers = 0,
					   without_memory = 0;
	};
	const Tally &tally() const noexcept { return tally_; }

private:
	using Random = std::mt19937;

	/** Ids of one type. One that has to make room is destroyed. */
	class Pool {
	public:
		explicit Pool(std::uint32_t type) : type(type) {}

		std::uint32_t pick(Random &random);
		std::uint32_t put(Random &random, std::uint32_t id);
		std::uint32_t take(Random &random);

		const std::uint32_t type;

	private:
		std::atomic<std::uint32_t> &find(Random &random);

		std::array<std::atomic<std::uint32_t>, 6> ids_{};
	};

	/** An EVD whose ring is mapped, so that its events can be taken. */
	struct Queue {
		std::mutex mutex;
		kdapl_evd_create created{};
		std::unique_ptr<RawMap> ring, head;
	};

	/** A piece of memory that was registered once. */
	struct Piece {
		std::atomic<std::uint32_t> lmr = 0;
		std::atomic<std::uint64_t> address = 0;
	};

	using Act = void (Storm::*)(Random &);
	static const std::array<Act, 34> acts;

	template <typename Arg>
	int call(unsigned long command, Arg &arg)
	{
		const int result = ia_.file().call(command, arg);

		tally_.without_memory += result == ENOMEM;
		return result;
	}
	bool make_queue(Queue &queue, std::uint32_t flags, std::uint32_t qlen);
	void take_from(Queue &queue, Random &random);
	std::uint32_t make_plain_ep(std::uint32_t pz, std::uint32_t evd);
	std::uint32_t await_request(Queue &queue);
	void keep(Random &random, Pool &pool, int result, std::uint32_t id);
	kdapl_addr address(Random &random) const;

	/* What it can do. @{ */
	void make_pz(Random &random);
	void make_lmr(Random &random);
	void make_rmr(Random &random);
	void bind_rmr(Random &random);
	void make_evd(Random &random);
	void wait_evd(Random &random);
	void fill_evd(Random &random);
	void set_waitable(Random &random);
	void post_event(Random &random);
	void resize_evd(Random &random);
	void notify_evd(Random &random);
	void take_events(Random &random);
	void make_cno(Random &random);
	void wait_cno(Random &random);
	void modify_cno(Random &random);
	void make_fd(Random &random);
	void make_srq(Random &random);
	void resize_srq(Random &random);
	void set_low(Random &random);
	void make_ep(Random &random);
	void make_pair(Random &random);
	void query_ep(Random &random);
	void connect(Random &random);
	void disconnect(Random &random);
	void reset(Random &random);
	void set_marks(Random &random);
	void modify_ep(Random &random);
	void make_psp(Random &random);
	void make_rsp(Random &random);
	void make_csp(Random &random);
	void offer(Random &random);
	void accept(Random &random);
	void reject(Random &random);
	void hand_off(Random &random);
	void destroy(Random &random);
	/* @} */
	void post(Random &random);
	kdapl_sqe sound_entry(Random &random);
	kdapl_sqe entry(Random &random);
	void take_event(Random &random, const kdapl_event &event);

	Rumours &rumours_;
	RawIa ia_;
	kdapl_addr own_{};
	Mapping memory_{ -1, 0, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS };
	Tally tally_;
	std::mutex ring_mutex_;
	std::array<Queue, 4> queues_;
	std::array<Piece, 4> pieces_;
	Pool pzs_{ KDAPL_OBJ_PZ }, lmrs_{ KDAPL_OBJ_LMR }, evds_{ KDAPL_OBJ_EVD },
		eps_{ KDAPL_OBJ_EP }, psps_{ KDAPL_OBJ_PSP }, crs_{ KDAPL_OBJ_CR },
		cnos_{ KDAPL_OBJ_CNO }, srqs_{ KDAPL_OBJ_SRQ }, rmrs_{ KDAPL_OBJ_RMR },
		rsps_{ KDAPL_OBJ_RSP };
};

} // namespace suite
