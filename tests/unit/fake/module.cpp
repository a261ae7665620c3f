// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "fake/module.hpp"

#include "engine/static_registry.hpp"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace fake {

using kdapl::full_barrier;
using kdapl::load_acquire;
using kdapl::store_release;

Region::Region(std::size_t size)
	: size_(size), words_(std::make_unique<std::uint64_t[]>((size + 7) / 8))
{
}

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

void close_fd(Cno &cno)
{
	const int fd = std::exchange(cno.fd, -1);

	if (fd >= 0)
		close(fd);
}

} // namespace

/** The library's end of the module. */
class Module::OpenFile final : public kdapl::Device {
public:
	explicit OpenFile(Module &module) : module_(module) {}
	~OpenFile() override { module_.release_file(); }

	int control(unsigned long command, void *arg) noexcept override
	{
		return module_.control(command, arg);
	}
	void *map(std::uint64_t offset, std::size_t size, bool) noexcept override
	{
		std::lock_guard lock(module_.mutex_);
		const auto region = module_.regions_.find(offset);
		if (region == module_.regions_.end() || region->second->size() != size)
			return nullptr;
		module_.mappings++;
		return region->second->start();
	}
	void unmap(void *, std::size_t) noexcept override
	{
		std::lock_guard lock(module_.mutex_);
		module_.mappings--;
	}
	int file() const noexcept override { return module_.file; }

private:
	Module &module_;
};

Module::Module()
{
	std::strcpy(reinterpret_cast<char *>(attributes.name), "fake0");
	std::strcpy(reinterpret_cast<char *>(attributes.netdev), "eth7");
	std::strcpy(reinterpret_cast<char *>(attributes.driver), "fake");
	std::strcpy(reinterpret_cast<char *>(attributes.fw_version), "16.35.2000");
	attributes.transport = KDAPL_TRANSPORT_IB;
	attributes.max_private_data = 56;
	attributes.max_private_data_accept = 196;
	attributes.max_eps = 1000;
	attributes.max_requests = 512;
	attributes.max_recvs = 512;
	attributes.max_srqs = 100;
	attributes.max_srq_recvs = 1024;
	attributes.max_srq_iov = 4;
	attributes.max_iov = 6;
	attributes.max_iov_read = 3;
	attributes.max_rdma_read_in = 16;
	attributes.max_rdma_read_out = 8;
	attributes.max_evds = 1000;
	attributes.max_evd_qlen = 65536;
	attributes.max_lmrs = 1000;
	attributes.max_pzs = 1000;
	attributes.max_lmr_size = 1ULL << 40;
	attributes.max_rmr_size = 32768;
	attributes.max_message = 1U << 30;
	attributes.num_addrs = 2;
	attributes.addrs[0].family = AF_INET6;
	attributes.addrs[0].addr[15] = 1;
	attributes.addrs[1].family = AF_INET;
	attributes.addrs[1].addr[0] = 10;
	attributes.addrs[1].addr[3] = 7;
}

Module::~Module()
{
	kdapl::set_device_opener({});
	kdapl::set_dat_conf({});
}

void Module::install()
{
	/* The machine's own dat.conf is none of the tests'. */
	kdapl::set_dat_conf("/nonexistent/dat.conf");
	unsetenv("DAT_OVERRIDE");
	kdapl::set_device_opener([this](std::unique_ptr<kdapl::Device> &device) {
		if (open_error)
			return open_error;
		std::lock_guard lock(mutex_);
		device = std::make_unique<OpenFile>(*this);
		files_++;
		file_open = true;
		return 0;
	});
}

void Module::fail_next(unsigned long command, int err)
{
	std::lock_guard lock(mutex_);
	errors_[command] = err;
}

unsigned Module::calls(unsigned long command)
{
	std::lock_guard lock(mutex_);
	return calls_[command];
}

void Module::release_file()
{
	std::lock_guard lock(mutex_);
	std::lock_guard evd_lock(wait_mutex_);
	if (--files_)
		return;
	file_open = false;
	regions_.clear();
	types_.clear();
	evds_.clear();
	for (auto &[id, cno] : cnos_)
		close_fd(cno);
	cnos_.clear();
	eps_.clear();
	psps_.clear();
	lmrs_.clear();
	sq_ = nullptr;
}

std::uint32_t Module::add(std::uint32_t type)
{
	types_[next_id_] = type;
	return next_id_++;
}

