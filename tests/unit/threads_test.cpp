// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Many threads in the library at once, on objects of their own and on the same ones.
// What ThreadSanitizer is for (make check-thread); what can be counted is counted.

#include "fake/dat_conf.hpp"
#include "fake/session.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <barrier>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <vector>

namespace {

using fake::is_error;

using Body = std::function<void()>;

/** All of them at once, each in a thread; returns when all have ended. */
void run_together(const std::vector<Body> &bodies)
{
	std::barrier start(static_cast<std::ptrdiff_t>(bodies.size()));
	std::vector<std::jthread> threads;

	for (const Body &body : bodies)
		threads.emplace_back([&] {
			start.arrive_and_wait();
			body();
		});
}

/** So many times; others shall come in between, on few processors, too. */
Body repeat(int rounds, const std::function<void(int)> &body)
{
	return [=] {
		for (int i = 0; i < rounds; i++) {
			body(i);
			std::this_thread::yield();
		}
	};
}

/** One of these types, which also have their subtypes. */
testing::AssertionResult is_one_of(DAT_RETURN got, std::initializer_list<DAT_RETURN> types)
{
	const char *major = "?", *minor = "?";

	for (const DAT_RETURN type : types) {
		if (DAT_GET_TYPE(got) == type)
			return testing::AssertionSuccess();
	}
	dat_strerror(got, &major, &minor);
	return testing::AssertionFailure() << major << ' ' << minor;
}

constexpr int rounds = 300;
constexpr int many_rounds = 3000; /**< of what takes no time */

class Threads : public fake::Session {
protected:
	/** What was posted completes in the doorbell, without events. */
	void complete_at_once()
	{
		module.on_submit = [this] {
			module.taken.clear();
			module.take();
			for (const kdapl_sqe &entry : module.taken)
				module.complete(entry.ep, entry.op != KDAPL_OP_RECV,
						entry.op == KDAPL_OP_RECV);
		};
	}
	void use_own_objects(int round);
	DAT_CR_HANDLE request();
	void stop_module() { module.on_submit = nullptr; }

