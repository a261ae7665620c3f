// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "fake/module.hpp"

#include "engine/static_registry.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace fake {

using kdapl::load_acquire;
using kdapl::store_release;

Region::Region(std::size_t size)
	: size_(size), words_(std::make_unique<std::uint64_t[]>((size + 7) / 8))
{
}

namespace {

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
	if (command == KDAPL_DOORBELL)
		return doorbell(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(arg)));
	return dispatch(command, arg);
}

/** What a command's function takes, at @a arg. */
template <typename Arg>
Arg &Module::argument(int (Module::*)(Arg &), void *arg)
{
	return *static_cast<Arg *>(arg);
}

template <auto method>
int Module::answer(void *arg)
{
	return (this->*method)(argument(method, arg));
}

const std::map<unsigned long, Module::Answer> Module::answers_ = {
	{ KDAPL_QUERY, &Module::answer<&Module::query> },
	{ KDAPL_ADAPTER, &Module::answer<&Module::adapter> },
	{ KDAPL_IA_OPEN, &Module::answer<&Module::open_ia> },
	{ KDAPL_IA_QUERY, &Module::answer<&Module::query_ia> },
	{ KDAPL_DESTROY, &Module::answer<&Module::destroy> },
	{ KDAPL_PZ_CREATE, &Module::answer<&Module::create_pz> },
	{ KDAPL_LMR_CREATE, &Module::answer<&Module::create_lmr> },
	{ KDAPL_RMR_CREATE, &Module::answer<&Module::create_rmr> },
	{ KDAPL_RMR_BIND, &Module::answer<&Module::bind_rmr> },
	{ KDAPL_EVD_CREATE, &Module::answer<&Module::create_evd> },
	{ KDAPL_EVD_FILL, &Module::answer<&Module::fill> },
	{ KDAPL_EVD_POST_SE, &Module::answer<&Module::post_se> },
	{ KDAPL_EVD_WAITABLE, &Module::answer<&Module::set_waitable> },
	{ KDAPL_EVD_NOTIFY, &Module::answer<&Module::notify> },
	{ KDAPL_CNO_CREATE, &Module::answer<&Module::create_cno> },
	{ KDAPL_CNO_MODIFY, &Module::answer<&Module::modify_cno> },
	{ KDAPL_CNO_FD, &Module::answer<&Module::open_cno_fd> },
	{ KDAPL_EVD_RESIZE, &Module::answer<&Module::resize> },
	{ KDAPL_EP_CREATE, &Module::answer<&Module::create_ep> },
	{ KDAPL_EP_QUERY, &Module::answer<&Module::query_ep> },
	{ KDAPL_EP_SET_MARKS, &Module::answer<&Module::set_marks> },
	{ KDAPL_SRQ_CREATE, &Module::answer<&Module::create_srq> },
	{ KDAPL_SRQ_RESIZE, &Module::answer<&Module::resize_srq> },
	{ KDAPL_SRQ_SET_LOW, &Module::answer<&Module::set_low> },
	{ KDAPL_EP_CONNECT, &Module::answer<&Module::connect_ep> },
	{ KDAPL_EP_DISCONNECT, &Module::answer<&Module::disconnect_ep> },
	{ KDAPL_EP_RESET, &Module::answer<&Module::reset_ep> },
	{ KDAPL_PSP_CREATE, &Module::answer<&Module::create_psp> },
	{ KDAPL_RSP_CREATE, &Module::answer<&Module::create_rsp> },
	{ KDAPL_CSP_CREATE, &Module::answer<&Module::create_csp> },
	{ KDAPL_EP_MODIFY, &Module::answer<&Module::modify_ep> },
	{ KDAPL_CR_OFFER, &Module::answer<&Module::offer_cr> },
	{ KDAPL_CR_HANDOFF, &Module::answer<&Module::hand_off_cr> },
	{ KDAPL_CR_QUERY, &Module::answer<&Module::query_cr> },
	{ KDAPL_CR_ACCEPT, &Module::answer<&Module::accept_cr> },
	{ KDAPL_CR_REJECT, &Module::answer<&Module::reject_cr> },
};

