// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EP: an endpoint. ep.cpp has its life, post.hpp the transfers posted on it.
 */
#pragma once

#include "evd.hpp"
#include "lmr.hpp"
#include "pz.hpp"
#include "srq.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <span>

namespace kdapl {

/** In EpAttributes::max_recvs, of an EP with an SRQ: as many as there are. */
inline constexpr std::uint32_t any_recvs = UINT32_MAX;

/** Sizes and styles of an EP. In sizes and iov counts, 0 stands for the default. */
struct EpAttributes {
	std::uint64_t max_message_size;
	std::uint64_t max_rdma_size;
	std::uint32_t recv_completion_flags;
	std::uint32_t request_completion_flags;
	std::uint32_t max_recvs; /**< any_recvs: no bound but that of its SRQ */
	std::uint32_t max_requests;
	std::uint32_t max_recv_iov;
	std::uint32_t max_request_iov;
	std::uint32_t max_rdma_read_in;
	std::uint32_t max_rdma_read_out;
	std::uint32_t max_rdma_read_iov;
	std::uint32_t max_rdma_write_iov;
	std::uint32_t soft_mark; /**< mark_infinite for none */
};

/** What an EP is made from. EVDs may be nullptr: no interest in their events. */
struct EpCreate {
	const Pz *pz; /**< nullptr: Ep::modify() brings one */
	const Evd *recv_evd;
	const Evd *request_evd;
	const Evd *connect_evd;
	Srq *srq; /**< nullptr: receives are posted on the EP */
	const EpAttributes *attributes; /**< nullptr for the defaults */
	bool for_request = false; /**< see Ep::is_undecided() */
};

/** What to change of an EP. EVDs may become nullptr. */
struct EpModify {
	std::optional<const Pz *> pz;
	std::optional<const Evd *> recv_evd;
	std::optional<const Evd *> request_evd;
	std::optional<const Evd *> connect_evd;
	EpAttributes attributes; /**< all of them, as they shall be */
	bool fixes_depths; /**< the RDMA read depths are the consumer's own from now on */
};

/** How to connect. */
struct EpConnect {
	const sockaddr *remote_address;
	std::uint64_t conn_qual;
	std::uint32_t timeout_us; /**< ~0: no limit */
	std::span<const unsigned char> private_data;
};

/** A piece of the peer's memory. */
struct RemoteSegment {
	std::uint64_t address;
	std::uint64_t length;
	std::uint32_t rkey;
};

/** A transfer to post. */
struct Post {
	kdapl_op op;
	std::uint32_t flags; /**< CompletionFlags */
	std::uint64_t cookie;
	std::span<const Segment> local; /**< KDAPL_OP_READ_RMR: one, with an RMR's context */
	const RemoteSegment *remote; /**< RDMA and atomic operations only */
	std::uint32_t invalidates = 0; /**< KDAPL_OP_SEND_INV: the peer's RMR context */
	std::uint32_t immediate = 0; /**< KDAPL_OP_WRITE_IMM: as memory has it */
	/** Atomic operations: what is compared or added, and what is stored then. */
	std::array<std::uint64_t, 2> operands{};
};

class Ep final : public Child {
public:
	static constexpr Kind kind = Kind::ep;

	/** What it is at one moment. Addresses are nullptr where there are none. */
	struct View {
		const sockaddr *local; /**< these two live as long as the EP */
		const sockaddr *remote;
		std::uint64_t local_port;
		std::uint64_t remote_port;
		Handle pz;
		Handle recv_evd;
		Handle request_evd;
		Handle connect_evd;
		EpAttributes attributes;
	};

	static Status create(const Ref<Ia> &ia, const EpCreate &args, Ref<Ep> &ep);
	Status free() noexcept;

	/**
	 * Make one for a connection request: without a zone and EVDs, for the consumer
	 * to change and accept on.
	 */
	static Status create_for_request(const Ref<Ia> &ia, Ref<Ep> &ep);