	std::uint32_t psp_id = 0;
};

/* ---- Objects of their own ---- */

void Threads::use_own_objects(int round)
{
	DAT_SRQ_ATTR attr = { 8, 1, DAT_SRQ_LW_DEFAULT };
	DAT_HANDLE zone, evd, end, window, queue, cno;
	DAT_LMR_CONTEXT registered;
	DAT_CONTEXT context;
	DAT_EP_PARAM param;
	DAT_HANDLE_TYPE type;

	ASSERT_EQ(dat_pz_create(ia, &zone), DAT_SUCCESS);
	ASSERT_EQ(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_create(ia, 4, cno, DAT_EVD_DTO_FLAG, &evd), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_create(ia, zone, evd, evd, conn_evd, nullptr, &end), DAT_SUCCESS);
	ASSERT_EQ(dat_srq_create(ia, zone, &attr, &queue), DAT_SUCCESS);
	ASSERT_EQ(dat_rmr_create(zone, &window), DAT_SUCCESS);
	const DAT_LMR_HANDLE region = make_lmr(DAT_MEM_PRIV_ALL_FLAG, zone, &registered);

	DAT_LMR_TRIPLET buffer = segment(0, 64);
	buffer.lmr_context = registered;
	EXPECT_EQ(dat_ep_post_recv(end, 1, &buffer, cookie(1), DAT_COMPLETION_DEFAULT_FLAG),
		  DAT_SUCCESS);
	EXPECT_EQ(dat_srq_post_recv(queue, 1, &buffer, cookie(2)), DAT_SUCCESS);
	context.as_64 = static_cast<DAT_UINT64>(round);
	EXPECT_EQ(dat_set_consumer_context(end, context), DAT_SUCCESS);
	EXPECT_EQ(dat_get_consumer_context(end, &context), DAT_SUCCESS);
	EXPECT_EQ(context.as_64, static_cast<DAT_UINT64>(round));
	EXPECT_EQ(dat_ep_query(end, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.pz_handle, zone);
	EXPECT_EQ(dat_get_handle_type(queue, &type), DAT_SUCCESS);
	EXPECT_EQ(type, DAT_HANDLE_TYPE_SRQ);

	EXPECT_EQ(dat_lmr_free(region), DAT_SUCCESS);
	EXPECT_EQ(dat_rmr_free(window), DAT_SUCCESS);
	EXPECT_EQ(dat_srq_free(queue), DAT_SUCCESS);
	EXPECT_EQ(dat_ep_free(end), DAT_SUCCESS);
	EXPECT_EQ(dat_evd_free(evd), DAT_SUCCESS);
	EXPECT_EQ(dat_cno_free(cno), DAT_SUCCESS);
	EXPECT_EQ(dat_pz_free(zone), DAT_SUCCESS);
}

TEST_F(Threads, EachMakesAndFreesItsOwn)
{
	const std::size_t before = module.objects();
	const Body body = repeat(rounds, [&](int round) { use_own_objects(round); });

	run_together({ body, body, body, body });
	EXPECT_EQ(module.objects(), before);
}

/* An object of another thread's is live, or it is refused. */
TEST_F(Threads, OneFreesWhatAnotherUses)
{
	std::atomic<DAT_HANDLE> shared = pz;
	const Body user = repeat(4 * rounds, [&](int) {
		DAT_PZ_PARAM param;
		const DAT_HANDLE handle = shared.load();
		const DAT_RETURN got = dat_pz_query(handle, DAT_PZ_FIELD_ALL, &param);
		EXPECT_TRUE(got == DAT_SUCCESS ||
			    is_error(got, DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ));
	});
	std::atomic<int> freed = 0;
	const Body maker = repeat(2 * rounds, [&](int) {
		DAT_HANDLE made;
		EXPECT_EQ(dat_pz_create(ia, &made), DAT_SUCCESS);
		shared.store(made);
		freed += dat_pz_free(made) == DAT_SUCCESS;
	});
	const Body rival = repeat(2 * rounds, [&](int) {
		const DAT_HANDLE handle = shared.load();
		freed += handle != pz && dat_pz_free(handle) == DAT_SUCCESS;
	});

	run_together({ user, user, maker, maker, rival });
	EXPECT_EQ(freed, 4 * rounds) << "each was freed once";
}

/* ---- One EP ---- */

TEST_F(Threads, OneEpIsPostedToAndChanged)
{
	sockaddr_in peer{};
	peer.sin_family = AF_INET;
	const DAT_EVD_HANDLE other_evd = make_evd(DAT_EVD_DTO_FLAG);
	DAT_PZ_HANDLE other_pz;
	ASSERT_EQ(dat_pz_create(ia, &other_pz), DAT_SUCCESS);
	complete_at_once();

	const Body poster = repeat(many_rounds, [&](int i) {
		DAT_LMR_TRIPLET buffer = segment(0, 64);
		EXPECT_TRUE(is_one_of(
			dat_ep_post_recv(ep, 1, &buffer, cookie(static_cast<DAT_UINT64>(i)),
					 DAT_COMPLETION_DEFAULT_FLAG),
			{ DAT_SUCCESS, DAT_PROTECTION_VIOLATION, DAT_INSUFFICIENT_RESOURCES }));
	});
	const Body changer = repeat(many_rounds, [&](int i) {
		DAT_EP_PARAM param{};
		param.pz_handle = i % 2 ? pz : other_pz;
		param.recv_evd_handle = param.request_evd_handle = i % 2 ? dto_evd : other_evd;
		param.connect_evd_handle = i % 3 ? conn_evd : DAT_HANDLE_NULL;
		param.ep_attr.max_recv_iov = 1 + i % 4;
		EXPECT_EQ(dat_ep_modify(ep,
					DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE |
						DAT_EP_FIELD_REQUEST_EVD_HANDLE |
						DAT_EP_FIELD_CONNECT_EVD_HANDLE |
						DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV,
					&param),
			  DAT_SUCCESS);
	});
	const Body reader = repeat(many_rounds, [&](int) {
		DAT_EP_PARAM param;
		DAT_BOOLEAN idle;
		DAT_COUNT count;
		ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
		EXPECT_TRUE(param.pz_handle == pz || param.pz_handle == other_pz);
		EXPECT_EQ(param.recv_evd_handle, param.request_evd_handle) << "half a change";
		EXPECT_EQ(param.pz_handle == pz, param.recv_evd_handle == dto_evd);
		EXPECT_EQ(dat_ep_get_status(ep, nullptr, &idle, &idle), DAT_SUCCESS);
		EXPECT_EQ(dat_ep_recv_query(ep, &count, nullptr), DAT_SUCCESS);
	});
	const Body marker = repeat(rounds, [&](int i) {
		EXPECT_EQ(dat_ep_set_watermark(ep, i, DAT_WATERMARK_INFINITE), DAT_SUCCESS);
	});

	/* Refused before the module is asked. */
	const Body refused = repeat(many_rounds, [&](int) {
		EXPECT_TRUE(is_one_of(dat_ep_connect(ep, reinterpret_cast<sockaddr *>(&peer), 4567,
						     0, 0, nullptr, DAT_QOS_BEST_EFFORT,
						     DAT_CONNECT_DEFAULT_FLAG),
				      { DAT_INVALID_PARAMETER, DAT_INVALID_HANDLE }));
	});

	run_together({ poster, poster, changer, reader, reader, marker, refused });
	stop_module();
}

TEST_F(Threads, OneEpIsConnectedAndReset)
{
	sockaddr_in peer{};
	peer.sin_family = AF_INET;
	peer.sin_addr.s_addr = htonl(0x0a000008);
	auto &told = module.ep(ep_id).query;
	told.local.family = told.remote.family = AF_INET;
	complete_at_once();

	const Body driver = repeat(many_rounds, [&](int) {
		const std::initializer_list<DAT_RETURN> allowed = { DAT_SUCCESS,
								    DAT_INVALID_STATE };
		EXPECT_TRUE(is_one_of(dat_ep_connect(ep, reinterpret_cast<sockaddr *>(&peer), 4567,
						     1000, 0, nullptr, DAT_QOS_BEST_EFFORT,
						     DAT_CONNECT_DEFAULT_FLAG),
				      { DAT_SUCCESS, DAT_INVALID_STATE, DAT_INVALID_HANDLE }));
		module.set_state(ep_id, DAT_EP_STATE_CONNECTED);
		EXPECT_TRUE(is_one_of(dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG), allowed));
		EXPECT_TRUE(is_one_of(dat_ep_reset(ep), allowed));
	});
	const Body changer = repeat(many_rounds, [&](int i) {
		DAT_EP_PARAM param{};
		param.connect_evd_handle = i % 2 ? conn_evd : DAT_HANDLE_NULL;
		dat_ep_modify(ep, DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param);
		param.connect_evd_handle = conn_evd;
		dat_ep_modify(ep, DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param);
	});
	const Body poster = repeat(many_rounds, [&](int i) {
		DAT_LMR_TRIPLET buffer = segment(0, 64);
		EXPECT_TRUE(is_one_of(
			dat_ep_post_send(ep, 1, &buffer, cookie(static_cast<DAT_UINT64>(i)),
					 DAT_COMPLETION_DEFAULT_FLAG),
			{ DAT_SUCCESS, DAT_INVALID_STATE, DAT_INSUFFICIENT_RESOURCES }));
	});
	const Body reader = repeat(many_rounds, [&](int) {
		DAT_EP_PARAM param;
		ASSERT_EQ(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), DAT_SUCCESS);
		/* The address is the EP's, and read without asking anybody. */
		ASSERT_NE(param.remote_ia_address_ptr, nullptr);
		EXPECT_EQ(param.remote_ia_address_ptr->sa_family, AF_INET);
		EXPECT_EQ(param.local_ia_address_ptr->sa_family, AF_INET);
	});

