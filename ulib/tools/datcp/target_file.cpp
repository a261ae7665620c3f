// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "target_file.hpp"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "../common/error.hpp"

namespace copy {

using tools::errno_error;
using tools::Error;
using tools::printable;

/*
 * What a signal handler removes. Changed only while the signals are blocked, so
 * that the handler never sees half of it.
 */
static int doomed_directory = -1;
static char doomed_name[NAME_MAX + 1];

static void remove_and_die(int signal)
{
	if (doomed_directory >= 0)
		unlinkat(doomed_directory, doomed_name, 0);
	/* SA_RESETHAND has restored the default action: to end the program. */
	raise(signal);
}

namespace {

/* Keeps the signals that end the program from doing so for a moment. */
class SignalsBlocked {
public:
	SignalsBlocked()
	{
		sigset_t set;

		sigemptyset(&set);
		for (int signal : signals)
			sigaddset(&set, signal);
		sigprocmask(SIG_BLOCK, &set, &old_);
	}
	~SignalsBlocked() { sigprocmask(SIG_SETMASK, &old_, nullptr); }
	SignalsBlocked(const SignalsBlocked &) = delete;
	SignalsBlocked &operator=(const SignalsBlocked &) = delete;

	static constexpr int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };

private:
	sigset_t old_;
};

} // namespace

/* Who started us with a signal ignored (nohup) does not want it to end us. */
static void install_handler()
{
	struct sigaction action = {}, old;

	action.sa_handler = remove_and_die;
	action.sa_flags = static_cast<int>(SA_RESETHAND);
	for (int signal : SignalsBlocked::signals) {
		if (sigaction(signal, nullptr, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signal, &action, nullptr);
	}
	/* A file that grows beyond a limit is an error of write(), which says so. */
	signal(SIGXFSZ, SIG_IGN);
}

static std::string temporary_name()
{
	std::uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		throw errno_error("get a random number", errno);
	return fmt::format(".datcp-{:016x}.part", number);
}

TargetFile::TargetFile(const std::string &directory, const std::string &name, bool replace)
	: path_(directory + "/" + name), name_(name), temporary_(temporary_name()),
	  replace_(replace)
{
	struct stat there;

	directory_ = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory_ < 0)
		throw errno_error(fmt::format("open directory '{}'", directory), errno);
	if (fstatat(directory_, name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	    (!replace || S_ISDIR(there.st_mode))) {
		close(directory_);
		throw Error(fmt::format(
			"'{}' {}", printable(name),
			S_ISDIR(there.st_mode) ?
				"is a directory" :
				"exists already: remove it, or let --force replace it"));
	}
	try {
		create();
	} catch (...) {
		close(directory_);
		throw;
	}
}

void TargetFile::create()
{
	SignalsBlocked blocked;

	file_ = openat(directory_, temporary_.c_str(),
		       O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (file_ < 0)
		throw errno_error(fmt::format("create a file for '{}'", printable(path_)), errno);
	pending_ = true;
	doomed_directory = directory_;
	temporary_.copy(doomed_name, NAME_MAX);
	install_handler();
}

TargetFile::~TargetFile()
{
	SignalsBlocked blocked;

	doomed_directory = -1;
	if (pending_)
		unlinkat(directory_, temporary_.c_str(), 0);
	close(file_);
	close(directory_);
}

void TargetFile::write(std::span<const std::byte> bytes)
{
	while (!bytes.empty()) {
		ssize_t n = ::write(file_, bytes.data(), bytes.size());
		if (n < 0 && errno != EINTR)
			throw errno_error(fmt::format("write '{}'", printable(path_)), errno);
		if (n > 0)
			bytes = bytes.subspan(static_cast<std::size_t>(n));
	}
}

void TargetFile::commit(mode_t permissions)
{
	const mode_t mask = umask(0);

	umask(mask);
	if (fchmod(file_, permissions & 0777 & ~mask) < 0 || fsync(file_) < 0)
		throw errno_error(fmt::format("write '{}'", printable(path_)), errno);
	{
		SignalsBlocked blocked;
		rename();
		pending_ = false;
		doomed_directory = -1;
	}
	if (fsync(directory_) < 0)
		throw errno_error(fmt::format("sync the directory of '{}'", printable(path_)),
				  errno);
}

/* Gives the file its name; never replaces another unless that was asked for. */
void TargetFile::rename()
{
	const char *from = temporary_.c_str();
	const char *to = name_.c_str();
	int ret;

	if (replace_) {
		ret = renameat(directory_, from, directory_, to);
	} else {
		ret = renameat2(directory_, from, directory_, to, RENAME_NOREPLACE);
		if (ret < 0 && (errno == EINVAL || errno == ENOSYS)) {
			/* A file system that cannot: a link never replaces either. */
			ret = linkat(directory_, from, directory_, to, 0);
			if (ret == 0)
				unlinkat(directory_, from, 0);
		}
	}
	if (ret < 0)
		throw errno_error(fmt::format("give '{}' its name", printable(path_)), errno);
}

} // namespace copy
