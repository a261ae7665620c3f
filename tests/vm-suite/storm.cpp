// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "storm.hpp"

#include "settings.hpp"

#include <cerrno>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace suite {

namespace {

/* One of these. */
template <typename T, std::size_t n>
T one_of(std::mt19937 &random, const T (&choice)[n])
{
	return choice[random() % n];
}

bool once_in(std::mt19937 &random, std::uint32_t n)
{
	return random() % n == 0;
}

} // namespace

/* ---- ids ---- */

/* Where one is, from a random place on; anywhere when there is none. */
std::atomic<std::uint32_t> &Storm::Pool::find(Random &random)
{
	const std::size_t start = random() % ids_.size();

	for (std::size_t i = 0; i < ids_.size(); i++) {
		auto &id = ids_[(start + i) % ids_.size()];
		if (id)
			return id;
	}
	return ids_[start];
}

/* Mostly one that was handed out, perhaps long gone. */
std::uint32_t Storm::Pool::pick(Random &random)
{
	return once_in(random, 12) ? random() % 64 : find(random).load();
}

/* Gives the one whose place it takes. */
std::uint32_t Storm::Pool::put(Random &random, std::uint32_t id)
{
	return ids_[random() % ids_.size()].exchange(id);
}

/* Sometimes stays there, so that others go on to use it. */
std::uint32_t Storm::Pool::take(Random &random)
{
	auto &id = find(random);

	return once_in(random, 4) ? id.load() : id.exchange(0);
}

void Storm::keep(Random &random, Pool &pool, int result, std::uint32_t id)
{
	if (result)
		return;
	if (const std::uint32_t old = pool.put(random, id))
		ia_.destroy(pool.type, old);
}

/* ---- memory ---- */

void Storm::make_pz(Random &random)
{
	kdapl_pz_create arg{};

	/* Few, so that most objects fit together. */
	if (pzs_.pick(random) && !once_in(random, 8))
		return;
	const int result = call(KDAPL_PZ_CREATE, arg);
	keep(random, pzs_, result, arg.id);
}

void Storm::make_lmr(Random &random)
{
	kdapl_lmr_create arg{};
	const std::size_t start = random() % shared_size, place = random() % 8;

	arg.pz = pzs_.pick(random);
	arg.mem_type = one_of<std::uint32_t>(random, { KDAPL_MEM_VIRTUAL, KDAPL_MEM_VIRTUAL,
						       KDAPL_MEM_SO_VIRTUAL, KDAPL_MEM_LMR,
						       KDAPL_MEM_SHARED });
	arg.privileges = once_in(random, 4) ? random() % 0x80 : std::uint32_t{ KDAPL_PRIV_ALL };
	if (arg.mem_type == KDAPL_MEM_LMR) {
		arg.source = lmrs_.pick(random);
	} else {
		arg.addr = reinterpret_cast<std::uintptr_t>(memory_.data()) + start;
		arg.length = 1 + random() % (shared_size - start);
	}
	const int result = call(KDAPL_LMR_CREATE, arg);
	if (!result) {
		Piece &piece = pieces_[random() % pieces_.size()];
		piece.lmr = arg.id;
		piece.address = arg.addr;
	}
	if (!result && arg.rkey) {
		rumours_.rkeys[place] = arg.rkey;
		rumours_.addresses[place] = arg.addr;
	}
	keep(random, lmrs_, result, arg.id);
}

void Storm::make_rmr(Random &random)
{
	kdapl_rmr_create arg{};

	arg.pz = pzs_.pick(random);
	const int result = call(KDAPL_RMR_CREATE, arg);
	keep(random, rmrs_, result, arg.id);
}

void Storm::bind_rmr(Random &random)
{
	kdapl_rmr_bind arg{};

	arg.rmr = rmrs_.pick(random);
	arg.ep = eps_.pick(random);
	arg.lmr = lmrs_.pick(random);
	arg.addr = rumours_.addresses[random() % 8] + random() % 64;
	arg.length = one_of<std::uint64_t>(random, { 0, 8, 4096, ~std::uint64_t{ 0 } });
	arg.flags = random() % 16;
	arg.privileges = random() % 0x40;
	if (call(KDAPL_RMR_BIND, arg) == 0 && arg.length) {
		rumours_.rkeys[0] = arg.rkey;
		rumours_.addresses[0] = arg.addr;
	}
}