kdapl_map Module::publish(const std::shared_ptr<Region> &region, std::uint32_t start)
{
	kdapl_map map{};

	map.offset = next_offset_;
	map.size = static_cast<__u32>(region->size());
	map.start = start;
	regions_[next_offset_] = region;
	next_offset_ += 4096;
	return map;
}

int Module::control(unsigned long command, void *arg)
{
	{
		std::lock_guard lock(mutex_);
		calls_[command]++;
		const auto error = errors_.find(command);
		if (error != errors_.end()) {
			const int err = error->second;
			errors_.erase(error);
			if (command == KDAPL_LMR_CREATE) {
				auto *lmr = static_cast<kdapl_lmr_create *>(arg);
				lmr->memlock_limit = lmr_limit.memlock_limit;
				lmr->memlock_needed = lmr_limit.memlock_needed;
			}
			return err;
		}
	}
	if (command == KDAPL_EVD_WAIT) {
		std::unique_lock lock(wait_mutex_);
		return wait(*static_cast<kdapl_evd_wait *>(arg), lock);
	}
	if (command == KDAPL_CNO_WAIT) {
		std::unique_lock lock(wait_mutex_);
		return wait_cno(*static_cast<kdapl_cno_wait *>(arg), lock);
	}
	std::lock_guard lock(mutex_);
	return dispatch(command, arg);
}

