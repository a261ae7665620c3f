// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A target that LIO and kdapl_isert serve, against initiators that mean it ill: after
 * each of them an honest one logs in, reads and writes, and logs out.
 *
 *     scripts/vm -- tests/storage/hostile.sh
 *
 * Where a test says that a connection is refused, the target ends it or answers with an
 * error; where it says dropped, the target ends it. Where nothing is said, the
 * protocol leaves it to the target, and all that counts is what comes after.
 */
#include "iscsi.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

using namespace iscsi;
using namespace std::chrono_literals;

namespace {

class HostileInitiator : public testing::Test {
protected:
	std::unique_ptr<Connection> connected(std::string_view private_data = hello)
	{
		auto connection = std::make_unique<Connection>(adapter_);

		suite::require(connection->connect(private_data),
			       "the target refuses a connection");
		return connection;
	}

	std::unique_ptr<Session> logged_in(DAT_COUNT requests = 64)
	{
		auto session = std::make_unique<Session>(adapter_, requests);

		suite::require(session->log_in() == 0U, "the login fails");
		return session;
	}

	/* A first message that no login begins with. */
	void expect_first_dropped(const Bytes &bytes)
	{
		auto connection = connected();

		connection->send(bytes);
		EXPECT_TRUE(connection->dropped()) << bytes.size() << " bytes";
	}

	void expect_first_refused(const Message &message)
	{
		auto connection = connected();

		connection->send(message);
		EXPECT_TRUE(connection->refused()) << "opcode " << int(message.header[0]);
	}

	/* A message of a session that has logged in. */
	void expect_refused(Session &session, const Message &message)
	{
		session.connection.send(message);
		EXPECT_TRUE(session.connection.refused()) << "opcode " << int(message.header[0]);
	}

	void expect_dropped(Session &session, const Bytes &bytes)
	{
		session.connection.send(bytes);
		EXPECT_TRUE(session.connection.dropped()) << bytes.size() << " bytes";
	}

	/* Nobody else has suffered. */
	void honest()
	{
		auto session = logged_in();
		const auto bytes = session->connection.memory().bytes(0, 16 * block_size);

		session->run(session->test_unit_ready()); /* takes what was to be said first */
		suite::fill(bytes, 7);
		EXPECT_EQ(session->run(session->write_blocks(16)), 0U);
		std::fill(bytes.begin(), bytes.end(), 0);
		EXPECT_EQ(session->run(session->read_blocks(16)), 0U);
		suite::require_pattern(bytes, 7);
		EXPECT_TRUE(session->log_out());
	}

	void TearDown() override
	{
		if (!HasFatalFailure())
			honest();
	}