/* ---- events ---- */

/* An EVD with its ring mapped; the queue's lock is held. False where there is none. */
bool Storm::make_queue(Queue &queue, std::uint32_t flags, std::uint32_t qlen)
{
	kdapl_evd_create arg{};

	arg.flags = flags;
	arg.qlen = qlen;
	if (call(KDAPL_EVD_CREATE, arg))
		return false;
	queue.created = arg;
	try {
		queue.ring = std::make_unique<RawMap>(ia_.file(), arg.ring, PROT_READ);
		queue.head = std::make_unique<RawMap>(ia_.file(), arg.head);
	} catch (const Failure &) {
		/* It is gone again, or the file is. */
		queue.ring.reset();
		queue.head.reset();
	}
	return true;
}

void Storm::make_evd(Random &random)
{
	Queue &queue = queues_[random() % queues_.size()];
	const std::lock_guard lock(queue.mutex);
	const auto flags =
		one_of<std::uint32_t>(random, { 0xf0, 0xf0, 0xf0, 0xf1, 0x1f1, 0x60, 0xa0, 0x10 });

	if (make_queue(queue, flags, 1 + random() % 32))
		keep(random, evds_, 0, queue.created.id);
}

void Storm::wait_evd(Random &random)
{
	kdapl_evd_wait arg{};

	arg.evd = evds_.pick(random);
	arg.threshold = 1 + random() % 3;
	arg.deadline_ns = deadline_after_ms(random() % 3);
	call(KDAPL_EVD_WAIT, arg);
}

void Storm::fill_evd(Random &random)
{
	kdapl_evd_fill arg{};

	arg.evd = evds_.pick(random);
	call(KDAPL_EVD_FILL, arg);
}

void Storm::set_waitable(Random &random)
{
	kdapl_evd_waitable arg{};

	arg.evd = evds_.pick(random);
	arg.waitable = random() % 2;
	call(KDAPL_EVD_WAITABLE, arg);
}

void Storm::post_event(Random &random)
{
	kdapl_evd_post_se arg{};

	arg.evd = evds_.pick(random);
	call(KDAPL_EVD_POST_SE, arg);
}

/* The second step often without the first, and others in between. */
void Storm::resize_evd(Random &random)
{
	kdapl_evd_resize arg{};

	arg.evd = evds_.pick(random);
	arg.qlen = 1 + random() % 128;
	arg.flags = random() % 2 ? KDAPL_EVD_RESIZE_COMMIT : 0;
	call(KDAPL_EVD_RESIZE, arg);
}

void Storm::notify_evd(Random &random)
{
	kdapl_evd_notify arg{};

	arg.evd = evds_.pick(random);
	arg.cno = once_in(random, 3) ? 0 : cnos_.pick(random);
	arg.enabled = random() % 2;
	call(KDAPL_EVD_NOTIFY, arg);
}

void Storm::take_event(Random &random, const kdapl_event &event)
{
	constexpr std::uint32_t completion = 0x0001, request = 0x2001, established = 0x4001;

	if (event.type == request) {
		tally_.requests++;
		keep(random, crs_, 0, static_cast<std::uint32_t>(event.length));
	}
	tally_.established += event.type == established;
	tally_.transfers += event.type == completion && !(event.status & 0xff);
}

void Storm::take_from(Queue &queue, Random &random)
{
	if (!queue.ring)
		return;
	std::atomic_ref head(queue.head->at<kdapl_ev_head>()->head);
	const auto *ring = queue.ring->at<const volatile kdapl_ev_ring>();
	std::uint32_t at = head;

	/* After nonsense. */
	if (ring->tail - at > queue.created.qlen)
		at = ring->tail;
	for (int i = 0; i < 32 && at != ring->tail; i++, at++) {
		std::atomic_thread_fence(std::memory_order_acquire);
		take_event(random, queue.ring->at<kdapl_event>(
					   KDAPL_EV_ENTRIES_OFFSET)[at & (queue.created.qlen - 1)]);
	}
	/* Now and then it is anywhere. */
	head = once_in(random, 200) ? random() : at;
}