	run_together({ driver, changer, poster, reader, reader });
	stop_module();
}

TEST_F(Threads, OneContextIsSetAndRead)
{
	const auto body = [&](DAT_UINT64 mine) {
		return repeat(3 * rounds, [=, this](int) {
			DAT_CONTEXT context;
			context.as_64 = mine << 32 | mine;
			EXPECT_EQ(dat_set_consumer_context(ep, context), DAT_SUCCESS);
			EXPECT_EQ(dat_get_consumer_context(ep, &context), DAT_SUCCESS);
			EXPECT_EQ(context.as_64 >> 32, context.as_64 & 0xffffffff) << "two halves";
		});
	};

	run_together({ body(1), body(2), body(3) });
}

TEST_F(Threads, OneRmrIsBoundAndRead)
{
	DAT_RMR_HANDLE rmr;
	ASSERT_EQ(dat_rmr_create(pz, &rmr), DAT_SUCCESS);
	module.set_state(ep_id, DAT_EP_STATE_CONNECTED);

	const Body binder = repeat(rounds, [&](int i) {
		DAT_LMR_TRIPLET triplet = segment(0, 64 + static_cast<DAT_VLEN>(i));
		DAT_RMR_COOKIE number{};
		DAT_RMR_CONTEXT context;
		EXPECT_TRUE(
			is_one_of(fake::rmr_bind(rmr, lmr, &triplet, DAT_MEM_PRIV_REMOTE_READ_FLAG,
						 ep, number, DAT_COMPLETION_DEFAULT_FLAG, &context),
				  { DAT_SUCCESS, DAT_INSUFFICIENT_RESOURCES }));
	});
	const Body reader = repeat(rounds, [&](int) {
		DAT_RMR_PARAM param;
		ASSERT_EQ(dat_rmr_query(rmr, DAT_RMR_FIELD_ALL, &param), DAT_SUCCESS);
		EXPECT_EQ(!param.rmr_context, !param.lmr_triplet.segment_length);
	});

	run_together({ binder, binder, reader });
}

