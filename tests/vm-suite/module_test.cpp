// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The module itself: it can go while nobody uses it, whoever used it before. */

#include "module_state.hpp"
#include "pair.hpp"
#include "play.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/syscall.h>
#include <unistd.h>

namespace suite {
namespace {

/** The module's parameters as they are now, in the words of insmod. */
std::string all_parameters()
{
	std::string text;

	for (const auto &entry :
	     std::filesystem::directory_iterator("/sys/module/kdapl/parameters")) {
		std::string name = entry.path().filename();
		text += name + "=" + module_parameter(name) + " ";
	}
	return text;
}

void unload()
{
	sys(syscall(SYS_delete_module, "kdapl", O_NONBLOCK));
}

void load(const char *file, const std::string &parameters)
{
	int fd = static_cast<int>(sys(open(file, O_RDONLY | O_CLOEXEC)));
	long result = syscall(SYS_finit_module, fd, parameters.c_str(), 0);

	close(fd);
	sys(result);
}

/** Everything that a program can have, when it is killed. */
void own_everything(Line &line)
{
	constexpr std::size_t size = 1 << 20;
	Adapter adapter;
	Pair pair(adapter);
	Endpoint connecting(adapter), idle(adapter);
	Region source(adapter, size), target(adapter, size);

	ok(connecting.connect(adapter.address(), pair.listener.qual()));
	pair.listener.request();
	ok(idle.recv(target.local(0, 64), 1));
	ok(pair.passive.recv(target.local(0, 64), 1));
	for (DAT_UINT64 i = 0; i < 8; i++)
		ok(pair.active.write(source.local(0, size), target.remote(0, size), i));
	line.send(getpid());
	for (;;)
		pause();
}

TEST(Module, UnloadsAfterItsUsersWereKilled)
{
	const char *file = std::getenv("KDAPL_MODULE");

	if (!file || module_users() > 0)
		GTEST_SKIP() << "KDAPL_MODULE is not set, or another module stands on this one";
	for (int round = 0; round < 2; round++) {
		play([](Line &line) { sys(kill(line.receive<pid_t>(), SIGKILL)); }, own_everything,
		     Ending::killed);
		std::string parameters = all_parameters();
		ASSERT_NO_THROW(unload());
		ASSERT_NO_THROW(load(file, parameters));
	}
	play([](Line &) {
		Adapter adapter;
		Pair pair(adapter);
	});
}

TEST(Module, StaysWhileInUse)
{
	play([](Line &) {
		Adapter adapter;

		EXPECT_EQ(syscall(SYS_delete_module, "kdapl", O_NONBLOCK), -1);
		EXPECT_EQ(errno, EWOULDBLOCK);
	});
}

} // namespace
} // namespace suite