void Storm::take_events(Random &random)
{
	Queue &queue = queues_[random() % queues_.size()];
	const std::lock_guard lock(queue.mutex);

	take_from(queue, random);
}

void Storm::make_cno(Random &random)
{
	kdapl_cno_create arg{};
	const int result = call(KDAPL_CNO_CREATE, arg);

	keep(random, cnos_, result, arg.id);
}

void Storm::wait_cno(Random &random)
{
	kdapl_cno_wait arg{};

	arg.cno = cnos_.pick(random);
	arg.flags = random() % 2 ? KDAPL_CNO_AGENT : 0;
	arg.deadline_ns = deadline_after_ms(random() % 2);
	call(KDAPL_CNO_WAIT, arg);
}

void Storm::modify_cno(Random &random)
{
	kdapl_cno_modify arg{};

	arg.cno = cnos_.pick(random);
	arg.op = 1 + random() % 3;
	arg.agent = arg.op == KDAPL_CNO_ARM ? random() % 4 : 0;
	call(KDAPL_CNO_MODIFY, arg);
}

void Storm::make_fd(Random &random)
{
	kdapl_cno_fd arg{};

	arg.cno = cnos_.pick(random);
	if (call(KDAPL_CNO_FD, arg) == 0)
		::close(arg.fd);
}

/* ---- endpoints ---- */

void Storm::make_srq(Random &random)
{
	kdapl_srq_create arg{};

	arg.pz = pzs_.pick(random);
	arg.max_recvs = 1 + random() % 16;
	arg.max_recv_iov = 1 + random() % 3;
	arg.async_evd = evds_.pick(random);
	const int result = call(KDAPL_SRQ_CREATE, arg);
	keep(random, srqs_, result, arg.id);
}

void Storm::resize_srq(Random &random)
{
	kdapl_srq_resize arg{};

	arg.srq = srqs_.pick(random);
	arg.max_recvs = 1 + random() % 64;
	call(KDAPL_SRQ_RESIZE, arg);
}

void Storm::set_low(Random &random)
{
	kdapl_srq_set_low arg{};

	arg.srq = srqs_.pick(random);
	arg.low = random() % 4;
	call(KDAPL_SRQ_SET_LOW, arg);
}

void Storm::make_ep(Random &random)
{
	kdapl_ep_create arg{};
	const std::uint32_t evd = evds_.pick(random);

	arg.pz = pzs_.pick(random);
	arg.recv_evd = evd;
	arg.request_evd = random() % 2 ? evd : evds_.pick(random);
	arg.connect_evd = random() % 2 ? evd : evds_.pick(random);
	arg.max_requests = 1 + random() % 16;
	arg.max_recv_iov = arg.max_request_iov = 1 + random() % 3;
	arg.max_rdma_read_in = arg.max_rdma_read_out = random() % 3;
	arg.recv_notify = once_in(random, 4) ? random() % 3 : 0;
	arg.request_notify = once_in(random, 4) ? random() % 2 : 0;
	if (once_in(random, 3))
		arg.srq = srqs_.pick(random);
	else
		arg.max_recvs = 1 + random() % 16;
	const int result = call(KDAPL_EP_CREATE, arg);
	keep(random, eps_, result, arg.id);
}

std::uint32_t Storm::make_plain_ep(std::uint32_t pz, std::uint32_t evd)
{
	kdapl_ep_create arg{};

	arg.pz = pz;
	arg.recv_evd = arg.request_evd = arg.connect_evd = evd;
	arg.max_recvs = arg.max_requests = 16;
	arg.max_recv_iov = arg.max_request_iov = 2;
	arg.max_rdma_read_in = arg.max_rdma_read_out = 1;
	return call(KDAPL_EP_CREATE, arg) ? 0 : arg.id;
}

