// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "static_registry.hpp"

#include "debug.hpp"
#include "uncancelled.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace kdapl {

namespace {

/** More is no dat.conf, but a file that was named by mistake. */
constexpr std::size_t largest_file = std::size_t{ 1 } << 20;

/** An open file. */
class File {
public:
	explicit File(const char *name) noexcept : fd_(open(name, O_RDONLY | O_CLOEXEC)) {}
	File(const File &) = delete;
	File &operator=(const File &) = delete;
	~File()
	{
		if (fd_ >= 0)
			close(fd_);
	}

	bool is_open() const noexcept { return fd_ >= 0; }
	/** 0 or an errno. */
	int stat(struct stat &stat) const noexcept { return fstat(fd_, &stat) ? errno : 0; }
	int read_all(std::string &text) const
	{
		char part[4096];

		for (;;) {
			const ssize_t got = read(fd_, part, sizeof part);
			if (!got)
				return 0;
			if (got < 0 && errno == EINTR)
				continue;
			if (got < 0)
				return errno;
			text.append(part, static_cast<std::size_t>(got));
			if (text.size() > largest_file)
				return EFBIG;
		}
	}

private:
	const Uncancelled uncancelled_;
	int fd_;
};

bool is_unchanged(const struct stat &a, const struct stat &b) noexcept
{
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
	       a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/** What was read last. */
struct Cache {
	std::mutex mutex; /**< all below */
	std::string dat_conf; /**< the tests' */
	std::shared_ptr<const StaticRegistry> registry;
	struct stat stat {};
};

Cache &cache()
{
	/* Never destroyed: adapters are closed while other destructors run. */
	static auto *cache = new Cache;

	return *cache;
}

RegistryState unreadable(const std::string &file, int err) noexcept
{
	debug_warning("%s: %s", file.c_str(), std::strerror(err));
	return RegistryState::unreadable;
}

/** Fill the cache from a file that is open. */
int read_again(Cache &cache, const File &in, const std::string &file)
{
	std::string text;

	if (int err = in.read_all(text))
		return err;
	const auto problem = [&](unsigned line, const std::string &reason) {
		debug_warning("%s:%u: line skipped: %s", file.c_str(), line, reason.c_str());
	};
	cache.registry = std::make_shared<const StaticRegistry>(
		StaticRegistry{ file, parse_dat_conf(text, problem) });
	return 0;
}

} // namespace

RegistryState read_static_registry(const char *standard,
				   std::shared_ptr<const StaticRegistry> &registry)
{
	Cache &last = cache();
	std::lock_guard lock(last.mutex);
	const char *override = secure_getenv("DAT_OVERRIDE");
	const bool overridden = override && *override;
	const std::string usual = last.dat_conf.empty() ? standard : last.dat_conf;
	const std::string file = overridden ? override : usual;
	const File in(file.c_str());
	struct stat stat;

	if (!in.is_open()) {
		const int err = errno;
		if (!overridden && (err == ENOENT || err == ENOTDIR))
			return RegistryState::absent;
		/* Linux says so before it looks for the file. */
		if (err == EMFILE || err == ENFILE)
			return RegistryState::unknown;
		return unreadable(file, err);
	}
	if (int err = in.stat(stat))
		return unreadable(file, err);
	if (!last.registry || last.registry->file != file || !is_unchanged(stat, last.stat)) {
		if (int err = read_again(last, in, file))
			return unreadable(file, err);
		last.stat = stat;
	}
	registry = last.registry;
	return RegistryState::present;
}

void set_dat_conf(std::string file)
{
	Cache &last = cache();
	std::lock_guard lock(last.mutex);

	last.dat_conf = std::move(file);
}

} // namespace kdapl