	/**
	 * Whether it was made for a request that was not accepted: then it goes with that.
	 * Its state does not tell, for that of a device that went is another one.
	 */
	bool is_undecided() const noexcept { return undecided_.load(std::memory_order_relaxed); }
	/** It was accepted. */
	void decide() noexcept { undecided_.store(false, std::memory_order_relaxed); }

	/**
	 * Change it, while there is no connection; all of it, or nothing. The caller
	 * holds modify_mutex().
	 */
	Status modify(const EpModify &change) noexcept;

	Status connect(const EpConnect &args) noexcept;
	Status disconnect(bool graceful) noexcept;
	Status reset() noexcept;

	/**
	 * How many receives it may hold: with more than soft one event, with more than
	 * hard the connection is broken. Each may be mark_infinite.
	 */
	Status set_marks(std::uint32_t soft, std::uint32_t hard) noexcept;

	/** Post a transfer. Never sleeps, allocates nothing. */
	Status post(const Post &post) noexcept;
	/**
	 * The same as a part of the caller, see post.hpp. Lock is that of the submission
	 * ring's mutex, or Unlocked.
	 */
	template <class Lock>
	Status post_here(const Post &post) noexcept;

	/** Slots for a bind, under the submission ring's mutex. */
	Status reserve_bind() noexcept;
	/** The module did not take them; takes the mutex. */
	void give_back_bind() noexcept;

	/** Ask the module for addresses and what was negotiated, and tell everything. */
	Status query(View &view) noexcept;

	/** Private data of the peer's; valid until the EP is reset or freed. */
	void fetch_private_data(void *&data, std::uint32_t &size) noexcept;

	EpState state() const noexcept
	{
		return static_cast<EpState>(load_acquire(status_->state));
	}
	/** The other end of its connection, as its peer can be connected to again. */
	Status remote_end(sockaddr_storage &address, std::uint64_t &conn_qual) noexcept;
	/** Bytes of private data that a request takes. */
	std::size_t max_private_data() const noexcept;

	/**
	 * Receives whose completion is not in the event ring: posted on it, or taken
	 * from its SRQ.
	 */
	std::uint32_t outstanding_recvs() noexcept;
	/** Nothing of a direction is outstanding. */
	bool recv_idle() noexcept;
	bool request_idle() noexcept;

	EpAttributes attributes() noexcept;
	/** The flag, if its requests may be posted with it. Caller holds the ring's mutex. */
	std::uint32_t quiet_requests() const noexcept
	{
		return attributes_.request_completion_flags & completion_unsignalled;
	}
	std::uint64_t counter(std::uint32_t number, bool reset) noexcept override;
	/** For who changes some of them: held from reading them to modify(). */
	std::mutex &modify_mutex() noexcept { return modify_mutex_; }
	/** What its adapter gives who does not choose. */
	EpAttributes standard() const noexcept
	{
		return defaults(ia(), { .recv = true, .request = true, .shared = srq_id_ != 0 });
	}
	/** It has what a connection needs. @{ */
	bool has_pz() const noexcept;
	bool has_connect_evd() const noexcept;
	/** @} */
	/** Caller holds the ring's mutex. */
	Handle pz() const noexcept { return pz_; }
	Handle srq() const noexcept { return srq_; }

	Ep(Slot *slot, Ref<Ia> ia, const EpCreate &args, const EpAttributes &attributes) noexcept;

private:
	/** Which of its queues are used: those that have an EVD. */
	struct Queues {
		bool recv;
		bool request;
		bool shared; /**< receives are an SRQ's */
	};

	static EpAttributes defaults(const Ia &ia, Queues queues) noexcept;
	static Status check(const Ia &ia, Queues queues, EpAttributes &attributes,
			    Sub argument) noexcept;
	static Status make(const Ref<Ia> &ia, const EpCreate &args, const EpAttributes &attributes,
			   Ref<Ep> &ep);
	template <class Arg>
	void describe(const EpAttributes &attributes, bool depths_fixed, Arg &arg) const noexcept;
	Status make_in_module();
	void count(EpCounter counter) noexcept;
	std::uint64_t received(std::uint32_t number) const noexcept;
	bool set_marked(bool marked) noexcept; /**< what it was */
	Status tell_marks(std::uint32_t soft, std::uint32_t hard) noexcept;
	Status check_modify(const EpModify &change) const noexcept;
	Status modify_queues(const EpModify &change) noexcept;