/* ---- One EVD ---- */

class OneEvd : public Threads {
protected:
	static constexpr int posters = 2;
	static constexpr int events_each = 400;

	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Threads::SetUp());
		evd = make_evd(DAT_EVD_SOFTWARE_FLAG, 8);
		ASSERT_EQ(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno), DAT_SUCCESS);
	}
	void post_all(int poster)
	{
		DAT_EVENT event{};
		event.event_number = DAT_SOFTWARE_EVENT;
		for (int i = 0; i < events_each; i++) {
			const auto number = static_cast<std::uintptr_t>(poster * events_each + i);
			event.event_data.software_event_data.pointer =
				reinterpret_cast<DAT_PVOID>(number);
			DAT_RETURN got;
			while ((got = dat_evd_post_se(evd, &event)) != DAT_SUCCESS) {
				ASSERT_TRUE(is_error(got, DAT_QUEUE_FULL));
				std::this_thread::yield();
			}
		}
	}
	void count(const DAT_EVENT &event)
	{
		const auto number = reinterpret_cast<std::uintptr_t>(
			event.event_data.software_event_data.pointer);
		ASSERT_LT(number, seen.size());
		EXPECT_EQ(seen[number]++, 0) << "event " << number << " came twice";
		total++;
	}
	bool all_came() const { return total == posters * events_each; }
	void dequeue_all()
	{
		DAT_EVENT event;
		while (!all_came()) {
			const DAT_RETURN got = dat_evd_dequeue(evd, &event);
			ASSERT_TRUE(is_one_of(got,
					      { DAT_SUCCESS, DAT_QUEUE_EMPTY, DAT_INVALID_STATE }));
			if (got == DAT_SUCCESS)
				count(event);
			else
				std::this_thread::yield();
		}
	}
	void wait_all(DAT_COUNT threshold)
	{
		DAT_EVENT event;
		DAT_COUNT more;
		while (!all_came()) {
			const DAT_RETURN got = dat_evd_wait(evd, 1000, threshold, &event, &more);
			ASSERT_TRUE(is_one_of(
				got, { DAT_SUCCESS, DAT_TIMEOUT_EXPIRED, DAT_INVALID_STATE }));
			if (got == DAT_SUCCESS)
				count(event);
		}
	}
	/** What changes the EVD, while events go through it. */
	void change(int i)
	{
		DAT_EVD_PARAM param;
		EXPECT_TRUE(is_one_of(dat_evd_resize(evd, 8 + 4 * i),
				      { DAT_SUCCESS, DAT_INVALID_STATE }));
		EXPECT_EQ(i % 2 ? dat_evd_set_unwaitable(evd) : dat_evd_clear_unwaitable(evd),
			  DAT_SUCCESS);
		EXPECT_EQ(i % 3 ? dat_evd_enable(evd) : dat_evd_disable(evd), DAT_SUCCESS);
		EXPECT_EQ(dat_evd_modify_cno(evd, i % 4 ? cno : DAT_HANDLE_NULL), DAT_SUCCESS);
		ASSERT_EQ(dat_evd_query(evd, DAT_EVD_FIELD_ALL, &param), DAT_SUCCESS);
		EXPECT_GE(param.evd_qlen, 8);
	}

	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
	std::array<std::atomic<int>, posters * events_each> seen{};
	std::atomic<int> total = 0;
};

TEST_F(OneEvd, LosesNothingWhileItChanges)
{
	const Body changer = repeat(rounds, [&](int i) { change(i); });
	const Body cno_waiter = repeat(rounds, [&](int) {
		DAT_EVD_HANDLE by;
		EXPECT_TRUE(
			is_one_of(dat_cno_wait(cno, 100, &by), { DAT_SUCCESS, DAT_QUEUE_EMPTY }));
	});

	run_together({ [&] { post_all(0); }, [&] { post_all(1); }, [&] { dequeue_all(); },
		       [&] { dequeue_all(); }, [&] { wait_all(1); }, [&] { wait_all(3); }, changer,
		       changer, cno_waiter });
	EXPECT_TRUE(all_came());
}