int Module::dispatch(unsigned long command, void *arg)
{
	switch (command) {
	case KDAPL_QUERY: {
		auto &query = *static_cast<kdapl_query *>(arg);
		query.abi_version = KDAPL_ABI_VERSION;
		query.num_adapters = static_cast<__u32>(adapters.size());
		std::strcpy(reinterpret_cast<char *>(query.module_version), "1.0-fake");
		return 0;
	}
	case KDAPL_ADAPTER:
		return adapter(*static_cast<kdapl_adapter *>(arg));
	case KDAPL_IA_OPEN:
		return open_ia(*static_cast<kdapl_ia_open *>(arg));
	case KDAPL_IA_QUERY:
		*static_cast<kdapl_ia_query *>(arg) = attributes;
		return 0;
	case KDAPL_DESTROY:
		return destroy(*static_cast<kdapl_destroy *>(arg));
	case KDAPL_PZ_CREATE:
		static_cast<kdapl_pz_create *>(arg)->id = add(KDAPL_OBJ_PZ);
		return 0;
	case KDAPL_LMR_CREATE:
		return create_lmr(*static_cast<kdapl_lmr_create *>(arg));
	case KDAPL_RMR_CREATE: {
		auto &rmr = *static_cast<kdapl_rmr_create *>(arg);
		rmr.id = add(KDAPL_OBJ_RMR);
		rmr_user = rmr.user;
		return 0;
	}
	case KDAPL_RMR_BIND:
		if (on_bind)
			on_bind();
		static_cast<kdapl_rmr_bind *>(arg)->rkey = ++last_rkey_;
		bound = *static_cast<kdapl_rmr_bind *>(arg);
		return 0;
	case KDAPL_EVD_CREATE:
		return create_evd(*static_cast<kdapl_evd_create *>(arg));
	case KDAPL_EVD_FILL:
		return fill(*static_cast<kdapl_evd_fill *>(arg));
	case KDAPL_EVD_POST_SE:
		return post_se(*static_cast<kdapl_evd_post_se *>(arg));
	case KDAPL_EVD_WAITABLE:
		return set_waitable(*static_cast<kdapl_evd_waitable *>(arg));
	case KDAPL_EVD_NOTIFY:
		return notify(*static_cast<kdapl_evd_notify *>(arg));
	case KDAPL_CNO_CREATE: {
		auto &cno = *static_cast<kdapl_cno_create *>(arg);
		std::lock_guard lock(wait_mutex_);
		cno.id = add(KDAPL_OBJ_CNO);
		cnos_[cno.id] = {};
		return 0;
	}
	case KDAPL_CNO_MODIFY:
		return modify_cno(*static_cast<kdapl_cno_modify *>(arg));
	case KDAPL_CNO_FD:
		return open_cno_fd(*static_cast<kdapl_cno_fd *>(arg));
	case KDAPL_EVD_RESIZE:
		return resize(*static_cast<kdapl_evd_resize *>(arg));
	case KDAPL_EP_CREATE:
		return create_ep(*static_cast<kdapl_ep_create *>(arg));
	case KDAPL_EP_QUERY: {
		auto &query = *static_cast<kdapl_ep_query *>(arg);
		const auto id = query.ep;
		query = ep(id).query;
		query.ep = id;
		return 0;
	}
	case KDAPL_EP_SET_MARKS:
		marks = *static_cast<kdapl_ep_set_marks *>(arg);
		return 0;
	case KDAPL_SRQ_CREATE:
		return create_srq(*static_cast<kdapl_srq_create *>(arg));
	case KDAPL_SRQ_RESIZE: {
		auto &resize = *static_cast<kdapl_srq_resize *>(arg);
		std::uint32_t &slots = srq(resize.srq).slots;
		slots = std::max(slots, resize.max_recvs);
		resize.max_recvs = slots;
		return 0;
	}
	case KDAPL_SRQ_SET_LOW: {
		const auto &low = *static_cast<kdapl_srq_set_low *>(arg);
		srq(low.srq).low = low.low;
		return 0;
	}
	case KDAPL_EP_CONNECT:
		connected = *static_cast<kdapl_ep_connect *>(arg);
		set_state(connected.ep, 6);
		return 0;
	case KDAPL_EP_DISCONNECT:
		set_state(static_cast<kdapl_ep_disconnect *>(arg)->ep, 11);
		return 0;
	case KDAPL_EP_RESET:
		set_state(static_cast<kdapl_ep_reset *>(arg)->ep, 0);
		return 0;
	case KDAPL_PSP_CREATE: {
		auto &psp = *static_cast<kdapl_psp_create *>(arg);
		psp.id = add(KDAPL_OBJ_PSP);
		psps_[psp.id] = psp.user;
		if (psp.flags & KDAPL_PSP_ANY)
			psp.conn_qual = 49152;
		return 0;
	}
	case KDAPL_RSP_CREATE:
		return create_rsp(*static_cast<kdapl_rsp_create *>(arg));
	case KDAPL_CSP_CREATE:
		return create_csp(*static_cast<kdapl_csp_create *>(arg));
	case KDAPL_EP_MODIFY:
		return modify_ep(*static_cast<kdapl_ep_modify *>(arg));
	case KDAPL_CR_OFFER:
		cr_ep = static_cast<kdapl_cr_offer *>(arg)->ep;
		set_state(cr_ep, 7);
		return 0;
	case KDAPL_CR_HANDOFF:
		handed_off = *static_cast<kdapl_cr_handoff *>(arg);
		types_.erase(handed_off.cr);
		if (cr_ep)
			set_state(cr_ep, 0);
		return 0;
	case KDAPL_CR_QUERY:
		cr.ep_user = cr_ep ? ep(cr_ep).created.user : 0;
		cr.cr = static_cast<kdapl_cr_query *>(arg)->cr;
		*static_cast<kdapl_cr_query *>(arg) = cr;
		return 0;
	case KDAPL_CR_ACCEPT:
		accepted = *static_cast<kdapl_cr_accept *>(arg);
		set_state(accepted.ep ? accepted.ep : cr_ep, 12);
		types_.erase(accepted.cr);
		return 0;
	case KDAPL_CR_REJECT:
		rejected = *static_cast<kdapl_cr_reject *>(arg);
		types_.erase(rejected.cr);
		if (cr_ep)
			set_state(cr_ep, 0);
		return 0;
	case KDAPL_SUBMIT:
		submitted = *static_cast<kdapl_submit *>(arg);
		if (on_submit)
			on_submit();
		else
			take();
		return 0;
	}
	return ENOTTY;
}

int Module::adapter(kdapl_adapter &arg)
{
	if (arg.index >= adapters.size())
		return ENODEV;
	std::strncpy(reinterpret_cast<char *>(arg.name), adapters[arg.index].c_str(),
		     sizeof arg.name - 1);
	return 0;
}