/* What else comes is lost. */
std::uint32_t Storm::await_request(Queue &queue)
{
	constexpr std::uint32_t request = 0x2001;
	std::atomic_ref head(queue.head->at<kdapl_ev_head>()->head);
	const auto *ring = queue.ring->at<const volatile kdapl_ev_ring>();

	for (int i = 0; i < 20; i++) {
		kdapl_evd_wait wait{};
		wait.evd = queue.created.id;
		wait.threshold = 1;
		wait.deadline_ns = deadline_after_ms(2);
		if (const int result = call(KDAPL_EVD_WAIT, wait); result && result != ETIMEDOUT)
			return 0;
		/* When the EVD is gone its head may be another one's. */
		for (int j = 0; j < 64 && head != ring->tail; j++) {
			const kdapl_event event = queue.ring->at<kdapl_event>(
				KDAPL_EV_ENTRIES_OFFSET)[head++ & (queue.created.qlen - 1)];
			if (event.type != request)
				continue;
			tally_.requests++;
			return static_cast<std::uint32_t>(event.length);
		}
	}
	return 0;
}

/* Two that are connected, where others let them; all that belongs to them is left. */
void Storm::make_pair(Random &random)
{
	Queue &queue = queues_[random() % queues_.size()];
	const std::lock_guard lock(queue.mutex);
	const std::uint32_t pz = pzs_.pick(random);
	kdapl_psp_create psp{};
	kdapl_ep_connect connect{};
	kdapl_cr_accept accept{};

	if (!make_queue(queue, 0xf0, 64) || !queue.ring)
		return;
	psp.evd = queue.created.id;
	psp.flags = KDAPL_PSP_ANY;
	connect.ep = make_plain_ep(pz, psp.evd);
	accept.ep = make_plain_ep(pz, psp.evd);
	const int listens = call(KDAPL_PSP_CREATE, psp);
	connect.remote = own_;
	connect.conn_qual = psp.conn_qual;
	connect.timeout_us = KDAPL_TIMEOUT_INFINITE;
	if (!listens && !call(KDAPL_EP_CONNECT, connect)) {
		accept.cr = await_request(queue);
		call(KDAPL_CR_ACCEPT, accept);
	}
	keep(random, evds_, 0, psp.evd);
	keep(random, psps_, listens, psp.id);
	keep(random, eps_, !connect.ep, connect.ep);
	keep(random, eps_, !accept.ep, accept.ep);
}

void Storm::query_ep(Random &random)
{
	kdapl_ep_query arg{};

	arg.ep = eps_.pick(random);
	call(KDAPL_EP_QUERY, arg);
}

/* Mostly the adapter's own. */
kdapl_addr Storm::address(Random &random) const
{
	kdapl_addr addr = own_;

	if (once_in(random, 16))
		addr.addr[random() % sizeof addr.addr] ^= 1;
	return addr;
}

void Storm::connect(Random &random)
{
	kdapl_ep_connect arg{};

	arg.ep = eps_.pick(random);
	arg.remote = address(random);
	arg.conn_qual = rumours_.conn_quals[random() % 8];
	arg.timeout_us = one_of<std::uint32_t>(random, { 1000, 100000, KDAPL_TIMEOUT_INFINITE });
	arg.private_data_size = random() % 8;
	call(KDAPL_EP_CONNECT, arg);
}

void Storm::disconnect(Random &random)
{
	kdapl_ep_disconnect arg{};

	arg.ep = eps_.pick(random);
	arg.close_flags = random() % 2;
	call(KDAPL_EP_DISCONNECT, arg);
}

void Storm::reset(Random &random)
{
	kdapl_ep_reset arg{};

	arg.ep = eps_.pick(random);
	call(KDAPL_EP_RESET, arg);
}

void Storm::set_marks(Random &random)
{
	kdapl_ep_set_marks arg{};

	arg.ep = eps_.pick(random);
	arg.soft = random() % 16;
	arg.hard = one_of<std::uint32_t>(random, { 8, KDAPL_MARK_INFINITE, KDAPL_MARK_INFINITE });
	arg.async_evd = evds_.pick(random);
	call(KDAPL_EP_SET_MARKS, arg);
}

