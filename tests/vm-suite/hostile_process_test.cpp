// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files that are inherited, duplicated and closed; threads against each other. */

#include "bystander.hpp"
#include "raw_device.hpp"
#include "settings.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <random>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace suite {
namespace {

int query_errno(int fd)
{
	kdapl_ia_query query{};

	query.size = sizeof query;
	return ioctl(fd, KDAPL_IA_QUERY, &query) < 0 ? errno : 0;
}

/* Neither by inheritance nor in any other way does a file work for another process. */
TEST(HostileProcess, ChildMayNotUseTheFile)
{
	play_hostile([] {
		RawIa ia;
		int status = 0;
		pid_t pid = static_cast<pid_t>(sys(fork()));

		if (pid == 0) {
			kdapl_query query{};
			bool refused = query_errno(ia.file().fd()) == EACCES &&
				       ia.submit() == EACCES &&
				       ia.file().call(KDAPL_QUERY, query) == EACCES;
			_exit(refused ? 0 : 1);
		}
		sys(waitpid(pid, &status, 0));
		EXPECT_EQ(status, 0);
		/* The child's end has not ended the IA. */
		EXPECT_EQ(query_errno(ia.file().fd()), 0);
		ia.pz();
	});
}

TEST(HostileProcess, ChildKeepsTheFileOpen)
{
	play_hostile([] {
		pid_t child;
		{
			RawIa ia;
			std::uint32_t evd = ia.evd();

			ia.ep_create(ia.pz(), evd);
			child = static_cast<pid_t>(sys(fork()));
			if (child == 0) {
				for (;;)
					pause();
			}
		}
		/* The opener has closed it; the child still has it; now it goes. */
		sys(kill(child, SIGKILL));
		sys(waitpid(child, nullptr, 0));
	});
}

TEST(HostileProcess, DuplicatedFiles)
{
	play_hostile([] {
		RawIa ia;
		int copy = static_cast<int>(sys(dup(ia.file().fd())));

		EXPECT_EQ(query_errno(copy), 0);
		ia.file().close();
		EXPECT_EQ(query_errno(copy), 0);
		close(copy);
		EXPECT_EQ(query_errno(copy), EBADF);
	});
}

/** A thread that waits on an EVD, seen to do so. */
class Waiter {
public:
	Waiter(RawIa &ia, std::uint32_t evd, std::uint64_t deadline) : evd_(evd)
	{
		thread_ = std::thread([this, fd = ia.file().fd(), deadline] {
			kdapl_evd_wait wait{};
			wait.size = sizeof wait;
			wait.evd = evd_;
			wait.threshold = 1;
			wait.deadline_ns = deadline;
			int error;
			/* The probe below is a waiter too, for a moment. */
			do
				error = ioctl(fd, KDAPL_EVD_WAIT, &wait) < 0 ? errno : 0;
			while (error == EBUSY);
			error_ = error;
		});
		/* Only one may wait: once we may not, it does. */
		kdapl_evd_wait probe{};
		probe.evd = evd_;
		probe.threshold = 1;
		while (error_ == -1 && ia.file().call(KDAPL_EVD_WAIT, probe) == ETIMEDOUT)
			std::this_thread::yield();
	}
	Waiter(const Waiter &) = delete;
	Waiter &operator=(const Waiter &) = delete;
	~Waiter()
	{
		if (thread_.joinable())
			thread_.join();
	}