TEST_F(OneEvd, IsFreedWhileOthersUseIt)
{
	const auto until_gone = [](const std::function<DAT_RETURN()> &call) {
		return [=] {
			while (DAT_GET_TYPE(call()) != DAT_INVALID_HANDLE)
				;
		};
	};
	DAT_EVENT software{};
	software.event_number = DAT_SOFTWARE_EVENT;

	for (int round = 0; round < rounds / 5; round++) {
		const DAT_EVD_HANDLE mortal = make_evd(DAT_EVD_SOFTWARE_FLAG, 8);
		const std::uint32_t id = module.last_id();
		const DAT_COUNT threshold = round % 2 ? 8 : 1;
		run_together({ until_gone([&] {
				       DAT_EVENT event;
				       DAT_COUNT more;
				       const DAT_RETURN got =
					       dat_evd_wait(mortal, DAT_TIMEOUT_INFINITE, threshold,
							    &event, &more);
				       EXPECT_TRUE(is_one_of(got, { DAT_SUCCESS, DAT_ABORT,
								    DAT_INVALID_HANDLE }));
				       return got;
			       }),
			       until_gone([&] {
				       DAT_EVENT event;
				       return dat_evd_dequeue(mortal, &event);
			       }),
			       until_gone([&] { return dat_evd_post_se(mortal, &software); }),
			       until_gone([&] { return dat_evd_resize(mortal, 8); }), [&] {
				       if (threshold == 8)
					       module.wait_for_waiter(id);
				       EXPECT_EQ(dat_evd_free(mortal), DAT_SUCCESS);
			       } });
	}
}

/* ---- One CNO ---- */

struct Agent {
	std::atomic<bool> stopped = false;
	std::atomic<int> calls = 0;
	static void run(void *instance, DAT_EVD_HANDLE)
	{
		auto *agent = static_cast<Agent *>(instance);
		EXPECT_FALSE(agent->stopped) << "it runs after dat_cno_free()";
		agent->calls++;
	}
};

TEST_F(Threads, OneCnoIsFreedWhileItsAgentRuns)
{
	for (int round = 0; round < rounds / 15; round++) {
		Agent agent;
		const DAT_OS_WAIT_PROXY_AGENT proxy = { &agent, Agent::run };
		DAT_CNO_HANDLE cno;
		ASSERT_EQ(dat_cno_create(ia, proxy, &cno), DAT_SUCCESS);
		const DAT_EVD_HANDLE evd = make_evd(DAT_EVD_SOFTWARE_FLAG, 64);
		ASSERT_EQ(dat_evd_modify_cno(evd, cno), DAT_SUCCESS);
		DAT_EVENT event{};
		event.event_number = DAT_SOFTWARE_EVENT;
		const Body armer = repeat(10, [&](int) {
			DAT_CNO_PARAM param;
			EXPECT_TRUE(is_one_of(dat_cno_modify_agent(cno, proxy),
					      { DAT_SUCCESS, DAT_INVALID_HANDLE }));
			EXPECT_TRUE(is_one_of(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param),
					      { DAT_SUCCESS, DAT_INVALID_HANDLE }));
		});
		run_together({ repeat(20, [&](int) { dat_evd_post_se(evd, &event); }), armer, armer,
			       [&] {
				       EXPECT_EQ(dat_evd_modify_cno(evd, DAT_HANDLE_NULL),
						 DAT_SUCCESS);
				       EXPECT_EQ(dat_cno_free(cno), DAT_SUCCESS);
				       agent.stopped = true;
			       } });
		EXPECT_EQ(dat_evd_free(evd), DAT_SUCCESS);
	}
}

/* ---- One SRQ ---- */

