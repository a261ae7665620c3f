// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "evd.hpp"

#include "cno.hpp"
#include "cr.hpp"
#include "ep.hpp"
#include "srq.hpp"

#include <algorithm>
#include <cerrno>

namespace kdapl {

namespace {

/** The reason of an event of the asynchronous kind that tells of a watermark. */
constexpr std::uint32_t reason_watermark = 2;

/** What counts an asynchronous error, by what it is about. */
IaCounter async_counter(std::uint32_t number) noexcept
{
	switch (number) {
	case event_async_evd_overflow:
		return ia_async_cq_error;
	case event_async_ep_broken:
		return ia_async_qp_error;
	default:
		return ia_async_error;
	}
}

/** The object's adapter counts it, whoever's EVD it comes to; of what has gone, the EVD's. */
void count_async(const kdapl_event &from, Handle named, Ia &ia) noexcept
{
	if (from.type == event_async_internal && from.status == reason_watermark)
		return;
	const Ref<Object> object = pin_any(named);
	(object ? ia_of(*object) : ia).count(async_counter(from.type));
}

} // namespace

Status Evd::create(const Ref<Ia> &ia, std::uint32_t qlen, std::uint32_t flags, Ref<Evd> &evd)
{
	Draft<Evd> draft(ia->provider(), ia.share(), flags);
	kdapl_evd_create arg{};

	arg.flags = flags;
	arg.qlen = qlen;
	arg.user = draft->word();
	if (int err = ia->device().call(KDAPL_EVD_CREATE, arg))
		return from_errno(err, { .limit = Sub::resource_tevd });
	draft->id_ = arg.id;

	bool attached = false;
	try {
		auto ring = ia->mappings().get<const kdapl_ev_ring>(arg.ring, false);
		auto head = ia->mappings().get<kdapl_ev_head>(arg.head, true);
		attached = draft->ring_.attach(std::move(ring), std::move(head), arg.qlen);
	} catch (...) {
		ia->discard(KDAPL_OBJ_EVD, arg.id);
		throw;
	}
	if (!attached) {
		ia->discard(KDAPL_OBJ_EVD, arg.id);
		return fail(Type::insufficient_resources, Sub::resource_memory);
	}
	evd = ia->adopt(draft);
	return evd ? success : fail(Type::invalid_handle, Sub::handle_ia);
}

Status Evd::free() noexcept
{
	if (handle() == ia().async_evd())
		return fail(Type::invalid_state, Sub::evd_in_use);

	/* Nobody takes an event in between. */
	std::lock_guard lock(mutex_);
	const Status status = ia().free(*this, { .object = Sub::handle1, .busy = Sub::evd_in_use });
	if (!status.ok())
		return status;
	/* The module has turned away the peers of requests. */
	for (ring_.leave_head(); ring_.count();)
		pop();
	return status;
}

/*
 * The module frees no EVD that another call has it use right now. Who waits shall go all
 * the same: the last one to leave closes the file.
 */
void Evd::leave() noexcept
{
	left_.store(true, std::memory_order_relaxed);
	(void)set_waitable(false);
}

void Evd::discard_request(const kdapl_event &event) noexcept
{
	if (number_of(event) == event_connection_request)
		ia().discard(KDAPL_OBJ_CR, static_cast<std::uint32_t>(event.length));
}

/* As far as there is room in the ring others come with each look. */
void Evd::discard_requests() noexcept
{
	std::lock_guard lock(mutex_);
	std::uint32_t ignored;

	do {
		for (; ring_.count(); pop())
			discard_request(ring_.peek());
	} while (ring_.module_has_more() && fill(ignored).ok() && ring_.count());
}

Status Evd::dequeue(Event &event)
{
	std::lock_guard lock(mutex_);
	if (waiter_.load(std::memory_order_relaxed))
		return fail(Type::invalid_state, Sub::evd_waiter);
	const bool asks = !ring_.count() && ring_.module_has_more();
	if (asks) {
		std::uint32_t ignored;
		if (Status status = fill(ignored); !status.ok())
			return status;
	}
	if (ring_.count())
		ia().spin().found(id(), spin_clock);
	const Status status = take(event);
	count_dequeue(asks, status.ok());
	return status;
}

std::uint64_t Evd::counter(std::uint32_t number, bool reset) noexcept
{
	std::lock_guard lock(mutex_);

	return counters_.read(number, reset);
}

/** The one waiter that an EVD can have. */
class Evd::Waiting {
public:
	explicit Waiting(Evd &evd) noexcept : evd_(evd)
	{
		std::lock_guard lock(evd_.mutex_);
		entered_ = !evd_.waiter_.exchange(true, std::memory_order_relaxed);
		if (entered_)
			evd_.counters_.add(evd_wait);
	}
	Waiting(const Waiting &) = delete;
	Waiting &operator=(const Waiting &) = delete;
	~Waiting()
	{
		if (entered_)
			evd_.waiter_.store(false, std::memory_order_relaxed);
	}
	bool entered() const noexcept { return entered_; }

private:
	Evd &evd_;
	bool entered_;
};

namespace {

bool ended_by_time(const Status &status) noexcept
{
	return status.type == Type::timeout_expired || status.type == Type::interrupted_call;
}

} // namespace

Status Evd::wait(std::uint32_t timeout_us, std::uint32_t threshold, Event &event,
		 std::uint32_t &more)
{
	more = 0;
	if (!waitable())
		return left() ? fail(Type::abort) : fail(Type::invalid_state, Sub::evd_unwaitable);
	if (!threshold || threshold > qlen())
		return fail(Type::invalid_parameter, Sub::arg3);
	if (threshold > 1 && is_quiet())
		return fail(Type::invalid_state,
			    is_solicited() ? Sub::evd_config_solicited : Sub::evd_config_notify);

	Waiting waiting(*this);
	if (!waiting.entered())
		return fail(Type::invalid_state, Sub::evd_waiter);

	Status status = success;
	const bool picky = timeout_us && is_quiet();
	if (picky || (ring_.count() < threshold && (more = queued()) < threshold)) {
		status = timeout_us ? sleep(deadline_after(timeout_us), threshold) :
				      fail(Type::timeout_expired);
		more = queued();
		/* What came at the last moment is as good as in time. */
		if (!status.ok() && (picky || !ended_by_time(status) || more < threshold))
			return status;
	}

	std::lock_guard lock(mutex_);
	status = take(event);
	if (status.ok())
		more = ring_.module_has_more() ? queued() : ring_.count();
	/* Only who frees it takes events beside a waiter. */
	return status.type == Type::queue_empty ? fail(Type::abort) : status;
}

/* Of what came while a thread waited its CNO was not told. */
void Evd::left_by_cancelled() noexcept
{
	kdapl_evd_notify arg{};

	arg.evd = id();
	arg.enabled = KDAPL_EVD_TELL;
	(void)ia().device().call(KDAPL_EVD_NOTIFY, arg);
}

/** Have the module wake us when enough events are there or the time is over. */
Status Evd::sleep(std::uint64_t deadline_ns, std::uint32_t threshold)
{
	struct Sleeper {
		~Sleeper()
		{
			if (cancelled)
				evd.left_by_cancelled();
		}
		Evd &evd;
		bool cancelled;
	} sleeper{ *this, true };
	kdapl_evd_wait arg{};

	{
		std::lock_guard lock(mutex_);
		counters_.add(evd_wait_blocked);
	}
	arg.evd = id();
	arg.threshold = threshold;
	arg.deadline_ns = deadline_ns;
	const int err = ia().device().call_and_sleep(KDAPL_EVD_WAIT, arg);
	sleeper.cancelled = false;
	/* The EVD was freed just before the module saw the call, or is about to be. */
	if (err == ENOENT || (err == EBADFD && left()))
		return fail(Type::abort);
	return from_errno(err, { .busy = Sub::evd_waiter, .state = Sub::evd_unwaitable });
}

/*
 * The mutex keeps dequeue() out while events move. A waiter sleeps without it, but
 * looks at the ring only after it has slept.
 */
Status Evd::resize(std::uint32_t qlen)
{
	const ErrnoMeaning meaning{ .object = Sub::handle1, .limit = Sub::resource_tevd };
	kdapl_evd_resize arg{};

	arg.evd = id();
	arg.qlen = qlen;
	std::lock_guard lock(mutex_);
	if (int err = ia().device().call(KDAPL_EVD_RESIZE, arg))
		return from_errno(err, meaning);
	if (arg.qlen <= ring_.entries())
		return success;

	auto ring = ia().mappings().get<const kdapl_ev_ring>(arg.ring, false);
	if (!EvRing::fits(ring, arg.qlen))
		return fail(Type::insufficient_resources, Sub::resource_memory);
	ring_.reserve_move();
	arg.flags = KDAPL_EVD_RESIZE_COMMIT;
	if (int err = ia().device().call(KDAPL_EVD_RESIZE, arg))
		return from_errno(err, meaning);
	ring_.move_to(std::move(ring), arg.qlen);
	return success;
}

Status Evd::post_software(std::uint64_t cookie) noexcept
{
	kdapl_evd_post_se arg{};

	arg.evd = id();
	arg.cookie = cookie;
	return from_errno(ia().device().call(KDAPL_EVD_POST_SE, arg), { .object = Sub::handle1 });
}

/** Caller holds the notify mutex. */
Status Evd::notify(std::uint32_t cno, bool enabled) noexcept
{
	kdapl_evd_notify arg{};

	arg.evd = id();
	arg.cno = cno;
	arg.enabled = enabled;
	return from_errno(ia().device().call(KDAPL_EVD_NOTIFY, arg), { .object = Sub::handle1 });
}

Status Evd::enable(bool on) noexcept
{
	std::lock_guard lock(notify_mutex_);

	/* Without a CNO the module need not know. */
	if (cno_id_) {
		if (Status status = notify(cno_id_, on); !status.ok())
			return status;
	}
	enabled_.store(on, std::memory_order_relaxed);
	return success;
}

Status Evd::set_cno(const Cno *cno) noexcept
{
	const std::uint32_t cno_id = cno ? cno->id() : 0;
	std::lock_guard lock(notify_mutex_);

	if (cno_id == cno_id_)
		return success;
	if (Status status = notify(cno_id, enabled()); !status.ok())
		return status;
	cno_id_ = cno_id;
	cno_.store(cno ? cno->handle() : nullptr, std::memory_order_relaxed);
	return success;
}

Status Evd::set_waitable(bool waitable) noexcept
{
	kdapl_evd_waitable arg{};

	arg.evd = id();
	arg.waitable = waitable;
	std::lock_guard lock(notify_mutex_);
	if (waitable && left())
		return fail(Type::invalid_handle, Sub::handle1);
	const int err = ia().device().call(KDAPL_EVD_WAITABLE, arg);
	/* Who sees it sees why: left_. */
	if (!err)
		waitable_.store(waitable, std::memory_order_release);
	return from_errno(err, { .object = Sub::handle1 });
}

/** Events there are, those that wait for room in the module too. */
std::uint32_t Evd::queued() noexcept
{
	std::uint32_t queued = 0;

	if (ring_.module_has_more() && fill(queued).ok())
		return std::max(queued, ring_.count());
	return ring_.count();
}

Status Evd::fill(std::uint32_t &queued) noexcept
{
	kdapl_evd_fill arg{};

	arg.evd = id();
	const int err = ia().device().call(KDAPL_EVD_FILL, arg);
	queued = arg.queued;
	return from_errno(err, { .object = Sub::handle1 });
}

/** Take the oldest event out of the ring. Caller holds the mutex or is the waiter. */
Status Evd::take(Event &event)
{
	if (!ring_.count())
		return fail(Type::queue_empty);
	translate(ring_.peek(), event);
	pop();
	return success;
}

void Evd::translate(const kdapl_event &from, Event &to)
{
	const std::uint32_t number = number_of(from);

	if (number == event_dto || number == event_rmr_bind)
		translate_completion(from, to);
	else
		translate_rare(from, to);
}

/** An event that is no completion. */
void Evd::translate_rare(const kdapl_event &from, Event &to)
{
	to.number = from.type;
	to.status = from.status;
	if (from.type == event_connection_request) {
		/* First what can fail: the event stays where it is then. */
		Ref<Cr> cr =
			Cr::make(ia_ref(), static_cast<std::uint32_t>(from.length), from.status);
		to.status = 0;
		to.object = HandleTable::instance().handle_of_word(from.user);
		to.cr = cr ? cr->handle() : nullptr;
		to.conn_qual = from.cookie;
		to.local_address = ia().address();
	} else if (from.type >= event_connection_first && from.type <= event_connection_last) {
		translate_connection(from, to);
	} else if (from.type == event_software) {
		to.cookie = from.cookie;
	} else {
		/* What has gone meanwhile has no name. */
		to.object = from.user ? HandleTable::instance().handle_of_word(from.user) :
					ia().handle();
		count_async(from, to.object, ia());
	}
}

/** A connection event's private data is fetched now, and kept with the EP. */
void Evd::translate_connection(const kdapl_event &from, Event &to) noexcept
{
	to.object = HandleTable::instance().handle_of_word(from.user);
	if (!from.length)
		return;
	if (Ref<Ep> ep = pin_word<Ep>(from.user))
		ep->fetch_private_data(to.private_data, to.private_data_size);
}

} // namespace kdapl