int Module::dispatch(unsigned long command, void *arg)
{
	const auto found = answers_.find(command);

	return found == answers_.end() ? ENOTTY : (this->*found->second)(arg);
}

int Module::query(kdapl_query &arg)
{
	arg.abi_version = KDAPL_ABI_VERSION;
	arg.num_adapters = static_cast<__u32>(adapters.size());
	std::strcpy(reinterpret_cast<char *>(arg.module_version), "1.0-fake");
	return 0;
}

int Module::query_ia(kdapl_ia_query &arg)
{
	arg = attributes;
	return 0;
}

int Module::create_pz(kdapl_pz_create &arg)
{
	arg.id = add(KDAPL_OBJ_PZ);
	return 0;
}

int Module::create_rmr(kdapl_rmr_create &arg)
{
	arg.id = add(KDAPL_OBJ_RMR);
	rmr_user = arg.user;
	return 0;
}

int Module::bind_rmr(kdapl_rmr_bind &arg)
{
	if (on_bind)
		on_bind();
	arg.rkey = ++last_rkey_;
	bound = arg;
	return 0;
}

int Module::query_ep(kdapl_ep_query &arg)
{
	const auto id = arg.ep;

	arg = ep(id).query;
	arg.ep = id;
	return 0;
}

int Module::set_marks(const kdapl_ep_set_marks &arg)
{
	marks = arg;
	return 0;
}

int Module::resize_srq(kdapl_srq_resize &arg)
{
	std::uint32_t &slots = srq(arg.srq).slots;

	slots = std::max(slots, arg.max_recvs);
	arg.max_recvs = slots;
	return 0;
}

int Module::set_low(const kdapl_srq_set_low &arg)
{
	srq(arg.srq).low = arg.low;
	return 0;
}

int Module::connect_ep(const kdapl_ep_connect &arg)
{
	connected = arg;
	set_state(connected.ep, 6);
	return 0;
}

int Module::disconnect_ep(const kdapl_ep_disconnect &arg)
{
	set_state(arg.ep, 11);
	return 0;
}

int Module::reset_ep(const kdapl_ep_reset &arg)
{
	set_state(arg.ep, 0);
	return 0;
}

int Module::create_psp(kdapl_psp_create &arg)
{
	arg.id = add(KDAPL_OBJ_PSP);
	psps_[arg.id] = arg.user;
	if (arg.flags & KDAPL_PSP_ANY)
		arg.conn_qual = 49152;
	return 0;
}

int Module::offer_cr(const kdapl_cr_offer &arg)
{
	cr_ep = arg.ep;
	set_state(cr_ep, 7);
	return 0;
}

int Module::hand_off_cr(const kdapl_cr_handoff &arg)
{
	handed_off = arg;
	types_.erase(handed_off.cr);
	if (cr_ep)
		set_state(cr_ep, 0);
	return 0;
}

int Module::query_cr(kdapl_cr_query &arg)
{
	cr.ep_user = cr_ep ? ep(cr_ep).created.user : 0;
	cr.cr = arg.cr;
	arg = cr;
	return 0;
}

int Module::accept_cr(const kdapl_cr_accept &arg)
{
	accepted = arg;
	set_state(accepted.ep ? accepted.ep : cr_ep, 12);
	types_.erase(accepted.cr);
	return 0;
}

int Module::reject_cr(const kdapl_cr_reject &arg)
{
	rejected = arg;
	types_.erase(rejected.cr);
	if (cr_ep)
		set_state(cr_ep, 0);
	return 0;
}

int Module::doorbell(std::uint32_t evd)
{
	polled_evd = evd;
	if (on_submit)
		on_submit();
	else
		take();
	return 0;
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
		if (arg.id == kept_evd)
			return EBUSY;
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