TEST_F(Threads, OneSrqIsPostedToAndResized)
{
	DAT_SRQ_ATTR attr = { 64, 1, DAT_SRQ_LW_DEFAULT };
	DAT_SRQ_HANDLE srq;
	ASSERT_EQ(dat_srq_create(ia, pz, &attr, &srq), DAT_SUCCESS);
	const fake::Srq made = module.srq(module.last_id());
	module.on_submit = [&] {
		module.taken.clear();
		module.take();
		for (std::size_t i = 0; i < module.taken.size(); i++) {
			kdapl::store_release(made.status->taken, made.status->taken + 1);
			module.post_dto(dto_evd_id, ep_id, 0,
					std::uint64_t{ made.created.tag } << 32);
		}
	};
	std::atomic<int> posted = 0, reaped = 0;
	const Body poster = repeat(2 * rounds, [&](int) {
		DAT_LMR_TRIPLET buffer = segment(0, 64);
		const DAT_RETURN got = dat_srq_post_recv(srq, 1, &buffer, cookie(0));
		EXPECT_TRUE(is_one_of(got, { DAT_SUCCESS, DAT_INSUFFICIENT_RESOURCES }));
		posted += got == DAT_SUCCESS;
	});
	const Body taker = repeat(2 * rounds, [&](int) {
		DAT_EVENT event;
		reaped += dat_evd_dequeue(dto_evd, &event) == DAT_SUCCESS;
	});
	const Body resizer = repeat(rounds, [&](int i) {
		EXPECT_TRUE(
			is_one_of(dat_srq_resize(srq, 32 + i), { DAT_SUCCESS, DAT_INVALID_STATE }));
		EXPECT_TRUE(is_one_of(dat_srq_set_lw(srq, i % 16),
				      { DAT_SUCCESS, DAT_INVALID_PARAMETER }));
	});
	DAT_SRQ_PARAM param;
	const Body reader = repeat(rounds, [&](int) {
		DAT_SRQ_PARAM now;
		ASSERT_EQ(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &now), DAT_SUCCESS);
		EXPECT_LE(now.outstanding_dto_count, now.max_recv_dtos);
	});

	run_together({ poster, poster, taker, taker, resizer, reader });
	ASSERT_EQ(dat_srq_query(srq, DAT_SRQ_FIELD_ALL, &param), DAT_SUCCESS);
	EXPECT_EQ(param.outstanding_dto_count, posted - reaped);
	stop_module();
}

/* ---- One CR ---- */

DAT_CR_HANDLE Threads::request()
{
	kdapl_event arrival{};
	DAT_EVENT event;

	arrival.user = module.psp_user(psp_id);
	arrival.type = DAT_CONNECTION_REQUEST_EVENT;
	arrival.length = 1000001;
	module.post(conn_evd_id, arrival);
	EXPECT_EQ(dat_evd_dequeue(conn_evd, &event), DAT_SUCCESS);
	return event.event_data.cr_arrival_event_data.cr_handle;
}

TEST_F(Threads, OneRequestIsReadAndAnswered)
{
	DAT_PSP_HANDLE psp;
	ASSERT_EQ(dat_psp_create(ia, 4567, conn_evd, DAT_PSP_CONSUMER_FLAG, &psp), DAT_SUCCESS);
	psp_id = module.last_id();

	for (int round = 0; round < rounds / 2; round++) {
		const DAT_CR_HANDLE cr = request();
		const std::initializer_list<DAT_RETURN> allowed = { DAT_SUCCESS,
								    DAT_INVALID_HANDLE };
		const Body reader = repeat(5, [&](int) {
			DAT_CR_PARAM param;
			EXPECT_TRUE(is_one_of(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param), allowed));
		});
		run_together({ reader, reader, reader,
			       [&] { EXPECT_TRUE(is_one_of(fake::cr_reject(cr), allowed)); } });
		EXPECT_TRUE(
			is_error(fake::cr_reject(cr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR));
	}
}

/* ---- The IA ---- */

class ClosedIa : public Threads {
protected:
	void SetUp() override {} /**< each round opens */
	void begin()
	{
		ASSERT_NO_FATAL_FAILURE(Threads::SetUp());
		ASSERT_EQ(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno), DAT_SUCCESS);
		cno_id = module.last_id();
	}
	void end() { ia = DAT_HANDLE_NULL; }
	Body until_refused(const std::function<DAT_RETURN()> &call)
	{
		return [=] {
			while (DAT_GET_TYPE(call()) != DAT_INVALID_HANDLE)
				;
		};
	}
	/** Calls that go on until the IA is gone. */
	std::vector<Body> users()
	{
		return { until_refused([this] {
				 DAT_HANDLE made = DAT_HANDLE_NULL;
				 return dat_pz_create(ia, &made);
			 }),
			 until_refused([this] {
				 DAT_HANDLE made = DAT_HANDLE_NULL;
				 return dat_evd_create(ia, 4, cno, DAT_EVD_DTO_FLAG, &made);
			 }),
			 until_refused([this] {
				 DAT_LMR_TRIPLET buffer = segment(0, 64);
				 return dat_ep_post_recv(ep, 1, &buffer, cookie(1),
							 DAT_COMPLETION_DEFAULT_FLAG);
			 }),
			 until_refused([this] {
				 DAT_EP_PARAM param;
				 return dat_ep_query(ep, DAT_EP_FIELD_ALL, &param);
			 }) };
	}

	DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
	std::uint32_t cno_id = 0;
};