	suite::Adapter adapter_;
};

Bytes cut(const Message &message, std::size_t size)
{
	Bytes bytes = message.bytes();

	bytes.resize(size);
	return bytes;
}

/* ---- before a login ---- */

TEST_F(HostileInitiator, IsNotSoHere)
{
	/* The honest one alone. */
}

TEST_F(HostileInitiator, ConnectsWithStrangeWords)
{
	for (std::string_view words :
	     { std::string_view(), std::string_view("\0", 1), std::string_view("GET / HTTP/1.1"),
	       std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff") }) {
		Connection connection(adapter_);
		connection.connect(words);
	}
}

TEST_F(HostileInitiator, NeverLogsIn)
{
	std::vector<std::unique_ptr<Connection>> silent;

	for (int i = 0; i < 3; i++)
		silent.push_back(connected());
	honest();
	for (auto &connection : silent)
		EXPECT_TRUE(connection->dropped(120s));
}

/* More than max_pending of them: the oldest make room, for the honest one, too. */
TEST_F(HostileInitiator, NeverLogsInManyTimes)
{
	constexpr std::size_t max_pending = 64, more = 8;
	std::vector<std::unique_ptr<Connection>> silent;

	for (std::size_t i = 0; i < max_pending + more; i++)
		silent.push_back(connected());
	for (std::size_t i = 0; i < more; i++)
		EXPECT_TRUE(silent[i]->dropped(5s)) << i;
	EXPECT_FALSE(silent.back()->dropped(0s)) << "it is not one of the oldest";
	honest();
}

TEST_F(HostileInitiator, SendsLessThanAHeaderFirst)
{
	const Message message = Session(adapter_).login_request("");

	for (std::size_t size : { 0, 1, 27, 28, 29, 75 })
		expect_first_dropped(cut(message, size));
}

TEST_F(HostileInitiator, SendsMoreThanThereIsRoomForFirst)
{
	expect_first_dropped(Bytes(16384, 0x43));
}

TEST_F(HostileInitiator, AnnouncesMoreThanItSends)
{
	for (std::uint32_t length : { 5U, 1000U, 8192U, 65536U, 0xffffffU })
		expect_first_dropped(
			Session(adapter_).login_request("").with("a=b").u24(5, length).bytes());
}

TEST_F(HostileInitiator, AnnouncesMoreHeadersThanItSends)
{
	for (unsigned char words : { 1, 4, 255 })
		expect_first_dropped(
			Session(adapter_).login_request(Session::keys()).u8(4, words).bytes());
}

TEST_F(HostileInitiator, DoesNotBeginWithALogin)
{
	for (unsigned char opcode :
	     { nop_out, command, task_management, text, data_out, logout, snack })
		expect_first_refused(Message(opcode | immediate).u32(16, 1));
	for (unsigned char opcode : { 0x07, 0x1f, 0x20, 0x2a, 0x3f })
		expect_first_refused(Message(opcode).u32(16, 1));
}

TEST_F(HostileInitiator, SendsIserHeadersThatAreNone)
{
	for (unsigned char flags : { 0x00, 0x20, 0x30, 0xff }) {
		Message message = Session(adapter_).login_request(Session::keys());

		message.iser_flags = flags;
		expect_first_dropped(message.bytes());
	}
}

/* ---- in a login ---- */

TEST_F(HostileInitiator, LogsInByHalves)
{
	auto connection = connected();

	/* C, to be continued: and then nothing. */
	connection->send(Session(adapter_).login_request("InitiatorName=iqn.x:y").u8(1, 0x44));
	EXPECT_TRUE(connection->dropped(120s));
}

TEST_F(HostileInitiator, LogsInForEver)
{
	auto connection = connected();
	Message message = Session(adapter_).login_request(Session::keys()).u8(1, 0x04);

	for (int i = 0; i < 100 && !connection->over(); i++) {
		connection->send(message);
		if (!connection->receive(5s))
			break;
		message.with("");
	}
}

/* A login's keys but for this one, which the target proposes then. */
std::string keys_without(std::string_view key)
{
	std::string keys = Session::keys();
	const std::size_t at = keys.find(key);

	if (at != std::string::npos)
		keys.erase(at, keys.find('\0', at) + 1 - at);
	return keys;
}

/* LIO takes any answer; and some of them it cannot live with, or not for long. */
TEST_F(HostileInitiator, AnswersWhatWasNotProposed)
{
	struct Answer {
		std::string_view key, value;
	};
	constexpr Answer answers[] = {
		{ "ErrorRecoveryLevel", "2" },
		{ "MaxConnections", "16" },
		{ "DefaultTime2Retain", "3600" },
		{ "DataPDUInOrder", "No" },
		{ "DataSequenceInOrder", "No" },
		{ "InitiatorRecvDataSegmentLength", "Irrelevant" },
		{ "TargetRecvDataSegmentLength", "Irrelevant" },
		{ "MaxBurstLength", "Irrelevant" },
		{ "FirstBurstLength", "Irrelevant" },
		{ "MaxOutstandingR2T", "65535" },
	};

	std::uint16_t isid = 0x100;
	for (const auto &[key, value] : answers) {
		Session session(adapter_);
		const std::string answer = std::string(key) + '=' + std::string(value) + '\0';

		session.isid = isid++;
		EXPECT_EQ(session.log_in(keys_without(key), answer), std::optional(0U)) << answer;
		session.run(session.test_unit_ready());
		EXPECT_EQ(session.run(session.write_blocks(256)), std::optional(0U)) << answer;
		EXPECT_EQ(session.run(session.read_blocks(256)), std::optional(0U)) << answer;
		session.connection.send(session.write_blocks(256));
		session.connection.leave();
	}
}

/* Several at once: LIO would go round for ever in a list of pieces of no length. */
TEST_F(HostileInitiator, WantsNoOrderAndNoLength)
{
	Session session(adapter_);
	std::string keys = Session::keys();
	std::string answers = "DataPDUInOrder=No";

	for (const char *key :
	     { "InitiatorRecvData", "TargetRecvData", "MaxBurst", "FirstBurst" }) {
		const std::size_t at = keys.find(key);
		keys.erase(at, keys.find('\0', at) + 1 - at);
	}
	for (const char *more :
	     { "DataSequenceInOrder=No", "InitiatorRecvDataSegmentLength=Irrelevant",
	       "TargetRecvDataSegmentLength=Irrelevant", "MaxBurstLength=Irrelevant",
	       "FirstBurstLength=Irrelevant" })
		answers += std::string(1, '\0') + more;
	ASSERT_EQ(session.log_in(keys, answers + '\0'), std::optional(0U));
	session.run(session.test_unit_ready());
	EXPECT_EQ(session.run(session.write_blocks(64)), std::optional(0U));
	EXPECT_EQ(session.run(session.read_blocks(64)), std::optional(0U));
}

std::string all_keys(std::initializer_list<const char *> keys)
{
	std::string all;

	for (const char *key : keys)
		all += std::string(key) + '\0';
	return all;
}

/* LIO looks at the last of each, by their beginnings, and in the end at the first. */
TEST_F(HostileInitiator, IsTwoAtOnce)
{
	const std::string target = "TargetName=" + target_name() + '\0';
	const std::string others =
		target + all_keys({ "RDMAExtensions=Yes", "InitiatorRecvDataSegmentLength=8192",
				    "TargetRecvDataSegmentLength=8192" });
	const std::string texts[] = {
		all_keys(
			{ "InitiatorName=iqn.x:y", "SessionType=Normal", "SessionType=Discovery" }),
		all_keys(
			{ "InitiatorName=iqn.x:y", "SessionType=Discovery", "SessionType=Normal" }),
		all_keys({ "InitiatorName=iqn.x:y", "SessionType=Normal",
			   "SessionTypes=Discovery" }),
		all_keys(
			{ "InitiatorName=iqn.x:y", "InitiatorName=iqn.x:z", "SessionType=Normal" }),
		all_keys({ "InitiatorName=iqn.x:y", "SessionType=Normal" }) + target,
		all_keys({ "CHAP_A=5", "InitiatorName=iqn.x:y", "SessionType=Normal" }),
	};

	for (const std::string &keys : texts) {
		Session session(adapter_);
		EXPECT_NE(session.log_in(keys + others), std::optional(0U)) << keys;
	}
}

/* In a stage that is none LIO would not take in who it says it is. */
TEST_F(HostileInitiator, IsAnotherOneLater)
{
	auto connection = connected();
	Session session(adapter_);

	connection->send(session.login_request(Session::keys()).u8(1, 0x08));
	EXPECT_TRUE(connection->dropped());
}

TEST_F(HostileInitiator, SendsKeysThatAreNone)
{
	const std::string some = Session::keys();
	std::string negative = some;
	const std::string_view length = "=262144";
	const std::string texts[] = { std::string(8192, 'x'),
				      std::string(8192, '\0'),
				      std::string(8192, '='),
				      "InitiatorName",
				      "InitiatorName=",
				      negative.replace(negative.find(length), length.size(), "=-1"),
				      some + std::string(7000, 'y'),
				      "=" };

	for (const std::string &keys : texts) {
		Session session(adapter_);
		EXPECT_NE(session.log_in(keys), std::optional(0U)) << keys.substr(0, 40);
	}
}

TEST_F(HostileInitiator, NamesNoTarget)
{
	Session session(adapter_);
	const std::string keys = std::string("InitiatorName=iqn.x:y") + '\0' +
				 "TargetName=iqn.2004-01.test.kdapl:none" + '\0';

	EXPECT_NE(session.log_in(keys), std::optional(0U));
}

TEST_F(HostileInitiator, IsOfAnotherVersion)
{
	expect_first_refused(
		Session(adapter_).login_request(Session::keys()).u8(2, 0x77).u8(3, 0x55));
}

TEST_F(HostileInitiator, BeginsInAStageThatIsNone)
{
	for (unsigned char flags : { 0x88, 0x8c, 0x80, 0x8f, 0xc7 }) {
		auto connection = connected();
		connection->send(Session(adapter_).login_request(Session::keys()).u8(1, flags));
		connection->receive(2s);
	}
}

TEST_F(HostileInitiator, JoinsASessionThatIsNone)
{
	expect_first_refused(Session(adapter_).login_request(Session::keys()).u16(14, 0x7777));
}

/* With that one's end in between LIO would take it for one with room, and free it. */
TEST_F(HostileInitiator, JoinsASessionThatIsThere)
{
	auto session = logged_in();

	for (unsigned char flags : { 0x87, 0x00 }) {
		expect_first_refused(Session(adapter_)
					     .login_request(Session::keys())
					     .u8(1, flags)
					     .u16(14, session->tsih)
					     .u16(20, 1));
		EXPECT_EQ(session->run(session->test_unit_ready()), std::optional(0U));
	}
}

TEST_F(HostileInitiator, DoesNotWaitForTheAnswer)
{
	for (unsigned char opcode : { login, command, nop_out, logout }) {
		Session session(adapter_);
		suite::require(session.connection.connect(), "refused");
		session.connection.send(session.login_request(Session::keys()));
		for (int i = 0; i < 8; i++)
			session.connection.send(session.request(opcode | immediate));
		session.connection.receive(2s);
	}
}

TEST_F(HostileInitiator, TakesTheSessionAway)
{
	auto first = logged_in(), second = logged_in();

	/* The same name and ISID: the second is the first one's successor. */
	EXPECT_TRUE(first->connection.dropped());
	EXPECT_TRUE(second->run(second->test_unit_ready()).has_value());
}

/* ---- after a login ---- */

/* It is not asked to say Yes; but then it has nothing to ask for. */
TEST_F(HostileInitiator, WantsNoRdma)
{
	constexpr std::string_view yes = "RDMAExtensions=Yes";
	std::string keys = Session::keys();
	Session session(adapter_);

	keys.replace(keys.find(yes), yes.size(), "RDMAExtensions=No");
	ASSERT_EQ(session.log_in(keys), 0U);
	expect_dropped(session, session.read_blocks(16).bytes());
}

TEST_F(HostileInitiator, LogsInTwice)
{
	auto session = logged_in();

	expect_refused(*session, session->login_request(Session::keys()));
}

TEST_F(HostileInitiator, SendsOpcodesThatAreNone)
{
	for (unsigned char opcode : { 0x07, 0x0f, 0x1c, 0x1f, 0x21, 0x31, 0x3e }) {
		auto session = logged_in();
		expect_refused(*session, session->request(opcode));
	}
}

TEST_F(HostileInitiator, SendsLessThanAHeader)
{
	for (std::size_t size : { 0, 1, 28, 75 }) {
		auto session = logged_in();
		expect_dropped(*session, cut(session->test_unit_ready(), size));
	}
}

TEST_F(HostileInitiator, SendsMoreThanThereIsRoomFor)
{
	auto session = logged_in();

	expect_dropped(*session, Bytes(16384, 0x01));
}

TEST_F(HostileInitiator, SendsLessDataThanItSays)
{
	for (unsigned char opcode : { command, nop_out, text, data_out }) {
		auto session = logged_in();
		Message message =
			session->request(opcode, final_flag | (opcode == command ? write_flag : 0));
		message.u32(20, opcode == command ? 4096 : no_tag).u8(32, 0x2a).u16(39, 8);
		message.with("little").u24(5, 4096);
		expect_refused(*session, message);
	}
}

TEST_F(HostileInitiator, SendsMoreDataThanItExpectedTo)
{
	auto session = logged_in();
	Message message = session->transfer(write_flag, 1, 512);

	message.with(std::string(4096, 'x'));
	expect_refused(*session, message);
}

TEST_F(HostileInitiator, SendsHeadersThatAreNotThere)
{
	for (unsigned char words : { 1, 64, 255 }) {
		auto session = logged_in();
		expect_refused(*session, session->read_blocks(1).u8(4, words));
	}
}

TEST_F(HostileInitiator, NamesMemoryThatIsNotItsOwn)
{
	for (unsigned char flag : { read_flag, write_flag }) {
		auto session = logged_in();
		Message message = session->transfer(flag, 8, 4096);
		auto &memory = flag == read_flag ? message.read : message.write;

		memory = session->connection.remote(4096);
		memory->rmr_context ^= 0x5a5a5a;
		session->connection.send(message);
		EXPECT_TRUE(session->connection.dropped());
	}
}

TEST_F(HostileInitiator, NamesAddressesThatAreNotThere)
{
	for (unsigned char flag : { read_flag, write_flag }) {
		for (std::uint64_t address :
		     { std::uint64_t(0), ~std::uint64_t(0) - 511, std::uint64_t(4096) }) {
			auto session = logged_in();
			Message message = session->transfer(flag, 8, 4096);
			auto &memory = flag == read_flag ? message.read : message.write;

			memory = session->connection.remote(4096);
			memory->target_address = address;
			session->connection.send(message);
			EXPECT_TRUE(session->connection.dropped());
		}
	}
}

TEST_F(HostileInitiator, NamesNoMemory)
{
	for (unsigned char flag : { read_flag, write_flag }) {
		auto session = logged_in();
		expect_refused(*session, session->transfer(flag, 8, 4096));
	}
}

TEST_F(HostileInitiator, AsksForMoreThanItsMemoryHolds)
{
	/* The region has one MiB. */
	for (unsigned char flag : { read_flag, write_flag }) {
		auto session = logged_in();
		Message message = session->transfer(flag, 4096, 4096 * block_size);

		(flag == read_flag ? message.read : message.write) =
			session->connection.remote(1 << 20);
		session->connection.send(message);
		EXPECT_TRUE(session->connection.dropped());
	}
}

TEST_F(HostileInitiator, ExpectsMoreThanAnybodyHas)
{
	for (unsigned char flag : { read_flag, write_flag }) {
		for (std::uint32_t expected : { 0xffffffffU, 0x80000000U, 0x10000000U }) {
			auto session = logged_in();
			Message message = session->transfer(flag, 0xffff, expected);

			(flag == read_flag ? message.read : message.write) =
				session->connection.remote(1 << 20);
			expect_refused(*session, message);
		}
	}
}

/* MODE SELECT, of which LIO does not compare the lengths before it has the memory. */
TEST_F(HostileInitiator, WritesMoreParametersThanThereAre)
{
	for (std::uint32_t expected : { 0xfffff000U, 0x20001000U, 0x10000000U }) {
		auto session = logged_in();
		Message message = session->transfer(write_flag, 0, expected);

		message.u8(32, 0x15).u8(33, 0x10).u8(36, 24);
		message.write = session->connection.remote(1 << 20);
		expect_refused(*session, message);
	}
}

TEST_F(HostileInitiator, ExpectsOtherLengthsThanItAsksFor)
{
	for (std::uint32_t expected : { 0U, 1U, 511U, 513U, 65536U }) {
		auto session = logged_in();
		Message message = session->transfer(read_flag, 8, expected);

		message.read = session->connection.remote(1 << 20);
		session->connection.send(message);
		session->connection.receive(2s);
	}
}

TEST_F(HostileInitiator, SendsMoreCommandsThanItMay)
{
	constexpr unsigned window = 64; /* LIO's, where nobody says else */
	auto session = logged_in(512);
	const std::uint32_t first = session->command_number++;
	unsigned answered = 0;

	/* They wait for the first one; what is beyond the window is ignored. */
	for (int i = 0; i < 200; i++)
		session->connection.send(session->test_unit_ready());
	session->connection.send(session->test_unit_ready().u32(24, first));
	while (const auto answer = session->connection.receive(answered < window ? 30s : 2s))
		answered += answer->opcode() == response;
	EXPECT_EQ(answered, window);
}

TEST_F(HostileInitiator, SendsMoreThanTheTargetHasReceives)
{
	auto session = logged_in(512);

	for (int i = 0; i < 2000 && session->connection.send(
					    session->request(nop_out | immediate).u32(20, no_tag));
	     i++)
		;
	/* They wait for receives, or the connection is over. */
	EXPECT_TRUE(session->run(session->test_unit_ready()) == std::optional(0U) ||
		    session->connection.dropped());
}

TEST_F(HostileInitiator, LeavesGapsInTheOrderOfCommands)
{
	auto session = logged_in();

	for (int i = 0; i < 16; i++) {
		session->command_number += 2;
		session->connection.send(session->test_unit_ready());
	}
	EXPECT_FALSE(session->connection.receive(response, 2s).has_value());
}

/* A write brings its first burst, so that the rest is fetched, and then the gap is filled. */
TEST_F(HostileInitiator, WritesBeforeItsTurn)
{
	constexpr std::uint32_t piece = 8192, burst = 65536;
	auto session = logged_in();
	const std::uint32_t skipped = session->command_number++;
	const Message message = session->write_blocks(2 * burst / block_size)
					.u8(1, write_flag | 1)
					.with(std::string(piece, 'a'));
	const std::uint32_t tag = session->tag - 1;

	session->connection.send(message);
	for (std::uint32_t at = piece, number = 0; at < burst; at += piece, number++) {
		Message more(data_out, at + piece == burst ? final_flag : 0);
		more.u32(16, tag).u32(20, no_tag).u32(28, session->status_number);
		more.u32(36, number).u32(40, at).with(std::string(piece, 'b'));
		session->connection.send(more);
	}
	session->connection.receive(response, 2s);
	session->connection.send(session->test_unit_ready().u32(24, skipped));
	EXPECT_TRUE(session->connection.dropped(5s));
}

TEST_F(HostileInitiator, UsesATagTwice)
{
	auto session = logged_in();

	for (int i = 0; i < 16; i++) {
		session->tag = 99;
		session->connection.send(session->read_blocks(64));
	}
	session->connection.receive(2s);
}

TEST_F(HostileInitiator, SendsDataThatNobodyAskedFor)
{
	for (std::uint32_t offset : { 0U, 4096U, 0xfffff000U }) {
		auto session = logged_in();
		Message message = session->request(data_out | immediate);

		message.u32(16, 0x1234)
			.u32(20, no_tag)
			.u32(40, offset)
			.with(std::string(4096, 'x'));
		session->connection.send(message);
		session->connection.receive(2s);
	}
}

TEST_F(HostileInitiator, SendsUnsolicitedDataBeyondTheEnd)
{
	for (std::uint32_t offset : { 4096U, 8192U, 65536U, 0xfffffe00U }) {
		auto session = logged_in();
		/* Not final: data follow, of a write of 8 KiB. */
		Message message = session->write_blocks(16).u8(1, write_flag | 1);
		const std::uint32_t tag = session->tag - 1;

		message.with(std::string(4096, 'a'));
		session->connection.send(message);
		for (int i = 0; i < 3; i++) {
			Message more(data_out, i == 2 ? final_flag : 0);
			more.u32(16, tag).u32(20, no_tag).u32(28, session->status_number);
			more.u32(36, static_cast<std::uint32_t>(i))
				.u32(40, offset)
				.with(std::string(8000, 'b'));
			session->connection.send(more);
		}
		session->connection.receive(2s);
	}
}

TEST_F(HostileInitiator, NeverSendsTheDataItPromised)
{
	auto session = logged_in();

	session->connection.send(
		session->write_blocks(64).u8(1, write_flag | 1).with(std::string(512, 'a')));
	EXPECT_FALSE(session->connection.receive(response, 2s).has_value());
	/* LIO waits three seconds for them. */
	EXPECT_TRUE(session->connection.dropped(30s));
}

TEST_F(HostileInitiator, AnswersPingsThatWereNone)
{
	auto session = logged_in();

	session->connection.send(
		session->request(nop_out | immediate).u32(16, no_tag).u32(20, 0x4711));
	session->connection.receive(2s);
}

TEST_F(HostileInitiator, AsksForDataAgain)
{
	auto session = logged_in();

	expect_refused(*session, session->request(snack | immediate).u32(20, no_tag));
}

TEST_F(HostileInitiator, ManagesTasksThatAreNone)
{
	auto session = logged_in();

	for (unsigned char function : { 1, 2, 3, 4, 8, 0x7f }) {
		session->connection.send(
			session->request(task_management | immediate, final_flag | function)
				.u32(20, 0x4711));
		if (!session->connection.receive(task_response, 5s))
			break;
	}
}

/*
 * A write waits for its data, is aborted, and they come all the same; or they were faster.
 * Every other time they give the abort a while. It costs no place in the window of
 * commands, which has fewer than are aborted.
 */
TEST_F(HostileInitiator, AbortsWhatWaitsForItsData)
{
	constexpr std::uint32_t piece = 4096;
	constexpr int window = 64;
	auto session = logged_in();
	int aborted = 0;

	for (int i = 0; aborted <= window; i++) {
		ASSERT_LT(i, 20 * window);
		Message part = session->write_blocks(2 * piece / block_size);
		const std::uint32_t tag = session->tag - 1, number = session->command_number - 1;
		Message rest(data_out, final_flag);

		session->connection.send(part.u8(1, write_flag | 1).with(std::string(piece, 'a')));
		session->connection.send(
			session->request(task_management | immediate, final_flag | 1)
				.u32(20, tag)
				.u32(32, number));
		if (i % 2) {
			EXPECT_FALSE(session->connection.receive(task_response, 20ms).has_value());
		}
		rest.u32(16, tag).u32(20, no_tag).u32(28, session->status_number);
		session->connection.send(rest.u32(40, piece).with(std::string(piece, 'b')));

		const auto answer = session->connection.receive(task_response, 30s);
		ASSERT_TRUE(answer.has_value());
		/* It is done, or there is no such task any more. */
		EXPECT_LE(answer->u8(2), 1);
		aborted += answer->u8(2) == 0;
		ASSERT_EQ(session->run(session->test_unit_ready()), std::optional(0U)) << i;
	}
}

/*
 * Data of writes that another one's reset has aborted come, and then the connection goes. LIO
 * waits for them in two orders, if several processors took them, and so for ever; unless the
 * transport keeps the one who frees them from it.
 */
TEST_F(HostileInitiator, ResetsWhatAnotherOneWrites)
{
	constexpr std::uint32_t piece = 4096;

	for (int i = 0; i < 10; i++) {
		auto writer = logged_in();
		Session other(adapter_);
		std::vector<std::uint32_t> tags;

		other.isid = 2;
		ASSERT_EQ(other.log_in(), 0U);
		for (int n = 0; n < 8; n++) {
			Message part = writer->write_blocks(2 * piece / block_size);
			tags.push_back(writer->tag - 1);
			writer->connection.send(
				part.u8(1, write_flag | 1).with(std::string(piece, 'a')));
		}
		other.connection.send(other.request(task_management | immediate, final_flag | 5));
		for (const std::uint32_t tag : tags) {
			Message rest(data_out, final_flag);
			rest.u32(16, tag).u32(20, no_tag).u32(28, writer->status_number);
			rest.u32(40, piece).with(std::string(piece, 'b'));
			writer->connection.send(rest);
		}
		writer->connection.send(writer->request(0x1f | immediate));
		EXPECT_TRUE(writer->connection.dropped(30s));
		EXPECT_TRUE(other.connection.receive(task_response, 30s).has_value());
		EXPECT_TRUE(other.log_out());
	}
}

TEST_F(HostileInitiator, SendsTextsThatAreNone)
{
	for (std::string_view words : { "SendTargets", "=", "", "x=y", "SendTargets=None" }) {
		auto session = logged_in();
		session->connection.send(
			session->request(text | immediate).u32(20, no_tag).with(words));
		session->connection.receive(2s);
	}
	auto session = logged_in();
	session->connection.send(
		session->request(text | immediate).u32(20, no_tag).with(std::string(8192, 'z')));
	session->connection.receive(2s);
}

TEST_F(HostileInitiator, LogsOutTwice)
{
	auto session = logged_in();

	session->connection.send(session->request(logout | immediate));
	session->connection.send(session->request(logout | immediate));
	session->connection.send(session->test_unit_ready());
	EXPECT_TRUE(session->connection.dropped());
}

/* LIO would leave the session to a timer, without a connection. */
TEST_F(HostileInitiator, LogsOutItsOnlyConnection)
{
	for (unsigned char flags : { 0x81, 0x01 })
		for (unsigned char opcode : { logout | immediate, +logout }) {
			auto session = logged_in();

			session->connection.send(session->request(opcode, flags));
			EXPECT_TRUE(session->connection.dropped());
		}
}

/* Again, or beyond the window: data that came would be executed, or released twice. */
TEST_F(HostileInitiator, WritesOutOfItsTurn)
{
	for (std::uint32_t away : { 0xffffffffU, 1U, 0x100U, 0x80000000U }) {
		auto session = logged_in();

		session->run(session->test_unit_ready());
		for (int i = 0; i < 3; i++) {
			Message message = session->write_blocks(2).with(std::string(1024, 'a'));

			message.u32(24, session->command_number - 1 + away);
			session->connection.send(message);
		}
		EXPECT_TRUE(session->connection.dropped()) << away;
	}
}

TEST_F(HostileInitiator, LogsOutForNoReason)
{
	for (unsigned char reason : { 1, 2, 3, 0x7f }) {
		auto session = logged_in();
		session->connection.send(
			session->request(logout | immediate, final_flag | reason).u16(20, 77));
		session->connection.receive(2s);
	}
}

/* ---- leaving ---- */

/* Goes so far with a session, and is gone. */
void go_and_leave(Session &session, int step, DAT_CLOSE_FLAGS flags)
{
	suite::require(session.connection.connect(), "refused");
	if (step >= 1)
		session.connection.send(session.login_request(Session::keys()));
	if (step >= 2) {
		auto answer = session.connection.receive();
		suite::require(answer.has_value(), "no answer to a login");
		session.status_number = answer->u32(24) + 1;
		session.command_number = answer->u32(28);
	}
	for (int i = 0; step >= 3 && i < 8; i++)
		session.connection.send(step == 3 ? session.read_blocks(512) :
						    session.write_blocks(512));
	if (step >= 5)
		session.connection.receive(5s);
	session.connection.leave(flags);
}

TEST_F(HostileInitiator, LeavesAtEachStep)
{
	for (std::uint64_t i = 0; i < suite::scaled(20); i++) {
		for (int step = 0; step <= 5; step++) {
			for (auto flags : { DAT_CLOSE_ABRUPT_FLAG, DAT_CLOSE_GRACEFUL_FLAG }) {
				Session session(adapter_);
				go_and_leave(session, step, flags);
			}
		}
	}
}

TEST_F(HostileInitiator, TakesItsMemoryAway)
{
	for (std::uint64_t i = 0; i < suite::scaled(20); i++) {
		auto session = logged_in();
		for (int n = 0; n < 8; n++)
			session->connection.send(n % 2 ? session->read_blocks(1024) :
							 session->write_blocks(1024));
		/* Should the target be through with all of them, this one is for it. */
		const Message last = session->read_blocks(1024);
		session->connection.memory().free();
		session->connection.send(last);
		EXPECT_TRUE(session->connection.dropped());
	}
}

TEST_F(HostileInitiator, IsMany)
{
	const std::uint64_t count = suite::scaled(64);
	std::vector<std::unique_ptr<Session>> many;

	for (std::uint64_t i = 0; i < count; i++) {
		auto session = std::make_unique<Session>(adapter_, 4);
		session->isid = static_cast<std::uint16_t>(100 + i);
		if (i % 2)
			session->connection.connect();
		else
			EXPECT_EQ(session->log_in(), std::optional(0U)) << i;
		many.push_back(std::move(session));
	}
	for (std::size_t i = 0; i < many.size(); i += 2)
		EXPECT_TRUE(many[i]->run(many[i]->test_unit_ready()).has_value()) << i;
}

/* ---- at random ---- */

TEST_F(HostileInitiator, SendsWhateverComes)
{
	std::mt19937 random(4711);
	const auto any = [&random](std::uint32_t below) {
		return static_cast<std::uint32_t>(random() % below);
	};

	for (std::uint64_t i = 0; i < suite::scaled(200); i++) {
		Session session(adapter_);

		if (any(3) == 0)
			suite::require(session.connection.connect(), "refused");
		else
			suite::require(session.log_in() == 0U, "the login fails");
		for (std::uint32_t n = any(5) + 1; n > 0; n--) {
			Message message = any(2) ? session.read_blocks(any(1000)) :
						   session.write_blocks(any(1000));
			if (any(2))
				message.with(std::string(any(8000), 'r'));
			Bytes bytes = message.bytes();
			if (any(2))
				bytes[iser_size] = static_cast<unsigned char>(random());
			for (std::uint32_t hits = any(6); hits > 0; hits--)
				bytes[any(both_size)] = static_cast<unsigned char>(random());
			if (any(4) == 0)
				bytes.resize(any(static_cast<std::uint32_t>(bytes.size())));
			session.connection.send(bytes);
		}
		session.connection.receive(20ms);
	}
}

/* ---- and one that only asks ---- */

TEST_F(HostileInitiator, MayAskForTargets)
{
	Session session(adapter_);

	ASSERT_EQ(session.log_in(Session::discovery_keys()), std::optional(0U));
	session.connection.send(session.request(text | immediate)
					.u32(20, no_tag)
					.with(std::string("SendTargets=All") + '\0'));
	auto answer = session.connection.receive(text_response);
	ASSERT_TRUE(answer.has_value());
	EXPECT_NE(answer->data().find("TargetName=" + target_name()), std::string::npos)
		<< answer->data();
	EXPECT_TRUE(session.log_out());
}

} // namespace
