// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A receiver of datcp, the program itself, against senders that mean it ill:
 * nothing appears but complete files in its directory, and it goes on serving.
 */

#include "common/adapter.hpp"
#include "datcp/link.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace fs = std::filesystem;
using copy::Header;
using copy::Hello;
using copy::Kind;
using copy::Link;
using copy::Role;

namespace {

constexpr DAT_CONN_QUAL port = 45300;
constexpr tools::Seconds patience{ 60 };

/* The adapter that the test machine tells of, at the address it has. */
tools::Adapter open_adapter()
{
	const char *name = std::getenv("KDAPL_DEVICE");

	return tools::Adapter(name ? name : tools::list_adapters().at(0));
}

/* datcp --listen, in a folder of its own within another. */
class Receiver {
public:
	Receiver()
	{
		char name[] = "/tmp/tools-hostile-XXXXXX";
		int out[2];

		outer_ = mkdtemp(name);
		fs::create_directory(directory());
		if (pipe(out) < 0)
			throw std::runtime_error("pipe");
		child_ = fork();
		if (child_ == 0) {
			dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
			dup2(out[1], STDERR_FILENO);
			execl(DATCP_FILE, "datcp", "--listen", "--port",
			      std::to_string(port).c_str(), "--output-dir", directory().c_str(),
			      "--idle", "20", nullptr);
			_exit(127);
		}
		close(out[1]);
		errors_ = fdopen(out[0], "r");
		char line[256] = "";
		while (!std::strstr(line, "listening on")) {
			if (!std::fgets(line, sizeof(line), errors_))
				throw std::runtime_error("the receiver did not start");
		}
	}
	~Receiver()
	{
		kill(child_, SIGTERM);
		waitpid(child_, nullptr, 0);
		std::fclose(errors_);
		fs::remove_all(outer_);
	}
	Receiver(const Receiver &) = delete;
	Receiver &operator=(const Receiver &) = delete;

	std::string directory() const { return outer_ + "/out"; }
	/* The names of all files in the folder and in the one around it. */
	std::vector<std::string> files() const
	{
		std::vector<std::string> names;

		for (const auto &entry : fs::recursive_directory_iterator(outer_)) {
			if (entry.is_regular_file())
				names.push_back(fs::relative(entry.path(), outer_).string());
		}
		std::sort(names.begin(), names.end());
		return names;
	}
	/* What it says next on stderr. */
	std::string complaint()
	{
		char line[1024] = "";

		return std::fgets(line, sizeof(line), errors_) ? line : "";
	}

private:
	std::string outer_;
	pid_t child_;
	FILE *errors_;
};

class HostileSender : public testing::Test {
protected:
	static std::span<const std::byte> as_bytes(std::string_view text)
	{
		return std::as_bytes(std::span(text));
	}

	void connect(Link &link, std::span<const std::byte> private_data)
	{
		link.connection.connect(adapter_.address(), port, private_data, patience);
		link.connection.set_idle_limit(patience);
	}

	/* Connects in mode send, and announces a file that is accepted. */
	std::unique_ptr<Link> announced(std::string_view name, std::uint64_t size)
	{
		auto link = std::make_unique<Link>(adapter_, hello_, Role::Sender);
		Header file{ Kind::File, 0644 };

		connect(*link, hello_.encode());
		file.length = size;
		link->send(file, as_bytes(name));
		link->expect(Kind::Accept);
		return link;
	}

	/* Announces a file whose name must be refused. */
	void expect_name_refused(std::string_view name)
	{
		Link link(adapter_, hello_, Role::Sender);

		connect(link, hello_.encode());
		link.send({ Kind::File, 0644 }, as_bytes(name));
		expect_failure(link, "no name for a file");
	}

	/* The receiver must tell of a failure, in these words, and hang up. */
	void expect_failure(Link &link, std::string_view words)
	{
		try {
			link.next();
			FAIL() << "the receiver has no objection";
		} catch (const tools::Error &e) {
			EXPECT_NE(std::string_view(e.what()).find(words), std::string_view::npos)
				<< e.what();
		}
		EXPECT_NE(receiver_.complaint(), "");
	}

	void send_chunk(Link &link, std::uint64_t sequence, std::size_t length)
	{
		Header data{ Kind::Data };

		data.sequence = sequence;
		data.length = length;
		link.send_slot(data, 0, length);
	}

	/* A file of no bytes, as an honest sender would send it. */
	void copy_empty_file(std::string_view name)
	{
		auto link = announced(name, 0);
		Header end{ Kind::End };

		end.digest = tools::Sha256().finish();
		link->send(end);
		EXPECT_EQ(link->expect(Kind::Done).digest, end.digest);
		link->send({ Kind::Bye });
		link->connection.disconnect(patience);
	}

