// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sender.hpp"

#include <algorithm>
#include <cerrno>
#include <map>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "../common/progress.hpp"
#include "../common/sha256.hpp"
#include "file_name.hpp"

namespace copy {

using tools::errno_error;
using tools::Error;

namespace {

/* A file to be read from beginning to end. */
class SourceFile {
public:
	explicit SourceFile(const std::string &path);
	~SourceFile() { close(file_); }
	SourceFile(const SourceFile &) = delete;
	SourceFile &operator=(const SourceFile &) = delete;

	std::uint64_t size() const { return static_cast<std::uint64_t>(status_.st_size); }
	std::uint32_t permissions() const { return status_.st_mode & 0777; }
	/* Fills the bytes with what follows what was read before. */
	void read(std::span<std::byte> bytes);
	/* Nothing follows that: what was added since the beginning. */
	bool at_end() const;

private:
	std::string path_;
	struct stat status_ = {};
	int file_;
};

SourceFile::SourceFile(const std::string &path)
	: path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
{
	if (file_ < 0)
		throw errno_error(fmt::format("open '{}'", path), errno);
	if (fstat(file_, &status_) < 0 || !S_ISREG(status_.st_mode)) {
		close(file_);
		throw Error(fmt::format("'{}' is not a regular file", path), tools::Exit::Usage);
	}
}

void SourceFile::read(std::span<std::byte> bytes)
{
	while (!bytes.empty()) {
		ssize_t n = ::read(file_, bytes.data(), bytes.size());
		if (n == 0)
			throw Error(fmt::format("'{}' became shorter while it was read", path_));
		if (n < 0 && errno != EINTR)
			throw errno_error(fmt::format("read '{}'", path_), errno);
		if (n > 0)
			bytes = bytes.subspan(static_cast<std::size_t>(n));
	}
}

bool SourceFile::at_end() const
{
	struct stat now = {};

	return fstat(file_, &now) < 0 || now.st_size <= status_.st_size;
}

/* The connection to a receiver, through which one file after the other goes. */
class Sender {
public:
	Sender(const tools::Adapter &adapter, const SendJob &job)
		: job_(job), link_(adapter, job.how, Role::Sender), last_send_(job.how.slots)
	{
	}
	void run();

private:
	Copied send_file(const std::string &path);
	void announce(const SourceFile &source, const std::string &path);
	tools::Digest send_data(SourceFile &source, tools::Progress &progress);
	void send_chunk(std::uint64_t sequence, std::size_t slot, std::size_t length);
	void await_credit();
	void agree(const tools::Digest &digest, std::uint64_t size);