TEST_F(ClosedIa, EverybodyIsSentAway)
{
	for (int round = 0; round < rounds / 20; round++) {
		ASSERT_NO_FATAL_FAILURE(begin());
		std::vector<Body> bodies = users();
		bodies.push_back([this] {
			DAT_EVENT event;
			DAT_COUNT more;
			EXPECT_TRUE(is_error(
				dat_evd_wait(conn_evd, DAT_TIMEOUT_INFINITE, 1, &event, &more),
				DAT_ABORT));
		});
		bodies.push_back([this] {
			DAT_EVD_HANDLE by;
			EXPECT_EQ(dat_cno_wait(cno, DAT_TIMEOUT_INFINITE, &by), DAT_SUCCESS);
		});
		bodies.push_back([this] {
			module.wait_for_waiter(conn_evd_id);
			module.wait_for_cno_waiters(cno_id, 1);
			EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
		});
		run_together(bodies);
		end();
		EXPECT_FALSE(module.file_open);
	}
}

/* A call that makes an EP of it has it, and comes too late. */
TEST_F(ClosedIa, WhoWaitsLeavesAnEvdThatIsKept)
{
	ASSERT_NO_FATAL_FAILURE(begin());
	module.kept_evd = conn_evd_id;
	run_together({ [this] {
			      DAT_EVENT event;
			      DAT_COUNT more;
			      EXPECT_TRUE(is_error(dat_evd_wait(conn_evd, DAT_TIMEOUT_INFINITE, 1,
								&event, &more),
						   DAT_ABORT));
		      },
		       [this] {
			       module.wait_for_waiter(conn_evd_id);
			       EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
		       } });
	end();
	EXPECT_FALSE(module.file_open);
}

TEST_F(ClosedIa, OneOfTwoCloses)
{
	for (int round = 0; round < rounds / 3; round++) {
		std::atomic<int> closed = 0;
		const Body closer = [&] { closed += !dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG); };
		ASSERT_NO_FATAL_FAILURE(begin());
		run_together({ closer, closer, closer });
		end();
		EXPECT_EQ(closed, 1);
	}
}

/* What is made in time keeps the IA open; what comes late is refused. */
TEST_F(ClosedIa, GracefulCloseLosesNoObject)
{
	for (int round = 0; round < rounds; round++) {
		module.install();
		ASSERT_NO_FATAL_FAILURE(open());
		const Body maker = [&] {
			DAT_PZ_HANDLE zone;
			while (dat_pz_create(ia, &zone) == DAT_SUCCESS)
				ASSERT_EQ(dat_pz_free(zone), DAT_SUCCESS) << "it went with the IA";
		};
		const Body closer = [&] {
			DAT_RETURN got;
			while ((got = dat_ia_close(ia, DAT_CLOSE_GRACEFUL_FLAG)) != DAT_SUCCESS)
				ASSERT_TRUE(is_error(got, DAT_INVALID_STATE,
						     DAT_INVALID_STATE_IA_IN_USE));
		};
		run_together({ maker, maker, closer });
		end();
	}
}

TEST_F(ClosedIa, ItsAsyncEvdIsLentMeanwhile)
{
	for (int round = 0; round < rounds / 15; round++) {
		ASSERT_NO_FATAL_FAILURE(begin());
		fake::Module second;
		second.file = 17;
		second.install();
		DAT_IA_HANDLE other = DAT_HANDLE_NULL;
		DAT_EVD_HANDLE shared = async_evd;
		DAT_RETURN opened = DAT_SUCCESS;
		run_together({ [&] {
				      char name[] = "fake0";
				      opened = dat_ia_open(name, 4, &shared, &other);
				      EXPECT_TRUE(opened == DAT_SUCCESS ||
						  is_error(opened, DAT_INVALID_HANDLE,
							   DAT_INVALID_HANDLE_EVD_ASYNC));
			      },
			       until_refused([&] {
				       DAT_EVENT event;
				       return dat_evd_dequeue(async_evd, &event);
			       }),
			       until_refused([&] {
				       DAT_EVD_HANDLE evd;
				       return dat_ia_query(ia, &evd, 0, nullptr, 0, nullptr);
			       }),
			       [&] {
				       EXPECT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG),
						 DAT_SUCCESS);
			       } });
		end();
		if (opened == DAT_SUCCESS) {
			EXPECT_EQ(dat_ia_close(other, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
		}
		EXPECT_FALSE(second.file_open);
	}
}

