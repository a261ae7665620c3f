// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// A module in the test's own process: it answers the control calls and plays the
// module's side of the rings, as include/uapi/kdapl.h has them. Tests drive it.
// module.cpp has the commands, module_evd.cpp those of EVDs and CNOs.
#pragma once

#include "engine/device.hpp"
#include "engine/ring.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fake {

/** Memory that both sides see. */
class Region {
public:
	explicit Region(std::size_t size);

	char *start() const { return reinterpret_cast<char *>(words_.get()); }
	std::size_t size() const { return size_; }

private:
	std::size_t size_;
	std::unique_ptr<std::uint64_t[]> words_;
};

/** An EVD: ring, overflow list, waiter. */
struct Evd {
	std::shared_ptr<Region> ring_region;
	kdapl_ev_ring *ring;
	kdapl_event *entries;
	kdapl_ev_head *head;
	std::uint32_t size;
	std::uint32_t flags;
	std::uint64_t user;
	std::deque<kdapl_event> backlog;
	std::shared_ptr<Region> next; /**< a larger ring, not yet in use */
	std::uint32_t cno = 0;
	bool enabled = true;
	bool waiter = false;
	bool waitable = true;
	bool dead = false;
};

/** A CNO: what triggered it, and who was released. */
struct Cno {
	unsigned evds = 0;
	unsigned waiters = 0;
	unsigned releases = 0;
	bool triggered = false;
	bool released = false;
	bool agent_armed = false;
	bool agent_due = false;
	bool dead = false;
	int fd = -1; /**< a duplicate of the descriptor that the library got */
	std::uint64_t trigger = 0;
	std::uint64_t agent_trigger = 0;
	std::uint32_t agent = 0; /**< the number that it was armed with */
	std::uint32_t agent_told = 0;
};

/** An EP: what it was made with and what it tells. */
struct Ep {
	kdapl_ep_create created;
	kdapl_ep_status *status;
	kdapl_ep_query query{};
};

/** An SRQ: what it was made with and what it tells. */
struct Srq {
	kdapl_srq_create created;
	kdapl_srq_status *status;
	std::uint32_t slots;
	std::uint32_t low;
};

/** One adapter and one open file of it at a time. All calls are thread-safe. */
class Module {
public:
	Module();
	~Module();

	/** From now on the library opens this module. */
	void install();

	/* What it is; to be set before the library opens it. */
	std::vector<std::string> adapters = { "fake0" };
	kdapl_ia_query attributes{};
	std::uint32_t sq_entries = 64;
	std::uint32_t first_index = 0; /**< where the indices of all rings begin */
	int open_error = 0;
	std::uint32_t kept_evd = 0; /**< another call has it used: it cannot be destroyed */

	/** The next call of a command fails with an errno. */
	void fail_next(unsigned long command, int err);

	/**
	 * The agent's thread hears of a trigger that was the last agent's, as if it had
	 * taken it right before this one was set. Returns when it has heard.
	 */
	void tell_of_last_agent(std::uint32_t cno);
	/** How often a command was called. */
	unsigned calls(unsigned long command);
	/** Called by KDAPL_DOORBELL instead of taking everything. */
	std::function<void()> on_submit;
	std::uint32_t polled_evd = 0; /**< by the last one */

	/* The submission ring. */
	void set_need_wakeup(bool on);
	/** Take up to so many entries; they are appended to taken. */
	std::size_t take(std::size_t most = ~std::size_t{ 0 });
	std::vector<kdapl_sqe> taken;

	/* Objects, by the module's id. */
	Ep &ep(std::uint32_t id);
	Evd &evd(std::uint32_t id);
	Srq &srq(std::uint32_t id);
	std::uint64_t psp_user(std::uint32_t id);
	bool exists(std::uint32_t id);
	std::size_t objects();
	/** The id of the object made last. */
	std::uint32_t last_id();
	void set_state(std::uint32_t ep, std::uint32_t dat_state);
	/** Complete requests and receives of an EP: counters only. */
	void complete(std::uint32_t ep, std::uint32_t requests, std::uint32_t recvs);
	void set_hw_recv(std::uint32_t ep, std::uint32_t count);

	/** Queue an event, in the ring or behind it. */
	void post(std::uint32_t evd, const kdapl_event &event);
	/** A completion for an EP. */
	void post_dto(std::uint32_t evd, std::uint32_t ep, std::uint64_t cookie,
		      std::uint64_t length = 0, std::uint32_t status = 0);
	/** Wait until the library sleeps on an EVD. */
	void wait_for_waiter(std::uint32_t evd);
	/** Wait until so many threads sleep on a CNO, the agent's not counted. */
	void wait_for_cno_waiters(std::uint32_t cno, unsigned count);
	/** A signal ends the wait. */
	void interrupt(std::uint32_t evd);