	const SendJob &job_;
	Link link_;
	std::vector<DAT_RMR_TRIPLET> windows_;
	/* For each slot the send after which it may be filled again. */
	std::vector<std::uint64_t> last_send_;
	std::uint64_t sent_ = 0; /* chunks, of all files */
	std::uint64_t credited_ = 0; /* chunks that the receiver is done with */
};

void Sender::run()
{
	link_.connection.connect(job_.peer, job_.port, job_.how.encode(), job_.patience.connect);
	link_.connection.set_idle_limit(job_.patience.idle);
	try {
		if (job_.how.mode == Mode::Write) {
			/* On iWARP the side that connected must send first. */
			link_.send({ Kind::Begin });
			windows_ = link_.receive_windows();
		}
		if (job_.how.mode == Mode::Read)
			link_.send_windows();
		for (const auto &path : job_.files)
			job_.copied(send_file(path));
		link_.send({ Kind::Bye });
	} catch (const tools::ConnectionLost &) {
		throw;
	} catch (const Error &e) {
		link_.fail(e.what());
		throw;
	}
	link_.connection.disconnect(job_.patience.connect);
}

Copied Sender::send_file(const std::string &path)
{
	auto start = tools::Clock::now();
	SourceFile source(path);
	tools::Progress progress(job_.progress, path, source.size());

	announce(source, path);
	tools::Digest digest = send_data(source, progress);
	agree(digest, source.size());
	if (!source.at_end())
		fmt::print(stderr,
			   "datcp: '{}' became longer while it was read: the receiver has the "
			   "first {} bytes\n",
			   tools::printable(path), source.size());
	return { path, source.size(), tools::Seconds(tools::Clock::now() - start).count(), digest };
}

void Sender::announce(const SourceFile &source, const std::string &path)
{
	auto name = safe_file_name(path);
	Header file{ Kind::File, source.permissions() };

	if (!name)
		throw Error(fmt::format("'{}' has no name that a file can have", path));
	file.length = source.size();
	link_.send(file, std::as_bytes(std::span(*name)));
	link_.expect(Kind::Accept);
}

tools::Digest Sender::send_data(SourceFile &source, tools::Progress &progress)
{
	const Hello &how = link_.hello;
	const std::uint64_t before = credited_;
	tools::Sha256 sha;

	progress.update(0);
	for (std::uint64_t left = source.size(); left > 0;) {
		while (sent_ - credited_ == how.slots)
			await_credit();
		const std::size_t slot = sent_ % how.slots;
		const auto length =
			static_cast<std::size_t>(std::min<std::uint64_t>(left, how.chunk));
		auto bytes = link_.slots->bytes(slot).first(length);
		if (sent_ >= how.slots)
			link_.await_send(last_send_[slot]);
		source.read(bytes);
		send_chunk(sent_, slot, length);
		/* The device reads the slot meanwhile; so may we. */
		sha.add(bytes);
		sent_++;
		left -= length;
		progress.update(std::min((credited_ - before) * how.chunk, source.size()));
	}
	while (credited_ < sent_)
		await_credit();
	progress.update(source.size());
	return sha.finish();
}

void Sender::send_chunk(std::uint64_t sequence, std::size_t slot, std::size_t length)
{
	Header data{ Kind::Data };

	data.sequence = sequence;
	data.length = length;
	if (link_.hello.mode == Mode::Send) {
		last_send_[slot] = link_.send_slot(data, slot, length);
		return;
	}
	/* The Data message follows the write, and its completion covers both. */
	if (link_.hello.mode == Mode::Write)
		link_.connection.post_write(link_.slots->segment(slot, length), windows_[slot],
					    sequence, DAT_COMPLETION_SUPPRESS_FLAG);
	last_send_[slot] = link_.send(data, {}, tools::Tell::Each);
}

void Sender::await_credit()
{
	if (link_.expect(Kind::Credit).sequence != credited_)
		throw nonsense("a credit for another chunk than the next");
	credited_++;
}

/* Both sides must have come to the same checksum. */
void Sender::agree(const tools::Digest &digest, std::uint64_t size)
{
	/* The receiver may have to write gigabytes to its disk before it answers. */
	constexpr tools::Seconds disk{ 600 };
	Header end{ Kind::End };

	end.length = size;
	end.digest = digest;
	link_.send(end);
	link_.connection.set_idle_limit(std::max(job_.patience.idle, disk));
	Header done = link_.expect(Kind::Done);
	link_.connection.set_idle_limit(job_.patience.idle);
	if (done.digest != digest)
		throw Error(fmt::format("the checksums differ: {} here, {} at the receiver",
					tools::hex_text(digest), tools::hex_text(done.digest)));
}

} // namespace

void send_files(const tools::Adapter &adapter, const SendJob &job)
{
	Sender(adapter, job).run();
}

void check_sources(const std::vector<std::string> &files)
{
	std::map<std::string, std::string> paths;

	for (const auto &path : files) {
		try {
			SourceFile source(path);
		} catch (const Error &e) {
			throw Error(e.what(), tools::Exit::Usage);
		}
		auto name = safe_file_name(path);
		if (!name)
			throw Error(fmt::format("'{}' has no name that a file can have", path),
				    tools::Exit::Usage);
		auto [other, is_new] = paths.emplace(*name, path);
		if (!is_new)
			throw Error(fmt::format("'{}' and '{}' would both be '{}' at the receiver",
						other->second, path, *name),
				    tools::Exit::Usage);
	}
}

} // namespace copy