int Module::open_ia(kdapl_ia_open &arg)
{
	const std::string name(reinterpret_cast<const char *>(arg.name));
	opened = arg;
	bool known = name == reinterpret_cast<const char *>(attributes.netdev);

	for (const std::string &adapter : adapters)
		known = known || adapter == name;
	if (!known)
		return ENODEV;
	attributes.flags &= ~KDAPL_IA_RELAXED_ORDERING;
	if (arg.flags & KDAPL_IA_RO_AWARE)
		attributes.flags |= KDAPL_IA_RELAXED_ORDERING;

	auto ring =
		std::make_shared<Region>(KDAPL_SQ_ENTRIES_OFFSET + sq_entries * sizeof(kdapl_sqe));
	auto status = std::make_shared<Region>(4096);
	arg.sq = publish(ring);
	arg.sq_status = publish(status, 64);
	arg.sq_entries = sq_entries;
	sq_ = reinterpret_cast<kdapl_sq_ring *>(ring->start());
	sqes_ = reinterpret_cast<kdapl_sqe *>(ring->start() + KDAPL_SQ_ENTRIES_OFFSET);
	sq_status_ = reinterpret_cast<kdapl_sq_status *>(status->start() + 64);
	sq_->tail = sq_status_->head = first_index;
	sq_status_->flags = KDAPL_SQ_NEED_WAKEUP;
	return 0;
}

int Module::destroy(const kdapl_destroy &arg)
{
	const auto found = types_.find(arg.id);

	if (found == types_.end() || found->second != arg.type)
		return ENOENT;
	std::lock_guard lock(wait_mutex_);
	if (arg.type == KDAPL_OBJ_EP && is_taken(arg.id))
		return EBUSY;
	if (arg.type == KDAPL_OBJ_RSP && reserved_.count(arg.id) &&
	    ep(reserved_[arg.id]).status->state == 2)
		set_state(reserved_[arg.id], 0);
	if (arg.type == KDAPL_OBJ_CNO) {
		Cno &cno = cnos_.at(arg.id);
		if (cno.evds || cno.waiters)
			return EBUSY;
		cno.dead = true;
		cno.agent_due = false;
		close_fd(cno);
	}
	if (arg.type == KDAPL_OBJ_SRQ) {
		for (const auto &[id, ep] : eps_) {
			if (exists(id) && ep.created.srq == arg.id)
				return EBUSY;
		}
	}
	if (arg.type == KDAPL_OBJ_EVD) {
		evds_.at(arg.id).dead = true;
		detach_cno(evds_.at(arg.id), true);
	}
	types_.erase(found);
	wakeup_.notify_all();
	return 0;
}

/** An EP that a service point or a request has. */
bool Module::is_taken(std::uint32_t id)
{
	const std::uint32_t state = load_acquire(ep(id).status->state);

	return state == 2 || state == 4 || state == 7;
}

int Module::modify_ep(const kdapl_ep_modify &arg)
{
	modified = arg;
	for (const std::uint32_t used :
	     { arg.pz, arg.recv_evd, arg.request_evd, arg.connect_evd }) {
		if (used && !types_.count(used))
			return ENOENT;
	}
	if (!arg.recv_evd != !(arg.max_recvs || ep(arg.ep).created.srq) ||
	    !arg.request_evd != !arg.max_requests)
		return EINVAL;
	return 0;
}

int Module::create_rsp(kdapl_rsp_create &arg)
{
	if (!arg.ep) {
		arg.id = add(KDAPL_OBJ_RSP);
		psps_[arg.id] = arg.user;
		return 0;
	}
	if (ep(arg.ep).status->state != 0)
		return EBADFD;
	arg.id = add(KDAPL_OBJ_RSP);
	psps_[arg.id] = arg.user;
	reserved_[arg.id] = arg.ep;
	set_state(arg.ep, 2);
	return 0;
}

int Module::create_csp(kdapl_csp_create &arg)
{
	csp_asked = arg;
	if ((arg.domain != AF_INET && arg.domain != AF_INET6) || arg.type != SOCK_STREAM ||
	    (arg.protocol && arg.protocol != IPPROTO_TCP))
		return EPROTONOSUPPORT;
	if (arg.addr.family != arg.domain)
		return EINVAL;
	arg.id = add(KDAPL_OBJ_PSP);
	psps_[arg.id] = arg.user;
	if (!arg.addr.port)
		arg.addr.port = 49153;
	return 0;
}