	kdapl_cr_query cr{};
	std::uint32_t cr_ep = 0; /**< the EP that the request brings along */
	kdapl_cr_accept accepted{};
	kdapl_cr_reject rejected{};
	kdapl_ep_modify modified{};
	kdapl_cr_handoff handed_off{};
	kdapl_ep_connect connected{};
	kdapl_csp_create csp_asked{}; /**< the latest, as it came */
	kdapl_ep_set_marks marks{};
	kdapl_lmr_create lmr_asked{}; /**< the latest, as it came */
	kdapl_rmr_bind bound{}; /**< the last */
	/** Called in KDAPL_RMR_BIND; other calls to the module wait meanwhile. */
	std::function<void()> on_bind;
	std::uint64_t rmr_user = 0; /**< of the last that was made */
	kdapl_lmr_create lmr_limit{}; /**< memlock fields for EDQUOT */
	int file = 3; /**< its descriptor */
	bool file_open = false;
	kdapl_ia_open opened{}; /**< the latest, as it came */
	int mappings = 0; /**< made and not unmapped */

private:
	class OpenFile;

	int control(unsigned long command, void *arg);
	int dispatch(unsigned long command, void *arg);

	/** Answers a command, whose argument is what the command takes. */
	using Answer = int (Module::*)(void *arg);
	template <typename Arg>
	static Arg &argument(int (Module::*)(Arg &), void *arg);
	template <auto method>
	int answer(void *arg);
	static const std::map<unsigned long, Answer> answers_;

	int query(kdapl_query &arg);
	int query_ia(kdapl_ia_query &arg);
	int create_pz(kdapl_pz_create &arg);
	int create_rmr(kdapl_rmr_create &arg);
	int bind_rmr(kdapl_rmr_bind &arg);
	int query_ep(kdapl_ep_query &arg);
	int set_marks(const kdapl_ep_set_marks &arg);
	int resize_srq(kdapl_srq_resize &arg);
	int set_low(const kdapl_srq_set_low &arg);
	int connect_ep(const kdapl_ep_connect &arg);
	int disconnect_ep(const kdapl_ep_disconnect &arg);
	int reset_ep(const kdapl_ep_reset &arg);
	int create_psp(kdapl_psp_create &arg);
	int offer_cr(const kdapl_cr_offer &arg);
	int hand_off_cr(const kdapl_cr_handoff &arg);
	int query_cr(kdapl_cr_query &arg);
	int accept_cr(const kdapl_cr_accept &arg);
	int reject_cr(const kdapl_cr_reject &arg);
	int doorbell(std::uint32_t evd);
	int open_ia(kdapl_ia_open &arg);
	int adapter(kdapl_adapter &arg);
	int destroy(const kdapl_destroy &arg);
	int create_lmr(kdapl_lmr_create &arg);
	int create_evd(kdapl_evd_create &arg);
	int create_ep(kdapl_ep_create &arg);
	void show_notify(std::uint32_t evd, std::uint32_t notify);
	int create_srq(kdapl_srq_create &arg);
	int create_rsp(kdapl_rsp_create &arg);
	int create_csp(kdapl_csp_create &arg);
	int modify_ep(const kdapl_ep_modify &arg);
	bool is_taken(std::uint32_t ep);
	int wait(const kdapl_evd_wait &arg, std::unique_lock<std::mutex> &lock);
	int fill(kdapl_evd_fill &arg);
	int post_se(const kdapl_evd_post_se &arg);
	int set_waitable(const kdapl_evd_waitable &arg);
	int resize(kdapl_evd_resize &arg);
	void move_to_next(Evd &evd);
	void announce(Evd &evd);
	int notify(const kdapl_evd_notify &arg);
	void detach_cno(Evd &evd, bool freed);
	int wait_cno(kdapl_cno_wait &arg, std::unique_lock<std::mutex> &lock);
	int create_cno(kdapl_cno_create &arg);
	int modify_cno(const kdapl_cno_modify &arg);
	int open_cno_fd(kdapl_cno_fd &arg);
	void move_backlog(Evd &evd);
	std::uint32_t in_ring(const Evd &evd) const;
	void release_file();
	std::uint32_t add(std::uint32_t type);
	kdapl_map publish(const std::shared_ptr<Region> &region, std::uint32_t start = 0);

	int files_ = 0; /**< beside an adapter's, one to list them */
	std::recursive_mutex mutex_;
	std::mutex wait_mutex_; /**< EVDs; inside mutex_ */
	std::condition_variable wakeup_;
	std::map<unsigned long, int> errors_;
	std::map<unsigned long, unsigned> calls_;
	std::map<std::uint64_t, std::shared_ptr<Region>> regions_;
	std::uint64_t next_offset_ = 0;
	std::uint32_t next_id_ = 1;
	std::uint32_t last_rkey_ = 0x100;
	std::map<std::uint32_t, std::uint32_t> types_;
	std::map<std::uint32_t, Evd> evds_;
	std::map<std::uint32_t, Cno> cnos_;
	std::map<std::uint32_t, Ep> eps_;
	std::map<std::uint32_t, Srq> srqs_;
	std::map<std::uint32_t, std::uint64_t> psps_; /**< CSPs and RSPs, too */
	std::map<std::uint32_t, std::uint32_t> reserved_; /**< by RSP: its EP */
	std::map<std::uint32_t, kdapl_lmr_create> lmrs_; /**< the freed ones, too */
	std::map<std::uint32_t, bool> interrupted_;
	kdapl_sq_ring *sq_ = nullptr;
	kdapl_sqe *sqes_ = nullptr;
	kdapl_sq_status *sq_status_ = nullptr;
};

} // namespace fake
