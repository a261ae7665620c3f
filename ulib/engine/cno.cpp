// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "cno.hpp"

#include "deadline.hpp"
#include "uncancelled.hpp"

#include <cerrno>
#include <csignal>
#include <unistd.h>
#include <utility>

namespace kdapl {

Status Cno::create(const Ref<Ia> &ia, Ref<Cno> &cno)
{
	Draft<Cno> draft(ia->provider(), ia.share());
	kdapl_cno_create arg{};

	arg.user = draft->word();
	if (int err = ia->device().call(KDAPL_CNO_CREATE, arg))
		return from_errno(err);
	draft->id_ = arg.id;
	cno = ia->adopt(draft);
	return cno ? success : fail(Type::invalid_handle, Sub::handle_ia);
}

Status Cno::create_with_fd(const Ref<Ia> &ia, Ref<Cno> &cno)
{
	kdapl_cno_fd arg{};
	Ref<Cno> made;

	if (Status status = create(ia, made); !status.ok())
		return status;
	arg.cno = made->id();
	if (int err = ia->device().call(KDAPL_CNO_FD, arg)) {
		(void)made->free();
		return from_errno(err, { .object = Sub::handle_ia });
	}
	made->fd_ = arg.fd;
	cno = std::move(made);
	return success;
}

Cno::~Cno()
{
	const Uncancelled uncancelled;

	if (fd_ >= 0)
		close(fd_);
}

Status Cno::free() noexcept
{
	const Status status =
		ia().free(*this, { .object = Sub::handle_cno, .busy = Sub::cno_in_use });

	if (status.ok())
		stop_agents();
	return status;
}

void Cno::release() noexcept
{
	/* It fails only where the device is gone, or the CNO: then nobody waits. */
	(void)modify(KDAPL_CNO_RELEASE);
}

void Cno::leave() noexcept
{
	release();
	stop_agents();
}

int Cno::sleep(kdapl_cno_wait &arg)
{
	/* A thread that is cancelled on its way out of the call may have taken the trigger. */
	struct GiveBack {
		~GiveBack()
		{
			if (cancelled && arg.evd_user)
				(void)cno.modify(KDAPL_CNO_GIVE_BACK);
		}
		Cno &cno;
		const kdapl_cno_wait &arg;
		bool cancelled;
	} guard{ *this, arg, true };
	const int err = ia().device().call_and_sleep(KDAPL_CNO_WAIT, arg);

	guard.cancelled = false;
	return err;
}

Status Cno::wait(std::uint32_t timeout_us, Handle &evd)
{
	kdapl_cno_wait arg{};

	evd = nullptr;
	arg.cno = id();
	arg.deadline_ns = deadline_after(timeout_us);
	/* Who only looks, as take() does, is not cancelled. */
	const int err = timeout_us ? sleep(arg) : ia().device().call(KDAPL_CNO_WAIT, arg);
	if (err == ETIMEDOUT)
		return fail(Type::queue_empty);
	if (!err && arg.evd_user)
		evd = HandleTable::instance().handle_of_word(arg.evd_user);
	return from_errno(err, { .object = Sub::handle_cno });
}

Status Cno::take(Handle &evd) noexcept
{
	const Status status = wait(0, evd);

	/* The module looks before it minds signals. */
	return status.type == Type::interrupted_call ? fail(Type::queue_empty) : status;
}

Status Cno::modify(std::uint32_t op, std::uint32_t agent) noexcept
{
	kdapl_cno_modify arg{};

	arg.cno = id();
	arg.op = op;
	arg.agent = agent;
	return from_errno(ia().device().call(KDAPL_CNO_MODIFY, arg), { .object = Sub::handle_cno });
}

Status Cno::set_agent(const Ref<Cno> &cno, const Agent &agent)
{
	std::lock_guard lock(cno->agent_mutex_);

	/* It is being freed: nobody would wait for a thread that begins now. */
	if (cno->stopped_)
		return fail(Type::invalid_handle, Sub::handle_cno);
	if (agent && !cno->thread_.joinable()) {
		if (Status status = start_agents(cno); !status.ok())
			return status;
	}
	cno->agent_ = agent;
	cno->agent_number_++;
	return agent ? cno->modify(KDAPL_CNO_ARM, cno->agent_number_) :
		       cno->modify(KDAPL_CNO_DISARM);
}

Agent Cno::agent() noexcept
{
	std::lock_guard lock(agent_mutex_);

	return agent_;
}

/** A trigger that was an earlier agent's is nobody's. */
Agent Cno::take_agent(std::uint32_t number) noexcept
{
	std::lock_guard lock(agent_mutex_);

	if (number != agent_number_)
		return {};
	return std::exchange(agent_, Agent{});
}

/**
 * Caller holds the mutex. Signals are for the program's own threads, but for those that
 * an agent raises by what it does: a program may have a handler that mends it.
 */
Status Cno::start_agents(const Ref<Cno> &cno) noexcept
{
	Status status = success;
	sigset_t others, before;

	sigfillset(&others);
	for (int raised : { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS })
		sigdelset(&others, raised);
	pthread_sigmask(SIG_SETMASK, &others, &before);
	try {
		cno->thread_ = std::thread(run_agents, cno.share());
	} catch (...) {
		status = fail(Type::insufficient_resources, Sub::resource_memory);
	}
	pthread_sigmask(SIG_SETMASK, &before, nullptr);
	return status;
}

/** The thread: one agent after the other, until the CNO is gone. */
void Cno::run_agents(Ref<Cno> cno) noexcept
{
	kdapl_cno_wait arg{};

	arg.cno = cno->id();
	arg.flags = KDAPL_CNO_AGENT;
	arg.deadline_ns = KDAPL_DEADLINE_NONE;
	for (;;) {
		arg.agent = 0;
		const int err = cno->ia().device().call(KDAPL_CNO_WAIT, arg);

		/* Somebody may have sent it a signal that only a thread itself raises. */
		if (err == EINTR)
			continue;
		if (err)
			break;
		const Handle evd = arg.evd_user ?
					   HandleTable::instance().handle_of_word(arg.evd_user) :
					   nullptr;
		if (const Agent agent = cno->take_agent(arg.agent))
			agent.function(agent.instance, const_cast<void *>(evd));
	}
}

/** The CNO is gone in the module, or released: the thread ends by itself. */
void Cno::stop_agents() noexcept
{
	const Uncancelled uncancelled;
	std::thread thread;
	{
		std::lock_guard lock(agent_mutex_);
		stopped_ = true;
		thread.swap(thread_);
	}
	if (!thread.joinable())
		return;
	if (thread.get_id() == std::this_thread::get_id())
		thread.detach();
	else
		thread.join();
}

} // namespace kdapl
