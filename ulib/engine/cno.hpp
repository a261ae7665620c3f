// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CNO: wakes a thread, or calls the program's agent, for the events of many EVDs. */
#pragma once

#include "ia.hpp"

#include <mutex>
#include <thread>

namespace kdapl {

/** A function to be called once, and its argument. */
struct Agent {
	void *instance = nullptr;
	void (*function)(void *instance, void *evd) = nullptr;

	explicit operator bool() const noexcept { return function; }
};

class Cno final : public Child {
public:
	static constexpr Kind kind = Kind::cno;

	static Status create(const Ref<Ia> &ia, Ref<Cno> &cno);

	/** The same with a descriptor that poll() finds readable while it is triggered. */
	static Status create_with_fd(const Ref<Ia> &ia, Ref<Cno> &cno);

	/** When it returns the agent does not run any more, unless it is the agent that calls. */
	Status free() noexcept;

	/**
	 * Sleep until it is triggered.
	 * @param timeout_us  0 looks once
	 * @param evd         out: the EVD that triggered it; nullptr when the time ran out
	 *                    (queue_empty) or its last EVD is gone (success)
	 */
	Status wait(std::uint32_t timeout_us, Handle &evd);

	/** Take the trigger: queue_empty where there is none. Does not sleep. */
	Status take(Handle &evd) noexcept;

	/** The descriptor, or -1. It is closed with the object. */
	int fd() const noexcept { return fd_; }

	/**
	 * Have an agent called for the next trigger, or none. It runs in a thread of
	 * the library's own, which starts with the first agent. May throw.
	 */
	static Status set_agent(const Ref<Cno> &cno, const Agent &agent);
	Agent agent() noexcept;

	/** Whoever waits returns, now and from now on. */
	void release() noexcept;
	/** The IA is closed: everybody is released, and the agent is waited for. */
	void leave() noexcept override;

	Cno(Slot *slot, Ref<Ia> ia) noexcept : Child(slot, kind, KDAPL_OBJ_CNO, std::move(ia)) {}
	~Cno() override;

private:
	static void run_agents(Ref<Cno> cno) noexcept;
	static Status start_agents(const Ref<Cno> &cno) noexcept;
	Agent take_agent(std::uint32_t number) noexcept;
	int sleep(kdapl_cno_wait &arg);
	Status modify(std::uint32_t op, std::uint32_t agent = 0) noexcept;
	void stop_agents() noexcept;

	int fd_ = -1;
	std::mutex agent_mutex_; /**< below */
	Agent agent_;
	std::uint32_t agent_number_ = 0; /**< counts the agents, and that there is none */
	std::thread thread_;
	bool stopped_ = false;
};

} // namespace kdapl