	int error()
	{
		thread_.join();
		return error_;
	}

private:
	std::uint32_t evd_;
	std::atomic<int> error_ = -1;
	std::thread thread_;
};

TEST(HostileProcess, DestroyedWhileWaitedOn)
{
	play_hostile([] {
		RawIa ia;
		std::uint32_t evd = ia.evd();
		Waiter waiter(ia, evd, KDAPL_DEADLINE_NONE);

		EXPECT_EQ(ia.destroy(KDAPL_OBJ_EVD, evd), 0);
		EXPECT_EQ(waiter.error(), ECANCELED);
	});
}

/* The wait holds the file; it ends by its own deadline. */
TEST(HostileProcess, ClosedWhileWaitedOn)
{
	play_hostile([] {
		RawIa ia;
		Waiter waiter(ia, ia.evd(), deadline_after_ms(500));

		ia.file().close();
		EXPECT_EQ(waiter.error(), ETIMEDOUT);
	});
}

/* This process ends while its thread waits for ever, and all of it goes. */
TEST(HostileProcess, EndsWhileWaiting)
{
	play_hostile([] {
		pid_t child = static_cast<pid_t>(sys(fork()));

		if (child == 0) {
			auto ia = new RawIa;
			new Waiter(*ia, ia->evd(), KDAPL_DEADLINE_NONE);
			_exit(0);
		}
		int status = 0;
		sys(waitpid(child, &status, 0));
		EXPECT_EQ(status, 0);
	});
}

/* ---- threads ---- */

/** Makes, uses and destroys objects by ids that other threads do the same to. */
void meddle(RawIa &ia, std::uint32_t seed, std::uint64_t count)
{
	std::mt19937 random(seed);
	RawFile &file = ia.file();

	for (std::uint64_t i = 0; i < count; i++) {
		std::uint32_t a = 1 + random() % 12, b = 1 + random() % 12;
		kdapl_pz_create pz{};
		kdapl_evd_create evd{};
		kdapl_ep_create ep{};
		kdapl_evd_wait wait{};
		kdapl_ep_reset reset{};

		switch (random() % 7) {
		case 0:
			file.call(KDAPL_PZ_CREATE, pz);
			break;
		case 1:
			evd.qlen = 4;
			evd.flags = 0x70;
			file.call(KDAPL_EVD_CREATE, evd);
			break;
		case 2:
			ep.pz = a;
			ep.recv_evd = ep.request_evd = ep.connect_evd = b;
			ep.max_recvs = ep.max_requests = 2;
			ep.max_recv_iov = ep.max_request_iov = 1;
			file.call(KDAPL_EP_CREATE, ep);
			break;
		case 3:
			wait.evd = a;
			wait.threshold = 1;
			wait.deadline_ns = deadline_after_ms(1);
			file.call(KDAPL_EVD_WAIT, wait);
			break;
		case 4:
			reset.ep = a;
			file.call(KDAPL_EP_RESET, reset);
			break;
		case 5:
			ia.submit();
			break;
		default:
			ia.destroy(KDAPL_OBJ_PZ + random() % 6, a);
			break;
		}
	}
}

TEST(HostileProcess, ThreadsOverTheSameObjects)
{
	play_hostile([] {
		const std::uint64_t count = scaled(1500) + 50;

		for (std::uint32_t round = 0; round < 3; round++) {
			RawIa ia;
			std::vector<std::thread> threads;

			/* Ids begin at 1 in every file, and these are the first twelve. */
			for (int i = 0; i < 4; i++) {
				std::uint32_t pz = ia.pz(), evd = ia.evd(4, 0x70);
				ia.ep_create(pz, evd);
			}
			for (std::uint32_t i = 0; i < 4; i++)
				threads.emplace_back([&ia, round, i, count] {
					meddle(ia, round * 4 + i, count);
				});
			for (std::thread &thread : threads)
				thread.join();
			EXPECT_EQ(query_errno(ia.file().fd()), 0);
		}
	});
}

/* Waits and posts go on in one thread while another one closes the file. */
TEST(HostileProcess, ClosedWhilePostedOn)
{
	play_hostile([] {
		for (int round = 0; round < 10; round++) {
			RawIa ia;
			std::uint32_t pz = ia.pz();
			RawEvd evd(ia, 64);
			std::uint32_t ep = ia.ep_create(pz, evd.id()).id;
			std::atomic<bool> over = false;
			std::thread poster([&] {
				kdapl_sqe sqe{};
				sqe.ep = ep;
				sqe.op = KDAPL_OP_RECV;
				while (!over) {
					ia.push(sqe);
					ia.submit();
				}
			});
			evd.wait(8, deadline_after_ms(5));
			ia.file().close();
			over = true;
			poster.join();
		}
	});
}

} // namespace
} // namespace suite
