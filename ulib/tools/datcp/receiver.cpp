// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "receiver.hpp"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "../common/progress.hpp"
#include "../common/sha256.hpp"
#include "file_name.hpp"
#include "target_file.hpp"

namespace copy {

using tools::Error;

namespace {

/* A file on its way in. */
struct Arriving {
	Arriving(const ReceiveJob &job, const std::string &name, const Header &announced)
		: target(job.directory, name, job.replace), size(announced.length),
		  permissions(announced.detail),
		  progress(job.progress, tools::printable(name), announced.length)
	{
		progress.update(0);
	}

	/* Takes the next bytes of the file. */
	void add(std::span<const std::byte> bytes)
	{
		target.write(bytes);
		sha.add(bytes);
		arrived += bytes.size();
		progress.update(arrived);
	}

	TargetFile target;
	std::uint64_t size;
	mode_t permissions;
	std::uint64_t arrived = 0;
	tools::Sha256 sha;
	tools::Progress progress;
};

/* The connection of a sender, through which one file after the other comes. */
class Receiver {
public:
	Receiver(const tools::Adapter &adapter, const Hello &hello, const ReceiveJob &job)
		: job_(job), link_(adapter, hello, Role::Receiver)
	{
	}
	void run(tools::Request &request);

private:
	bool receive_file();
	std::string name_for(const Incoming &file);
	std::span<const std::byte> take(std::size_t slot, std::size_t length);
	void receive_data(Arriving &file);
	void receive_by_read(Arriving &file);
	std::size_t check_chunk(const Header &data, std::uint64_t left);
	void start_read(const Incoming &data, std::size_t length);
	void send_credit();
	void commit(Arriving &file, const Header &end, const tools::Digest &digest);