void Storm::modify_ep(Random &random)
{
	kdapl_ep_modify arg{};
	const std::uint32_t evd = evds_.pick(random);

	arg.ep = eps_.pick(random);
	arg.pz = pzs_.pick(random);
	arg.recv_evd = arg.request_evd = evd;
	arg.connect_evd = random() % 2 ? evd : evds_.pick(random);
	arg.max_recvs = random() % 24;
	arg.max_requests = 1 + random() % 24;
	arg.max_recv_iov = arg.max_request_iov = 1 + random() % 3;
	arg.max_rdma_read_in = arg.max_rdma_read_out = random() % 3;
	arg.recv_notify = once_in(random, 4) ? random() % 3 : 0;
	call(KDAPL_EP_MODIFY, arg);
}

/* ---- connections ---- */

void Storm::make_psp(Random &random)
{
	kdapl_psp_create arg{};

	arg.flags = KDAPL_PSP_ANY | (once_in(random, 4) ? KDAPL_PSP_PROVIDER : 0);
	arg.evd = evds_.pick(random);
	const int result = call(KDAPL_PSP_CREATE, arg);
	if (!result)
		rumours_.conn_quals[random() % 8] = arg.conn_qual;
	keep(random, psps_, result, arg.id);
}

void Storm::make_rsp(Random &random)
{
	kdapl_rsp_create arg{};

	arg.evd = evds_.pick(random);
	arg.ep = once_in(random, 4) ? 0 : eps_.pick(random);
	arg.conn_qual = 20000 + random() % 64;
	const int result = call(KDAPL_RSP_CREATE, arg);
	if (!result)
		rumours_.conn_quals[random() % 8] = arg.conn_qual;
	keep(random, rsps_, result, arg.id);
}

void Storm::make_csp(Random &random)
{
	kdapl_csp_create arg{};

	arg.evd = evds_.pick(random);
	arg.domain = own_.family;
	arg.type = SOCK_STREAM;
	arg.addr = address(random);
	const int result = call(KDAPL_CSP_CREATE, arg);
	if (!result)
		rumours_.conn_quals[random() % 8] = arg.addr.port;
	keep(random, psps_, result, arg.id);
}

void Storm::offer(Random &random)
{
	kdapl_cr_offer arg{};

	arg.cr = crs_.pick(random);
	arg.ep = eps_.pick(random);
	call(KDAPL_CR_OFFER, arg);
}

void Storm::accept(Random &random)
{
	kdapl_cr_query query{};
	kdapl_cr_accept arg{};

	query.cr = arg.cr = crs_.take(random);
	call(KDAPL_CR_QUERY, query);
	arg.ep = once_in(random, 4) ? 0 : eps_.pick(random);
	arg.private_data_size = random() % 8;
	const int result = call(KDAPL_CR_ACCEPT, arg);
	if (result && result != ENOENT)
		keep(random, crs_, 0, arg.cr);
}

void Storm::reject(Random &random)
{
	kdapl_cr_reject arg{};

	arg.cr = crs_.take(random);
	arg.private_data_size = random() % 8;
	call(KDAPL_CR_REJECT, arg);
}

void Storm::hand_off(Random &random)
{
	kdapl_cr_handoff arg{};

	arg.cr = crs_.take(random);
	arg.conn_qual = rumours_.conn_quals[random() % 8];
	call(KDAPL_CR_HANDOFF, arg);
}

void Storm::destroy(Random &random)
{
	Pool *const pools[] = { &pzs_, &lmrs_, &evds_, &eps_,  &psps_,
				&crs_, &cnos_, &srqs_, &rmrs_, &rsps_ };
	Pool &pool = *one_of(random, pools);

	ia_.destroy(pool.type, pool.take(random));
}

/* ---- transfers ---- */

/* It completes where the EP is connected, and its PZ is the memory's. */
kdapl_sqe Storm::sound_entry(Random &random)
{
	const Piece &piece = pieces_[random() % pieces_.size()];
	kdapl_sqe sqe{};

	sqe.ep = eps_.pick(random);
	sqe.op = one_of<std::uint8_t>(random, { KDAPL_OP_SEND, KDAPL_OP_RECV, KDAPL_OP_RECV });
	sqe.num_seg = 1;
	sqe.seg[0] = { .addr = piece.address, .length = 1, .lmr = piece.lmr };
	return sqe;
}