	void TearDown() override
	{
		if (!HasFatalFailure()) {
			copy_empty_file("still-alive");
			expected_.push_back("out/still-alive");
			EXPECT_EQ(receiver_.files(), expected_);
		}
	}

	Receiver receiver_;
	tools::Adapter adapter_ = open_adapter();
	Hello hello_{ copy::Mode::Send, 4, 8192 };
	/* What may be there in the end, beside the honest sender's file. */
	std::vector<std::string> expected_;
};

TEST_F(HostileSender, ForeignGreeting)
{
	Link link(adapter_, hello_, Role::Sender);

	EXPECT_THROW(connect(link, as_bytes("GET / HTTP/1.1")), tools::Error);
	EXPECT_NE(receiver_.complaint().find("refused"), std::string::npos);
}

TEST_F(HostileSender, MemoryBeyondBounds)
{
	const Hello greedy[] = {
		{ copy::Mode::Send, UINT16_MAX, UINT32_MAX },
		{ copy::Mode::Write, copy::max_slots + 1, copy::min_chunk },
		{ copy::Mode::Write, 1, copy::max_chunk + 1 },
		{ copy::Mode::Read, 0, copy::min_chunk },
	};

	for (const Hello &hello : greedy) {
		Link link(adapter_, hello_, Role::Sender);
		EXPECT_THROW(connect(link, hello.encode()), tools::Error);
		EXPECT_NE(receiver_.complaint().find("refused"), std::string::npos);
	}
}

TEST_F(HostileSender, NamesThatLeadElsewhere)
{
	copy_empty_file("../../../tmp/escaped");
	copy_empty_file("/etc/absolute");
	expected_ = { "out/absolute", "out/escaped" };
}

TEST_F(HostileSender, NamesThatAreNone)
{
	for (std::string_view name :
	     { "", ".", "..", "/", "x/..", "tab\t", "\x1b[2J", ".bash_profile", "x/.profile" })
		expect_name_refused(name);
}

TEST_F(HostileSender, MoreDataThanAnnounced)
{
	auto link = announced("file", 100);

	send_chunk(*link, 0, 101);
	expect_failure(*link, "a chunk that does not fit");
}

TEST_F(HostileSender, ChunksOutOfOrder)
{
	auto link = announced("file", 100);

	send_chunk(*link, 1, 50);
	expect_failure(*link, "a chunk that does not fit");
}

TEST_F(HostileSender, AnEmptyChunk)
{
	auto link = announced("file", 100);

	send_chunk(*link, 0, 0);
	expect_failure(*link, "a chunk that does not fit");
}

TEST_F(HostileSender, ALengthThatIsNotThere)
{
	auto link = announced("file", 8192);
	Header data{ Kind::Data };

	data.length = 8192;
	link->send(data, as_bytes("short"));
	expect_failure(*link, "a chunk that does not fit");
}

TEST_F(HostileSender, AnEarlyEnd)
{
	auto link = announced("file", 100);

	link->send({ Kind::End });
	expect_failure(*link, "ended before its announced size");
}

TEST_F(HostileSender, AWrongChecksum)
{
	auto link = announced("file", 100);

	send_chunk(*link, 0, 100);
	link->expect(Kind::Credit);
	Header end{ Kind::End };
	end.length = 100;
	link->send(end);
	expect_failure(*link, "checksums");
}

TEST_F(HostileSender, ASizeBeyondAnyDisk)
{
	{
		auto link = announced("file", UINT64_MAX);
		send_chunk(*link, 0, 8192);
		link->expect(Kind::Credit);
	}
	EXPECT_NE(receiver_.complaint(), "");
}

TEST_F(HostileSender, AMessageThatIsNone)
{
	Link link(adapter_, hello_, Role::Sender);

	connect(link, hello_.encode());
	link.send({ Kind{ 77 } });
	expect_failure(link, "that is no message");
}

TEST_F(HostileSender, MemoryToReadThatIsNotThere)
{
	hello_.mode = copy::Mode::Read;
	{
		Link link(adapter_, hello_, Role::Sender);
		std::vector<DAT_RMR_TRIPLET> windows(hello_.slots);
		Header file{ Kind::File, 0644 };
		Header data{ Kind::Data };

		connect(link, hello_.encode());
		link.send({ Kind::Window }, copy::encode_windows(windows));
		file.length = data.length = 100;
		link.send(file, as_bytes("file"));
		link.expect(Kind::Accept);
		link.send(data);
		EXPECT_THROW(link.next(), tools::Error);
	}
	EXPECT_NE(receiver_.complaint(), "");
	hello_.mode = copy::Mode::Send;
}

TEST_F(HostileSender, SilenceWithinAFile)
{
	auto link = announced("file", 100);

	expect_failure(*link, "silent");
}

} // namespace
