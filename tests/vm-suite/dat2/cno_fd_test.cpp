// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CNOs with a descriptor: poll(), epoll, and who is freed first. */

#include "objects.hpp"
#include "play.hpp"

#include <cerrno>
#include <fcntl.h>
#include <future>
#include <poll.h>
#include <sys/epoll.h>
#include <thread>
#include <unistd.h>

namespace suite {
namespace {

/** What poll() finds, after so many milliseconds at the latest. */
int events_of(int fd, int timeout_ms = 0)
{
	pollfd look{ .fd = fd, .events = POLLIN, .revents = 0 };

	sys(poll(&look, 1, timeout_ms));
	return look.revents;
}

int patience_ms()
{
	return static_cast<int>(patience().count());
}

class Cno {
public:
	explicit Cno(const Adapter &adapter) { ok(dat_cno_fd_create(adapter.ia(), &fd_, &cno_)); }
	Cno(const Cno &) = delete;
	Cno &operator=(const Cno &) = delete;
	~Cno() { dat_cno_free(cno_); }

	int fd() const noexcept { return fd_; }

	void watch(DAT_EVD_HANDLE evd, Location where = Location::current())
	{
		ok(dat_evd_modify_cno(evd, cno_), where);
	}
	static void leave(DAT_EVD_HANDLE evd, Location where = Location::current())
	{
		ok(dat_evd_modify_cno(evd, DAT_HANDLE_NULL), where);
	}
	/** Takes the trigger, which must be there. */
	DAT_EVD_HANDLE take(Location where = Location::current())
	{
		DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;

		ok(dat_cno_trigger(cno_, &evd), where);
		return evd;
	}
	void require_untriggered(Location where = Location::current())
	{
		DAT_EVD_HANDLE evd;

		require(events_of(fd_) == 0, "it is readable for no reason", where);
		require(dat_cno_trigger(cno_, &evd) == DAT_QUEUE_EMPTY, "a trigger is left", where);
	}

private:
	DAT_FD fd_ = -1;
	DAT_CNO_HANDLE cno_ = DAT_HANDLE_NULL;
};

DAT_RETURN post(DAT_EVD_HANDLE evd)
{
	DAT_EVENT event{};

	event.event_number = DAT_SOFTWARE_EVENT;
	return dat_evd_post_se(evd, &event);
}

TEST(Dat2CnoFd, WakesAPoll)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, DAT_EVD_SOFTWARE_FLAG);
		Cno cno(adapter);

		cno.watch(queue.evd());
		cno.require_untriggered();
		for (int i = 0; i < 20; i++) {
			auto poller = std::async(std::launch::async, [&] {
				return events_of(cno.fd(), patience_ms());
			});
			ok(post(queue.evd()));
			EXPECT_EQ(poller.get(), POLLIN);
			EXPECT_EQ(events_of(cno.fd()), POLLIN);
			EXPECT_EQ(cno.take(), queue.evd());
			cno.require_untriggered();
		}
		Cno::leave(queue.evd());
	});
}

/* Another program's request wakes it. */
TEST(Dat2CnoFd, WakesForARequest)
{
	play(
		[](Line &line) {
			Adapter adapter;
			Listener listener(adapter);
			Cno cno(adapter);

			cno.watch(listener.evd());
			line.send(listener.address());
			EXPECT_EQ(events_of(cno.fd(), patience_ms()), POLLIN);
			EXPECT_EQ(cno.take(), listener.evd());
			ok(dat_cr_reject(listener.request(), 0, nullptr));
			cno.require_untriggered();
			Cno::leave(listener.evd());
		},
		[](Line &line) {
			Adapter adapter;
			Endpoint endpoint(adapter);

			endpoint.connect(line.receive<sockaddr_storage>());
			endpoint.expect_connection(DAT_CONNECTION_EVENT_PEER_REJECTED);
		});
}

/* Who takes the trigger and then looks into the queue misses no event. */
TEST(Dat2CnoFd, EpollMissesNothing)
{
	play([](Line &) {
		Adapter adapter;
		EventQueue queue(adapter, DAT_EVD_SOFTWARE_FLAG);
		Cno cno(adapter);
		const std::uint64_t count = scaled(20000) + 500;
		const int epoll = static_cast<int>(sys(epoll_create1(EPOLL_CLOEXEC)));
		epoll_event wanted{ .events = EPOLLIN, .data = {} }, got;
		DAT_EVENT event;

		cno.watch(queue.evd());
		sys(epoll_ctl(epoll, EPOLL_CTL_ADD, cno.fd(), &wanted));
		std::jthread poster([&](const std::stop_token &stop) {
			for (std::uint64_t i = 0; i < count && !stop.stop_requested();) {
				if (post(queue.evd()) == DAT_SUCCESS)
					i++;
				else
					std::this_thread::yield();
			}
		});
		for (std::uint64_t taken = 0; taken < count;) {
			require(sys(epoll_wait(epoll, &got, 1, patience_ms())) == 1,
				"no event comes any more");
			EXPECT_EQ(cno.take(), queue.evd());
			while (dat_evd_dequeue(queue.evd(), &event) == DAT_SUCCESS)
				taken++;
		}
		poster.join();
		/* The last trigger may still stand. */
		if (events_of(cno.fd()))
			cno.take();
		cno.require_untriggered();
		close(epoll);
		Cno::leave(queue.evd());
	});
}

/* It is the library's; what a program made of it stays, and says that all is over. */
TEST(Dat2CnoFd, ClosesWithItsCno)
{
	play([](Line &) {
		Adapter adapter;
		DAT_CNO_HANDLE cno;
		DAT_FD fd;

		ok(dat_cno_fd_create(adapter.ia(), &fd, &cno));
		const int copy = static_cast<int>(sys(fcntl(fd, F_DUPFD_CLOEXEC, 0)));
		EXPECT_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
		EXPECT_EQ(events_of(copy), 0);
		auto poller = std::async(std::launch::async,
					 [&] { return events_of(copy, patience_ms()); });
		ok(dat_cno_free(cno));
		EXPECT_EQ(poller.get(), POLLIN | POLLHUP);
		EXPECT_EQ(fcntl(fd, F_GETFD), -1);
		EXPECT_EQ(errno, EBADF);
		close(copy);
	});
}

/* The CNO is there until the adapter's end takes it along. */
TEST(Dat2CnoFd, OutlivesItsAdapter)
{
	play([](Line &) {
		Adapter adapter;
		DAT_CNO_HANDLE cno;
		DAT_FD fd;

		ok(dat_cno_fd_create(adapter.ia(), &fd, &cno));
		const int copy = static_cast<int>(sys(fcntl(fd, F_DUPFD_CLOEXEC, 0)));
		EXPECT_EQ(events_of(copy), 0);
		adapter.close_abruptly();
		EXPECT_EQ(events_of(copy), POLLIN | POLLHUP);
		EXPECT_EQ(fcntl(fd, F_GETFD), -1);
		close(copy);
	});
}

} // namespace
} // namespace suite