kdapl_sqe Storm::entry(Random &random)
{
	const std::size_t place = random() % 8;
	kdapl_sqe sqe{};

	if (!once_in(random, 8))
		return sound_entry(random);
	sqe.ep = once_in(random, 6) ? srqs_.pick(random) : eps_.pick(random);
	sqe.op = one_of<std::uint8_t>(random,
				      { KDAPL_OP_SEND, KDAPL_OP_SEND, KDAPL_OP_RECV, KDAPL_OP_RECV,
					KDAPL_OP_RECV, KDAPL_OP_RDMA_WRITE, KDAPL_OP_RDMA_READ,
					KDAPL_OP_SEND_INV, KDAPL_OP_READ_RMR, KDAPL_OP_WRITE_IMM,
					KDAPL_OP_CMP_SWAP, KDAPL_OP_FETCH_ADD });
	sqe.num_seg = random() % 3;
	sqe.flags = random() % 16;
	sqe.remote_addr = rumours_.addresses[place];
	sqe.rkey = rumours_.rkeys[place];
	for (kdapl_seg &seg : sqe.seg)
		seg = { .addr = rumours_.addresses[random() % 8],
			.length = one_of<std::uint32_t>(random, { 0, 8, 64, 4096, ~0U }),
			.lmr = lmrs_.pick(random) };
	return sqe;
}

/* Several entries; sometimes the ring's words are nonsense, or change under its reader. */
void Storm::post(Random &random)
{
	const std::lock_guard lock(ring_mutex_);

	for (std::uint32_t i = random() % 8; i; i--)
		ia_.push(entry(random));
	if (once_in(random, 8))
		*ia_.entry(random()) = entry(random);
	if (once_in(random, 500))
		std::atomic_ref(ia_.ring()->tail).store(random());
	if (random() % 2)
		ia_.file().ring(once_in(random, 4) ? evds_.pick(random) : 0);
	/* From a tail that is nonsense it comes back by itself. */
	std::atomic_ref tail(ia_.ring()->tail);
	const std::uint32_t head = ia_.status()->head;
	if (tail - head > ia_.entries())
		tail = head;
}

/* ---- all of it ---- */

const std::array<Storm::Act, 34> Storm::acts = {
	&Storm::make_pz,    &Storm::make_lmr,	&Storm::make_rmr,   &Storm::bind_rmr,
	&Storm::make_evd,   &Storm::wait_evd,	&Storm::fill_evd,   &Storm::set_waitable,
	&Storm::post_event, &Storm::resize_evd, &Storm::notify_evd, &Storm::take_events,
	&Storm::make_cno,   &Storm::wait_cno,	&Storm::modify_cno, &Storm::make_fd,
	&Storm::make_srq,   &Storm::resize_srq, &Storm::set_low,    &Storm::make_ep,
	&Storm::query_ep,   &Storm::connect,	&Storm::disconnect, &Storm::reset,
	&Storm::set_marks,  &Storm::modify_ep,	&Storm::make_psp,   &Storm::make_rsp,
	&Storm::make_csp,   &Storm::offer,	&Storm::accept,	    &Storm::reject,
	&Storm::hand_off,   &Storm::destroy,
};

Storm::Storm(Rumours &rumours) : rumours_(rumours), ia_(64, KDAPL_IA_TELL_OP)
{
	own_ = ia_.query().addrs[0];
}

/* Connections and transfers are what most of it is for. */
void Storm::rage(std::uint32_t seed, std::uint64_t calls)
{
	constexpr Act often[] = { &Storm::post,	       &Storm::post,	    &Storm::post,
				  &Storm::post,	       &Storm::post,	    &Storm::post,
				  &Storm::post,	       &Storm::post,	    &Storm::post,
				  &Storm::post,	       &Storm::post,	    &Storm::post,
				  &Storm::accept,      &Storm::accept,	    &Storm::connect,
				  &Storm::take_events, &Storm::take_events, &Storm::take_events,
				  &Storm::take_events, &Storm::make_pair };
	Random random(seed);

	for (std::uint64_t i = 0; i < calls; i++) {
		const Act act = random() % 2 ? one_of(random, often) : acts[random() % acts.size()];
		(this->*act)(random);
	}
}

} // namespace suite
