// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "ia.hpp"

#include "cno.hpp"
#include "debug.hpp"
#include "ep.hpp"
#include "evd.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>

namespace kdapl {

Ia::Ia(Slot *slot, std::unique_ptr<Device> device, const void *provider) noexcept
	: Object(slot, kind), device_(std::move(device)), mappings_(*device_), provider_(provider)
{
}

namespace {

/** What opening /dev/kdapl or an adapter on it failed of. */
Status open_status(int err, std::string_view name) noexcept
{
	debug_error("opening %.*s: %s", static_cast<int>(name.size()), name.data(),
		    std::strerror(err));
	switch (err) {
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return fail(Type::provider_not_found, Sub::name_not_registered);
	default:
		return from_errno(err);
	}
}

/** Whether KDAPL_IA_OPEN has anything against the EVD, or the IA that lends it. */
bool is_about_lent_evd(int err) noexcept
{
	return err == ENOENT || err == EINVAL || err == EBADF || err == EACCES;
}

} // namespace

Status Ia::open(const IaOpen &args, Ref<Ia> &ia)
{
	std::unique_ptr<Device> device;

	if (args.name.empty() || args.name.size() >= KDAPL_NAME_MAX)
		return fail(Type::provider_not_found, Sub::name_not_registered);
	if (int err = open_device(device))
		return open_status(err, args.name);

	Draft<Ia> draft(args.provider, std::move(device), args.provider);
	if (Status status = draft->open_device_file(args); !status.ok())
		return status;

	Ref<Ia> opened = draft.publish();
	if (args.lent_evd || args.async_elsewhere) {
		ia = std::move(opened);
		return success;
	}
	try {
		if (Status status = opened->make_async_evd(opened, args.async_qlen); !status.ok()) {
			(void)opened->close_abruptly();
			return status;
		}
	} catch (...) {
		(void)opened->close_abruptly();
		throw;
	}
	ia = std::move(opened);
	return success;
}

/** Make the open file an IA, learn about it, map its submission ring. */
Status Ia::open_device_file(const IaOpen &args)
{
	if (int err = device_->call(KDAPL_QUERY, module_))
		return open_status(err, args.name);

	kdapl_ia_open open{};
	open.flags = args.ro_aware ? KDAPL_IA_RO_AWARE : 0;
	args.name.copy(reinterpret_cast<char *>(open.name), sizeof open.name - 1);
	open.user = word();
	if (args.lent_evd) {
		async_evd_ = args.lent_evd->handle();
		open.async_evd = args.lent_evd->id();
		open.async_file = args.lent_evd->ia().device().file();
	}
	async_elsewhere_ = args.async_elsewhere;
	mixes_styles_ = args.mixes_styles;
	open.flags |= args.async_elsewhere ? KDAPL_IA_DROP_ASYNC : 0;
	open.flags |= args.tell_operation ? KDAPL_IA_TELL_OP : 0;
	if (int err = device_->call(KDAPL_IA_OPEN, open))
		return args.lent_evd && is_about_lent_evd(err) ?
			       fail(Type::invalid_handle, Sub::handle_evd_async) :
			       open_status(err, args.name);
	if (int err = device_->call(KDAPL_IA_QUERY, attributes_))
		return open_status(err, args.name);
	choose_address();

	auto ring = mappings_.get<kdapl_sq_ring>(open.sq, true);
	auto status = mappings_.get<const kdapl_sq_status>(open.sq_status, false);
	if (!ring || !status)
		return fail(Type::insufficient_resources, Sub::resource_memory);
	if (!sq_.attach(std::move(ring), std::move(status), open.sq_entries))
		return fail(Type::internal_error);
	return success;
}

/** Programs know one address of an adapter: IPv4 where there is one. */
void Ia::choose_address() noexcept
{
	const std::size_t count = std::min<std::size_t>(attributes_.num_addrs, KDAPL_ADDRS_MAX);
	const std::span<const kdapl_addr> all(attributes_.addrs, count);
	auto chosen = std::find_if(all.begin(), all.end(),
				   [](const kdapl_addr &a) { return a.family == AF_INET; });

	if (chosen == all.end())
		chosen = all.begin();
	if (chosen != all.end())
		address_ = to_sockaddr(*chosen);
}

Status Ia::make_async_evd(const Ref<Ia> &self, std::uint32_t qlen)
{
	Ref<Evd> evd;

	if (Status status = Evd::create(self, std::max(qlen, 1U), evd_async, evd); !status.ok())
		return status;
	async_evd_ = evd->handle();
	async_evd_id_ = evd->id();
	/* The program did not make it. */
	(void)counter(ia_evd_create, true);
	return success;
}

void Ia::count(IaCounter counter) noexcept
{
	std::lock_guard lock(objects_mutex_);

	counters_.add(counter);
}

std::uint64_t Ia::counter(std::uint32_t number, bool reset) noexcept
{
	std::lock_guard lock(objects_mutex_);

	return counters_.read(number, reset);
}

Status Ia::ring_doorbell() noexcept
{
	return from_errno(device_->ring(0));
}

Status Ia::ring_doorbell_and_poll(std::uint32_t evd) noexcept
{
	if (!evd) {
		const Status status = ring_doorbell();
		spin_.rang(spin_clock());
		return status;
	}
	const int err = device_->ring(evd);
	if (!err) {
		spin_.polled(true);
		return success;
	}
	/* The entries are the module's, whatever became of the poll. */
	if (err == EAGAIN)
		return success;
	const bool in_vain = err == ETIME || err == ENOENT;
	spin_.polled(!in_vain);
	return in_vain ? success : from_errno(err);
}

void Ia::link(Child &child) noexcept
{
	child.next_ = objects_;
	if (objects_)
		objects_->previous_ = &child;
	objects_ = &child;
	counters_.add(life_counters(child.kind_of()).made);
}

void Ia::discard(std::uint32_t type, std::uint32_t id) noexcept
{
	kdapl_destroy destroy{};

	destroy.type = type;
	destroy.id = id;
	device_->call(KDAPL_DESTROY, destroy);
}

Status Ia::free(Child &child, const ErrnoMeaning &meaning) noexcept
{
	kdapl_destroy destroy{};

	destroy.type = child.type_;
	destroy.id = child.id();
	if (int err = device_->call(KDAPL_DESTROY, destroy))
		return from_errno(err, meaning);
	retire(child);
	return success;
}

void Ia::retire(Child &child) noexcept
{
	std::lock_guard lock(objects_mutex_);

	if (!HandleTable::instance().retire(child.slot_))
		return;
	counters_.add(life_counters(child.kind_of()).freed);
	if (child.next_)
		child.next_->previous_ = child.previous_;
	if (child.previous_)
		child.previous_->next_ = child.next_;
	else
		objects_ = child.next_;
}

/** A request, or an EP that was made for one. */
static bool goes_undecided(const Object &object) noexcept
{
	return object.kind_of() == Kind::cr ||
	       (object.kind_of() == Kind::ep && static_cast<const Ep &>(object).is_undecided());
}

/** Whether a graceful close must be refused. Caller holds the mutex. */
bool Ia::has_consumer_objects() const noexcept
{
	for (const Object *o = objects_; o; o = o->next_) {
		if (o->handle() != async_evd_ && !goes_undecided(*o))
			return true;
	}
	return false;
}

void Ia::lose(std::uint32_t context) noexcept
{
	std::lock_guard lock(objects_mutex_);

	for (Object *o = objects_; o; o = o->next_)
		static_cast<Child *>(o)->lose(context);
}

/** One of the objects of a kind, counted from 0, kept from being deleted. */
Ref<Child> Ia::nth_of(Kind kind, std::size_t n) noexcept
{
	std::lock_guard lock(objects_mutex_);

	for (Object *o = objects_; o; o = o->next_) {
		if (o->kind_of() != kind)
			continue;
		/* One that another thread is freeing right now does not count. */
		if (n)
			n--;
		else if (HandleTable::instance().pin_slot(o->slot_))
			return Ref<Child>(static_cast<Child *>(o), o->slot_);
	}
	return {};
}

/**
 * Free all objects of a kind. What the module refuses goes when the file is
 * closed; but it must be asked, because the file stays open while a call waits
 * in it, and that call ends only with its EVD.
 */
void Ia::free_all(Kind kind) noexcept
{
	while (Ref<Child> child = nth_of(kind, 0)) {
		child->leave();
		discard(child->type_, child->id());
		retire(*child);
	}
}

/** Those that nobody has taken: an RSP's has the point's EP, which could not go before it. */
void Ia::discard_requests() noexcept
{
	std::size_t n = 0;

	while (Ref<Child> child = nth_of(Kind::evd, n++))
		static_cast<Evd &>(*child).discard_requests();
}

/** All, before the first one's agent is waited for: it may wait on another one. */
void Ia::release_cnos() noexcept
{
	std::size_t n = 0;

	while (Ref<Child> child = nth_of(Kind::cno, n++))
		static_cast<Cno &>(*child).release();
}

/** It is closed: nothing is added to the list any more. */
void Ia::free_everything() noexcept
{
	for (Kind kind : { Kind::psp, Kind::csp, Kind::rsp })
		free_all(kind);
	discard_requests();
	for (Kind kind : { Kind::cr, Kind::ep, Kind::srq, Kind::rmr, Kind::lmr, Kind::evd })
		free_all(kind);
	release_cnos();
	for (Kind kind : { Kind::cno, Kind::pz })
		free_all(kind);
	retire_self();
}

Status Ia::close_abruptly() noexcept
{
	{
		std::lock_guard lock(objects_mutex_);
		if (std::exchange(closed_, true))
			return fail(Type::invalid_handle, Sub::handle_ia);
	}
	free_everything();
	return success;
}

Status Ia::close_gracefully() noexcept
{
	{
		std::lock_guard lock(objects_mutex_);
		if (!closed_ && has_consumer_objects())
			return fail(Type::invalid_state, Sub::ia_in_use);
		if (std::exchange(closed_, true))
			return fail(Type::invalid_handle, Sub::handle_ia);
	}
	free_everything();
	return success;
}

void Ia::retire_self() noexcept
{
	HandleTable::instance().retire(slot_);
}

} // namespace kdapl