	/** Whether, after a post, the module must be called. */
	struct Doorbell {
		bool rings = false;
		bool lone = false; /**< nothing else of the EP is under way */
		std::uint32_t polled_evd = 0; /**< for the module to poll, 0: none */
	};

	/* post.hpp, under the submission ring's mutex */
	Status check_post(const Post &post) const noexcept;
	Status check_slots(kdapl_op op) const noexcept;
	Status fill(const Post &post, kdapl_sqe &sqe) const noexcept;
	void count_post(kdapl_op op, const kdapl_sqe &sqe) noexcept;
	Doorbell push(kdapl_op op) noexcept;
	bool recv_must_ring() const noexcept;

	std::uint32_t srq_id_;
	Handle srq_;
	std::atomic<bool> undecided_;
	Shared<const kdapl_ep_status> status_;

	/*
	 * Guarded by the submission ring's mutex. They change under modify_mutex_ as well,
	 * whose holder may read them without the other.
	 */
	EpAttributes attributes_;
	bool depths_fixed_; /**< the RDMA read depths are the consumer's own */
	std::uint32_t pz_id_;
	Handle pz_;
	std::uint32_t recv_evd_id_;
	std::uint32_t request_evd_id_;
	std::uint32_t connect_evd_id_;
	Handle recv_evd_;
	Handle request_evd_;
	Handle connect_evd_;

	/* Guarded by the submission ring's mutex. */
	std::uint32_t posted_requests_ = 0;
	std::uint32_t posted_recvs_ = 0;
	bool marked_ = false; /**< the module must hear of each receive at once */
	Counters<ep_counters> counters_;

	std::mutex modify_mutex_; /**< one change at a time; outside the ring's */
	std::uint32_t hard_mark_ = mark_infinite; /**< guarded by it */
	std::mutex query_mutex_; /**< below */
	sockaddr_storage local_{};
	sockaddr_storage remote_{};
	unsigned char private_data_[KDAPL_PRIVATE_DATA_MAX] = {};
};

/** Which completions of such a stream are notifications. */
constexpr std::uint16_t notify_of(std::uint32_t completion_flags) noexcept
{
	if (completion_flags & completion_solicited)
		return KDAPL_NOTIFY_SOLICITED;
	return completion_flags & completion_unsignalled ? KDAPL_NOTIFY_QUIET :
							   KDAPL_NOTIFY_THRESHOLD;
}

/** What the module is told of the sizes. A queue without an EVD has no slots. */
template <class Arg>
void Ep::describe(const EpAttributes &a, bool depths_fixed, Arg &arg) const noexcept
{
	arg.max_recvs = arg.recv_evd && !srq_id_ ? a.max_recvs : 0;
	arg.max_requests = arg.request_evd ? a.max_requests : 0;
	arg.max_recv_iov = a.max_recv_iov;
	arg.max_request_iov =
		std::max({ a.max_request_iov, a.max_rdma_read_iov, a.max_rdma_write_iov });
	arg.max_rdma_read_in = a.max_rdma_read_in;
	arg.max_rdma_read_out = a.max_rdma_read_out;
	arg.rdma_read_fixed = depths_fixed;
	arg.recv_notify = notify_of(a.recv_completion_flags);
	arg.request_notify = notify_of(a.request_completion_flags);
	/* On one EVD every completion counts, then. */
	if (ia().mixes_styles() && arg.recv_evd == arg.request_evd &&
	    arg.recv_notify != arg.request_notify && arg.recv_notify != KDAPL_NOTIFY_SOLICITED)
		arg.recv_notify = arg.request_notify = KDAPL_NOTIFY_THRESHOLD;
}

} // namespace kdapl