	const ReceiveJob &job_;
	Link link_;
	std::vector<DAT_RMR_TRIPLET> windows_;
	std::vector<std::byte> taken_;
	std::uint64_t announced_ = 0; /* chunks that a Data message told of */
	std::uint64_t credited_ = 0; /* chunks that we are done with */
	unsigned files_ = 0;
};

void Receiver::run(tools::Request &request)
{
	link_.connection.accept(request, {}, job_.patience.connect);
	link_.connection.set_idle_limit(job_.patience.idle);
	try {
		if (link_.hello.mode == Mode::Write) {
			link_.expect(Kind::Begin);
			link_.send_windows();
		}
		if (link_.hello.mode == Mode::Read)
			windows_ = link_.receive_windows();
		while (receive_file())
			files_++;
	} catch (const tools::ConnectionLost &) {
		throw;
	} catch (const Error &e) {
		link_.fail(e.what());
		throw;
	}
	link_.connection.wait_disconnected(job_.patience.connect);
}

std::string Receiver::name_for(const Incoming &file)
{
	std::string_view sent(reinterpret_cast<const char *>(file.body.data()), file.body.size());
	auto name = safe_file_name(sent);

	if (job_.name && files_ > 0)
		throw Error("a second file came, and --output has room for one: use --output-dir");
	if (job_.name)
		return *job_.name;
	/* Hidden files are what shells and other programs obey. */
	if (!name || name->starts_with('.'))
		throw Error(fmt::format("'{}' is no name for a file here: --output gives another",
					tools::printable(sent)));
	return *name;
}

/* False when the sender has no more files. */
bool Receiver::receive_file()
{
	auto start = tools::Clock::now();
	Incoming in = link_.next();

	if (in.header.kind == Kind::Bye)
		return false;
	if (in.header.kind != Kind::File)
		throw nonsense("data without a file");
	Arriving file(job_, name_for(in), in.header);
	link_.release(in);
	link_.send({ Kind::Accept });
	if (link_.hello.mode == Mode::Read)
		receive_by_read(file);
	else
		receive_data(file);

	tools::Digest digest = file.sha.finish();
	commit(file, link_.expect(Kind::End), digest);
	const Copied copied{ file.target.path(), file.size,
			     tools::Seconds(tools::Clock::now() - start).count(), digest };
	Header done{ Kind::Done };
	done.digest = digest;
	try {
		link_.send(done);
	} catch (const Error &) {
		/* It has its name, whether or not the sender is there to hear of it. */
		job_.copied(copied, link_.hello.mode);
		throw;
	}
	job_.copied(copied, link_.hello.mode);
	return true;
}

/* The chunk that a Data message tells of must be the next, and fit. */
std::size_t Receiver::check_chunk(const Header &data, std::uint64_t left)
{
	if (data.kind != Kind::Data)
		throw nonsense("the file ended before its announced size");
	if (data.sequence != announced_ || data.length == 0 || data.length > link_.hello.chunk ||
	    data.length > left || (link_.hello.mode == Mode::Send && data.body != data.length))
		throw nonsense("a chunk that does not fit");
	announced_++;
	return static_cast<std::size_t>(data.length);
}

void Receiver::send_credit()
{
	Header credit{ Kind::Credit };

	credit.sequence = credited_++;
	link_.send(credit);
}

/* The sender can still write into the slot: what is stored and what is added up are one look. */
std::span<const std::byte> Receiver::take(std::size_t slot, std::size_t length)
{
	const auto bytes = link_.slots->bytes(slot).first(length);

	taken_.assign(bytes.begin(), bytes.end());
	return taken_;
}

/* Modes write and send: a chunk is here when its Data message is. */
void Receiver::receive_data(Arriving &file)
{
	while (file.arrived < file.size) {
		Incoming in = link_.next();
		const std::size_t slot = announced_ % link_.hello.slots;
		const std::size_t length = check_chunk(in.header, file.size - file.arrived);
		file.add(link_.hello.mode == Mode::Send ? in.body : take(slot, length));
		link_.release(in);
		send_credit();
	}
}

/* Mode read: fetches as many chunks at a time as the sender has ready. */
void Receiver::receive_by_read(Arriving &file)
{
	std::deque<std::size_t> under_way;
	std::uint64_t asked = 0;

	while (file.arrived < file.size) {
		while (asked < file.size && under_way.size() < link_.hello.slots) {
			auto in =
				under_way.empty() ? std::optional(link_.next()) : link_.try_next();
			if (!in)
				break;
			const std::size_t length = check_chunk(in->header, file.size - asked);
			start_read(*in, length);
			under_way.push_back(length);
			asked += length;
		}
		link_.await_read();
		file.add(
			link_.slots->bytes(credited_ % link_.hello.slots).first(under_way.front()));
		under_way.pop_front();
		send_credit();
	}
}

void Receiver::start_read(const Incoming &data, std::size_t length)
{
	const std::size_t slot = data.header.sequence % link_.hello.slots;
	DAT_RMR_TRIPLET remote = windows_[slot];

	remote.segment_length = length;
	link_.connection.post_read(link_.slots->segment(slot, length), remote,
				   data.header.sequence);
	link_.release(data);
}

/* Gives the file its name, when both sides came to the same checksum. */
void Receiver::commit(Arriving &file, const Header &end, const tools::Digest &digest)
{
	if (end.length != file.size)
		throw nonsense("the file has another size than announced");
	if (end.digest != digest)
		throw Error(fmt::format("the checksums of '{}' differ: {} at the sender, {} at the "
					"receiver",
					tools::printable(file.target.path()),
					tools::hex_text(end.digest), tools::hex_text(digest)));
	file.target.commit(file.permissions);
}

} // namespace

Mode receive_files(const tools::Adapter &adapter, tools::Request request, const ReceiveJob &job)
{
	auto hello = Hello::decode(request.private_data);

	if (!hello)
		throw Error("refused: it is no datcp, or one of another version");
	if (!hello->acceptable())
		throw Error(fmt::format("refused: {} slots of {} bytes are beyond what a receiver "
					"takes",
					hello->slots, hello->chunk));
	Receiver(adapter, *hello, job).run(request);
	return hello->mode;
}

} // namespace copy
