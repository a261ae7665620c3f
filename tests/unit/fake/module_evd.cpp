// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// The module's EVDs and CNOs: what is in a ring, who waits, and who is woken.

#include "fake/module.hpp"

#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

namespace fake {

using kdapl::load_acquire;
using kdapl::store_release;

namespace {

/** The descriptor shows what the module's poll() would. */
void show_trigger(const Cno &cno)
{
	eventfd_t ignored;

	if (cno.fd < 0)
		return;
	if (cno.triggered)
		eventfd_write(cno.fd, 1);
	else
		eventfd_read(cno.fd, &ignored);
}

} // namespace

int Module::create_evd(kdapl_evd_create &arg)
{
	std::uint32_t size = 1;

	while (size < arg.qlen)
		size *= 2;
	auto ring = std::make_shared<Region>(KDAPL_EV_ENTRIES_OFFSET + size * sizeof(kdapl_event));
	auto head = std::make_shared<Region>(4096);
	arg.ring = publish(ring);
	arg.head = publish(head, 128);
	arg.qlen = size;
	arg.id = add(KDAPL_OBJ_EVD);

	std::lock_guard lock(wait_mutex_);
	Evd &evd = evds_[arg.id];
	evd.ring_region = ring;
	evd.ring = reinterpret_cast<kdapl_ev_ring *>(ring->start());
	evd.entries = reinterpret_cast<kdapl_event *>(ring->start() + KDAPL_EV_ENTRIES_OFFSET);
	evd.head = reinterpret_cast<kdapl_ev_head *>(head->start() + 128);
	evd.ring->tail = evd.head->head = first_index;
	evd.size = size;
	evd.flags = arg.flags;
	evd.user = arg.user;
	return 0;
}

/** Which of its completions are notifications the EVD's ring says. */
void Module::show_notify(std::uint32_t evd, std::uint32_t notify)
{
	if (!evd)
		return;
	std::lock_guard lock(wait_mutex_);
	kdapl_ev_ring &ring = *evds_.at(evd).ring;
	std::uint32_t flags = ring.flags & ~(KDAPL_EV_QUIET | KDAPL_EV_ASK);
	if (notify != KDAPL_NOTIFY_THRESHOLD)
		flags |= KDAPL_EV_QUIET;
	if (notify == KDAPL_NOTIFY_SOLICITED)
		flags |= KDAPL_EV_ASK;
	__atomic_store_n(&ring.flags, flags, __ATOMIC_RELAXED);
}

std::uint32_t Module::in_ring(const Evd &evd) const
{
	return evd.ring->tail - load_acquire(evd.head->head);
}

int Module::wait(const kdapl_evd_wait &arg, std::unique_lock<std::mutex> &lock)
{
	const auto found = evds_.find(arg.evd);

	if (found == evds_.end())
		return ENOENT;
	Evd &evd = found->second;
	if (evd.dead)
		return ECANCELED;
	if (evd.waiter)
		return EBUSY;
	if (!evd.waitable)
		return EBADFD;
	const auto done = [&] {
		return evd.dead || !evd.waitable || interrupted_[arg.evd] ||
		       in_ring(evd) + evd.backlog.size() >= arg.threshold;
	};
	const std::chrono::steady_clock::time_point deadline{ std::chrono::nanoseconds(
		arg.deadline_ns) };
	bool in_time = true;

	evd.waiter = true;
	wakeup_.notify_all();
	if (arg.deadline_ns == KDAPL_DEADLINE_NONE)
		wakeup_.wait(lock, done);
	else
		in_time = wakeup_.wait_until(lock, deadline, done);
	evd.waiter = false;
	if (evd.dead)
		return ECANCELED;
	if (!evd.waitable)
		return EBADFD;
	if (interrupted_[arg.evd]) {
		interrupted_[arg.evd] = false;
		return EINTR;
	}
	return in_time ? 0 : ETIMEDOUT;
}

void Module::move_backlog(Evd &evd)
{
	while (!evd.backlog.empty() && in_ring(evd) < evd.size) {
		evd.entries[evd.ring->tail & (evd.size - 1)] = evd.backlog.front();
		evd.backlog.pop_front();
		store_release(evd.ring->tail, evd.ring->tail + 1);
	}
	__atomic_store_n(&evd.ring->flags,
			 (evd.ring->flags & (KDAPL_EV_QUIET | KDAPL_EV_ASK)) |
				 (evd.backlog.empty() ? 0 : KDAPL_EV_BACKLOG),
			 __ATOMIC_RELAXED);
}

int Module::fill(kdapl_evd_fill &arg)
{
	std::lock_guard lock(wait_mutex_);
	Evd &found = evds_.at(arg.evd);

	move_backlog(found);
	arg.queued = in_ring(found) + static_cast<__u32>(found.backlog.size());
	return 0;
}

int Module::post_se(const kdapl_evd_post_se &arg)
{
	std::lock_guard lock(wait_mutex_);
	Evd &evd = evds_.at(arg.evd);
	kdapl_event event{};

	event.type = 0x10001;
	event.cookie = arg.cookie;
	if (!evd.backlog.empty() || in_ring(evd) == evd.size)
		return ENOBUFS;
	evd.backlog.push_back(event);
	announce(evd);
	return 0;
}

/** An event came, for the ring and for who waits for it. */
void Module::announce(Evd &evd)
{
	move_backlog(evd);
	if (evd.cno && evd.enabled && !evd.waiter) {
		Cno &cno = cnos_.at(evd.cno);
		if (std::exchange(cno.agent_armed, false)) {
			cno.agent_due = true;
			cno.agent_trigger = evd.user;
			cno.agent_told = cno.agent;
		}
		if (!std::exchange(cno.triggered, true))
			cno.trigger = evd.user;
		show_trigger(cno);
	}
	wakeup_.notify_all();
}

void Module::detach_cno(Evd &evd, bool freed)
{
	if (!evd.cno)
		return;
	Cno &cno = cnos_.at(std::exchange(evd.cno, 0));
	if (--cno.evds || !freed)
		return;
	cno.releases++;
	if (std::exchange(cno.agent_armed, false)) {
		cno.agent_due = true;
		cno.agent_trigger = 0;
		cno.agent_told = cno.agent;
	}
}

int Module::notify(const kdapl_evd_notify &arg)
{
	std::lock_guard lock(wait_mutex_);
	Evd &evd = evds_.at(arg.evd);

	if (arg.cno) {
		if (!types_.count(arg.cno))
			return ENOENT;
		cnos_.at(arg.cno).evds++;
	}
	detach_cno(evd, false);
	evd.cno = arg.cno;
	evd.enabled = arg.enabled;
	return 0;
}

int Module::create_cno(kdapl_cno_create &arg)
{
	std::lock_guard lock(wait_mutex_);

	arg.id = add(KDAPL_OBJ_CNO);
	cnos_[arg.id] = {};
	return 0;
}

int Module::modify_cno(const kdapl_cno_modify &arg)
{
	std::lock_guard lock(wait_mutex_);
	Cno &cno = cnos_.at(arg.cno);

	cno.agent_armed = arg.op == KDAPL_CNO_ARM;
	if (arg.op != KDAPL_CNO_RELEASE)
		cno.agent_due = false;
	if (arg.op == KDAPL_CNO_ARM)
		cno.agent = arg.agent;
	cno.released |= arg.op == KDAPL_CNO_RELEASE;
	wakeup_.notify_all();
	return 0;
}

void Module::tell_of_last_agent(std::uint32_t id)
{
	std::unique_lock lock(wait_mutex_);
	Cno &cno = cnos_.at(id);

	cno.agent_due = true;
	cno.agent_trigger = 0;
	cno.agent_told = cno.agent - 1;
	wakeup_.notify_all();
	wakeup_.wait(lock, [&] { return !cno.agent_due; });
}

int Module::open_cno_fd(kdapl_cno_fd &arg)
{
	std::lock_guard lock(wait_mutex_);
	const auto found = cnos_.find(arg.cno);

	if (found == cnos_.end() || found->second.dead)
		return ENOENT;
	Cno &cno = found->second;
	arg.fd = eventfd(cno.triggered, EFD_CLOEXEC | EFD_NONBLOCK);
	cno.fd = fcntl(arg.fd, F_DUPFD_CLOEXEC, 0);
	if (cno.fd >= 0)
		return 0;
	close(arg.fd);
	return EMFILE;
}

int Module::wait_cno(kdapl_cno_wait &arg, std::unique_lock<std::mutex> &lock)
{
	const auto found = cnos_.find(arg.cno);

	if (found == cnos_.end() || found->second.dead)
		return ENOENT;
	Cno &cno = found->second;
	const bool agent = arg.flags & KDAPL_CNO_AGENT;
	const unsigned releases = cno.releases;
	const auto done = [&] {
		return cno.dead || cno.released ||
		       (agent ? cno.agent_due : cno.triggered || cno.releases != releases);
	};
	const std::chrono::steady_clock::time_point deadline{ std::chrono::nanoseconds(
		arg.deadline_ns) };
	bool in_time = true;

	cno.waiters += !agent;
	wakeup_.notify_all();
	if (arg.deadline_ns == KDAPL_DEADLINE_NONE)
		wakeup_.wait(lock, done);
	else
		in_time = wakeup_.wait_until(lock, deadline, done);
	cno.waiters -= !agent;
	wakeup_.notify_all();
	if (agent && !std::exchange(cno.agent_due, false))
		return ECANCELED;
	if (agent)
		arg.agent = cno.agent_told;
	wakeup_.notify_all();
	arg.evd_user = agent ? cno.agent_trigger : 0;
	if (!agent && std::exchange(cno.triggered, false)) {
		arg.evd_user = cno.trigger;
		show_trigger(cno);
	}
	return in_time ? 0 : ETIMEDOUT;
}

void Module::wait_for_cno_waiters(std::uint32_t id, unsigned count)
{
	std::unique_lock lock(wait_mutex_);

	wakeup_.wait(lock, [&] { return cnos_.at(id).waiters == count; });
}

int Module::set_waitable(const kdapl_evd_waitable &arg)
{
	std::lock_guard lock(wait_mutex_);

	evds_.at(arg.evd).waitable = arg.waitable;
	wakeup_.notify_all();
	return 0;
}

int Module::resize(kdapl_evd_resize &arg)
{
	std::lock_guard lock(wait_mutex_);
	Evd &evd = evds_.at(arg.evd);

	if (arg.flags == KDAPL_EVD_RESIZE_COMMIT) {
		if (!evd.next)
			return EBADFD;
		move_to_next(evd);
		arg.qlen = evd.size;
		return 0;
	}
	if (arg.qlen <= evd.size && in_ring(evd) + evd.backlog.size() > arg.qlen)
		return EBADFD;
	std::uint32_t size = evd.size;
	while (size < arg.qlen)
		size *= 2;
	arg.qlen = size;
	if (size > evd.size) {
		evd.next = std::make_shared<Region>(KDAPL_EV_ENTRIES_OFFSET +
						    size * sizeof(kdapl_event));
		arg.ring = publish(evd.next);
	}
	return 0;
}

void Module::move_to_next(Evd &evd)
{
	const auto *old = evd.entries;
	const std::uint32_t old_size = evd.size, tail = evd.ring->tail;

	evd.size = 1;
	while (KDAPL_EV_ENTRIES_OFFSET + 2 * evd.size * sizeof(kdapl_event) <= evd.next->size())
		evd.size *= 2;
	evd.ring = reinterpret_cast<kdapl_ev_ring *>(evd.next->start());
	evd.entries = reinterpret_cast<kdapl_event *>(evd.next->start() + KDAPL_EV_ENTRIES_OFFSET);
	for (std::uint32_t i = load_acquire(evd.head->head); i != tail; i++)
		evd.entries[i & (evd.size - 1)] = old[i & (old_size - 1)];
	store_release(evd.ring->tail, tail);
	/* The old one lives as long as it is mapped. */
	evd.ring_region = std::move(evd.next);
	move_backlog(evd);
}

void Module::post(std::uint32_t id, const kdapl_event &event)
{
	std::lock_guard lock(wait_mutex_);
	Evd &evd = evds_.at(id);

	evd.backlog.push_back(event);
	announce(evd);
}

void Module::post_dto(std::uint32_t evd, std::uint32_t ep_id, std::uint64_t cookie,
		      std::uint64_t length, std::uint32_t status)
{
	kdapl_event event{};

	event.user = ep(ep_id).created.user;
	event.cookie = cookie;
	event.length = length;
	event.type = 1;
	event.status = status;
	post(evd, event);
}

void Module::wait_for_waiter(std::uint32_t id)
{
	std::unique_lock lock(wait_mutex_);

	wakeup_.wait(lock, [&] { return evds_.at(id).waiter; });
}

void Module::interrupt(std::uint32_t id)
{
	std::lock_guard lock(wait_mutex_);

	interrupted_[id] = true;
	wakeup_.notify_all();
}

Evd &Module::evd(std::uint32_t id)
{
	std::lock_guard lock(wait_mutex_);
	return evds_.at(id);
}

} // namespace fake