int Module::create_lmr(kdapl_lmr_create &arg)
{
	lmr_asked = arg;
	if (!exists(arg.pz))
		return ENOENT;
	if (arg.mem_type == KDAPL_MEM_LMR) {
		if (!exists(arg.source))
			return ENOENT;
		arg.addr = lmrs_.at(arg.source).addr;
		arg.length = lmrs_.at(arg.source).length;
	}
	arg.id = add(KDAPL_OBJ_LMR);
	lmrs_[arg.id] = arg;
	if (arg.privileges &
	    (KDAPL_PRIV_REMOTE_READ | KDAPL_PRIV_REMOTE_WRITE | KDAPL_PRIV_REMOTE_ATOMIC))
		arg.rkey = arg.id << 8;
	if (arg.mem_type == KDAPL_MEM_VIRTUAL && !(attributes.flags & KDAPL_IA_RELAXED_ORDERING))
		arg.mem_type = KDAPL_MEM_SO_VIRTUAL;
	return 0;
}

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

int Module::create_ep(kdapl_ep_create &arg)
{
	if (arg.pz && !exists(arg.pz))
		return ENOENT;
	auto status = std::make_shared<Region>(4096);
	arg.status = publish(status, 192);
	arg.id = add(KDAPL_OBJ_EP);
	Ep &ep = eps_[arg.id];
	ep.created = arg;
	ep.status = reinterpret_cast<kdapl_ep_status *>(status->start() + 192);
	ep.query.max_rdma_read_in = arg.max_rdma_read_in;
	ep.query.max_rdma_read_out = arg.max_rdma_read_out;
	show_notify(arg.recv_evd, arg.recv_notify);
	show_notify(arg.request_evd, arg.request_notify);
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

int Module::create_srq(kdapl_srq_create &arg)
{
	if (!exists(arg.pz) || !exists(arg.async_evd))
		return ENOENT;
	auto status = std::make_shared<Region>(4096);
	arg.status = publish(status, 320);
	arg.id = add(KDAPL_OBJ_SRQ);
	srqs_[arg.id] = { arg, reinterpret_cast<kdapl_srq_status *>(status->start() + 320),
			  arg.max_recvs, 0 };
	return 0;
}

Srq &Module::srq(std::uint32_t id)
{
	std::lock_guard lock(mutex_);

	return srqs_.at(id);
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

int Module::modify_cno(const kdapl_cno_modify &arg)
{
	std::lock_guard lock(wait_mutex_);
	Cno &cno = cnos_.at(arg.cno);

	cno.agent_armed = arg.op == KDAPL_CNO_ARM;
	if (arg.op == KDAPL_CNO_DISARM)
		cno.agent_due = false;
	cno.released |= arg.op == KDAPL_CNO_RELEASE;
	wakeup_.notify_all();
	return 0;
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

void Module::set_need_wakeup(bool on)
{
	__atomic_store_n(&sq_status_->flags, on ? KDAPL_SQ_NEED_WAKEUP : 0, __ATOMIC_RELAXED);
}

std::size_t Module::take(std::size_t most)
{
	std::lock_guard lock(mutex_);
	std::uint32_t head = sq_status_->head;
	std::size_t count = 0;

	for (; count < most && head != load_acquire(sq_->tail); count++, head++)
		taken.push_back(sqes_[head & (sq_entries - 1)]);
	store_release(sq_status_->head, head);
	return count;
}

Ep &Module::ep(std::uint32_t id)
{
	std::lock_guard lock(mutex_);
	return eps_.at(id);
}

Evd &Module::evd(std::uint32_t id)
{
	std::lock_guard lock(wait_mutex_);
	return evds_.at(id);
}

std::uint64_t Module::psp_user(std::uint32_t id)
{
	std::lock_guard lock(mutex_);
	return psps_.at(id);
}

bool Module::exists(std::uint32_t id)
{
	std::lock_guard lock(mutex_);
	return types_.count(id);
}

std::size_t Module::objects()
{
	std::lock_guard lock(mutex_);
	return types_.size();
}

std::uint32_t Module::last_id()
{
	std::lock_guard lock(mutex_);
	return next_id_ - 1;
}

void Module::set_state(std::uint32_t id, std::uint32_t dat_state)
{
	store_release(ep(id).status->state, dat_state);
}

void Module::complete(std::uint32_t id, std::uint32_t requests, std::uint32_t recvs)
{
	kdapl_ep_status &status = *ep(id).status;

	store_release(status.done, status.done + requests);
	store_release(status.recv_done, status.recv_done + recvs);
}

void Module::set_hw_recv(std::uint32_t id, std::uint32_t count)
{
	store_release(ep(id).status->hw_recv, count);
}

} // namespace fake