/* ---- The registry ---- */

/** A provider of the test's: its IAs are objects whose first word is the table. */
struct Provider {
	struct Ia {
		DAT_PROVIDER *table;
	};
	static DAT_PROVIDER table;
	static thread_local Ia opened;

	template <class... More>
	static DAT_RETURN open(const DAT_NAME_PTR, DAT_COUNT, DAT_EVD_HANDLE *, DAT_IA_HANDLE *ia,
			       More...)
	{
		opened.table = &table;
		*ia = &opened;
		return DAT_SUCCESS;
	}
	static DAT_RETURN close(DAT_IA_HANDLE, DAT_CLOSE_FLAGS) { return DAT_SUCCESS; }
	static DAT_RETURN make_pz(DAT_IA_HANDLE ia, DAT_PZ_HANDLE *pz)
	{
		*pz = ia;
		return DAT_SUCCESS;
	}
	static DAT_PROVIDER_INFO info(const char *name)
	{
		DAT_PROVIDER_INFO info{};
		std::strcpy(info.ia_name, name);
		info.dapl_version_major = DAT_VERSION_MAJOR;
		info.dapl_version_minor = DAT_VERSION_MINOR;
		info.is_thread_safe = DAT_TRUE;
		return info;
	}
};
DAT_PROVIDER Provider::table = [] {
	DAT_PROVIDER table{};

	table.ia_open_func = Provider::open;
	table.ia_close_func = Provider::close;
	table.pz_create_func = Provider::make_pz;
	return table;
}();
thread_local Provider::Ia Provider::opened;

TEST_F(Threads, OneRegistryIsChangedAndUsed)
{
	const DAT_PROVIDER_INFO steady = Provider::info("steady0");
	const fake::DatConf conf;

	/* What is not registered is not there. */
	conf.write("# nothing\n");
	conf.use();
	ASSERT_EQ(dat_registry_add_provider(&Provider::table, &steady), DAT_SUCCESS);

	const auto adder = [](const char *name) {
		return repeat(rounds, [info = Provider::info(name)](int) {
			EXPECT_TRUE(is_one_of(dat_registry_add_provider(&Provider::table, &info),
					      { DAT_SUCCESS, DAT_PROVIDER_ALREADY_REGISTERED }));
			EXPECT_TRUE(is_one_of(
				dat_registry_remove_provider(&Provider::table, &info),
				{ DAT_SUCCESS, DAT_INVALID_PARAMETER, DAT_PROVIDER_IN_USE }));
		});
	};
	const Body lister = repeat(rounds, [&](int) {
		std::array<DAT_PROVIDER_INFO, 8> infos;
		std::array<DAT_PROVIDER_INFO *, 8> pointers;
		std::set<std::string> names;
		DAT_COUNT count;
		for (std::size_t i = 0; i < infos.size(); i++)
			pointers[i] = &infos[i];
		ASSERT_EQ(dat_registry_list_providers(8, &count, pointers.data()), DAT_SUCCESS);
		for (DAT_COUNT i = 0; i < count; i++)
			names.insert(infos[static_cast<std::size_t>(i)].ia_name);
		EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
		EXPECT_TRUE(names.contains("steady0"));
	});
	const auto opener = [](const char *name, bool must) {
		return repeat(rounds, [=](int) {
			DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
			DAT_IA_HANDLE opened;
			DAT_PZ_HANDLE zone;
			std::string writable = name;
			if (dat_ia_open(writable.data(), 4, &async, &opened) != DAT_SUCCESS) {
				EXPECT_FALSE(must);
				return;
			}
			EXPECT_EQ(dat_pz_create(opened, &zone), DAT_SUCCESS);
			EXPECT_EQ(zone, opened) << "the other provider was asked";
			EXPECT_EQ(dat_ia_close(opened, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
		});
	};
	const Body own = repeat(rounds, [&](int round) { use_own_objects(round); });

	run_together({ adder("mine0"), adder("both0"), adder("both0"), lister, lister,
		       opener("steady0", true), opener("both0", false), own });
	EXPECT_EQ(dat_registry_remove_provider(&Provider::table, &steady), DAT_SUCCESS);
}

} // namespace
