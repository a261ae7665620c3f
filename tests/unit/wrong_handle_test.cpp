// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// Every call that takes a handle, with everything that is none: the exact error, and
// no look at memory that is not the library's (AddressSanitizer sees to that).

#include "fake/session.hpp"

#include <arpa/inet.h>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sys/mman.h>
#include <vector>

namespace {

constexpr DAT_HANDLE_TYPE kinds[] = { DAT_HANDLE_TYPE_CR,  DAT_HANDLE_TYPE_EP,	DAT_HANDLE_TYPE_EVD,
				      DAT_HANDLE_TYPE_IA,  DAT_HANDLE_TYPE_LMR, DAT_HANDLE_TYPE_PSP,
				      DAT_HANDLE_TYPE_RMR, DAT_HANDLE_TYPE_PZ,	DAT_HANDLE_TYPE_RSP,
				      DAT_HANDLE_TYPE_CNO, DAT_HANDLE_TYPE_SRQ };

/** One object of each kind. */
using Set = std::map<DAT_HANDLE_TYPE, DAT_HANDLE>;

class WrongHandle;

/** A call, and the argument of it that is wrong. */
struct Row {
	const char *name; /**< of the call, and of the argument unless it is the first */
	int kind; /**< DAT_HANDLE_TYPE that is right, or any_kind */
	bool may_be_null;
	DAT_RETURN want;
	DAT_RETURN (*call)(WrongHandle &test, DAT_HANDLE handle);
};
constexpr int any_kind = -1;

constexpr DAT_RETURN wrong(DAT_RETURN_SUBTYPE subtype)
{
	return DAT_ERROR(DAT_INVALID_HANDLE, subtype);
}

/** Objects of all kinds, live ones, freed ones and such as an IA took along. */
class WrongHandle : public fake::Session, public testing::WithParamInterface<Row> {
public:
	static std::vector<Row> ia_rows();
	static std::vector<Row> evd_rows();
	static std::vector<Row> cno_rows();
	static std::vector<Row> ep_create_rows();
	static std::vector<Row> ep_rows();
	static std::vector<Row> ep_modify_rows();
	static std::vector<Row> post_rows();
	static std::vector<Row> memory_rows();
	static std::vector<Row> listen_rows();
	static std::vector<Row> srq_rows();
	static std::vector<Row> any_rows();
	static std::vector<Row> all_rows();

protected:
	void SetUp() override
	{
		ASSERT_NO_FATAL_FAILURE(Session::SetUp());
		ASSERT_NO_FATAL_FAILURE(make(closed));
		ASSERT_EQ(dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
		ASSERT_NO_FATAL_FAILURE(open());
		ASSERT_NO_FATAL_FAILURE(make_objects());
		ASSERT_NO_FATAL_FAILURE(make(freed));
		ASSERT_NO_FATAL_FAILURE(free_all(freed));
		ASSERT_NO_FATAL_FAILURE(make(live));
	}
	void make(Set &set);
	void free_all(const Set &set);
	DAT_CR_HANDLE request(DAT_EVD_HANDLE evd, std::uint32_t evd_id, std::uint32_t psp_id);
	std::vector<DAT_HANDLE> none() const;
	void expect_refused(DAT_HANDLE handle, const std::string &what);
	void expect_all_refused();
	/** What else a call needs is right. */
	DAT_HANDLE right(DAT_HANDLE_TYPE kind) { return live.at(kind); }
	DAT_RETURN lmr_of(DAT_IA_HANDLE of, DAT_PZ_HANDLE zone, DAT_MEM_TYPE type,
			  DAT_LMR_HANDLE source);
	DAT_RETURN make_ep(DAT_IA_HANDLE of, DAT_PZ_HANDLE zone, DAT_EVD_HANDLE recv,
			   DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect);
	DAT_RETURN make_ep(DAT_IA_HANDLE of, DAT_PZ_HANDLE zone, DAT_EVD_HANDLE recv,
			   DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect, DAT_SRQ_HANDLE from);
	DAT_RETURN modify(DAT_EP_PARAM_MASK field, DAT_HANDLE handle);
	DAT_RETURN open_with(DAT_EVD_HANDLE async);
	DAT_RETURN connect(DAT_EP_HANDLE which);
	DAT_RETURN bind(DAT_RMR_HANDLE window, DAT_EP_HANDLE over);

	Set live, freed, closed;
	/* Where results go. */
	DAT_HANDLE made = DAT_HANDLE_NULL;
	DAT_EVENT event{};
	DAT_COUNT count = 0;
	DAT_CONN_QUAL qual = 0;
	DAT_HANDLE_TYPE type{};
	DAT_CONTEXT context{};
	DAT_EVENT software = [] {
		DAT_EVENT own{};
		own.event_number = DAT_SOFTWARE_EVENT;
		return own;
	}();
	DAT_EP_PARAM ep_param{};
	DAT_SRQ_ATTR srq_attr = { 8, 1, DAT_SRQ_LW_DEFAULT };
	union {
		DAT_CNO_PARAM cno;
		DAT_CR_PARAM cr;
		DAT_EVD_PARAM evd;
		DAT_LMR_PARAM lmr;
		DAT_PSP_PARAM psp;
		DAT_PZ_PARAM pz;
		DAT_RMR_PARAM rmr;
		DAT_RSP_PARAM rsp;
		DAT_SRQ_PARAM srq;
	} params{};
	DAT_LMR_TRIPLET triplet{};
	DAT_RMR_TRIPLET remote{};
	DAT_DTO_COOKIE number{};
};

/** A request as the module brings it. */
DAT_CR_HANDLE WrongHandle::request(DAT_EVD_HANDLE evd, std::uint32_t evd_id, std::uint32_t psp_id)
{
	kdapl_event arrival{};

	arrival.user = module.psp_user(psp_id);
	arrival.type = DAT_CONNECTION_REQUEST_EVENT;
	arrival.length = 1000001;
	module.post(evd_id, arrival);
	EXPECT_EQ(dat_evd_dequeue(evd, &event), DAT_SUCCESS);
	return event.event_data.cr_arrival_event_data.cr_handle;
}

void WrongHandle::make(Set &set)
{
	DAT_HANDLE zone;

	set[DAT_HANDLE_TYPE_IA] = ia;
	ASSERT_EQ(dat_pz_create(ia, &zone), DAT_SUCCESS);
	set[DAT_HANDLE_TYPE_PZ] = zone;
	set[DAT_HANDLE_TYPE_EVD] = make_evd(DAT_EVD_DEFAULT_FLAG | DAT_EVD_SOFTWARE_FLAG);
	const std::uint32_t evd_id = module.last_id();
	DAT_EVD_HANDLE evd = set[DAT_HANDLE_TYPE_EVD];
	ASSERT_EQ(make_ep(ia, zone, evd, evd, evd), DAT_SUCCESS);
	set[DAT_HANDLE_TYPE_EP] = made;
	ASSERT_EQ(lmr_of(ia, zone, DAT_MEM_TYPE_VIRTUAL, DAT_HANDLE_NULL), DAT_SUCCESS);
	set[DAT_HANDLE_TYPE_LMR] = made;
	ASSERT_EQ(dat_rmr_create(zone, &set[DAT_HANDLE_TYPE_RMR]), DAT_SUCCESS);
	ASSERT_EQ(dat_psp_create(ia, 4567, evd, DAT_PSP_CONSUMER_FLAG, &set[DAT_HANDLE_TYPE_PSP]),
		  DAT_SUCCESS);
	set[DAT_HANDLE_TYPE_CR] = request(evd, evd_id, module.last_id());
	ASSERT_EQ(dat_rsp_create(ia, 4568, DAT_HANDLE_NULL, evd, &set[DAT_HANDLE_TYPE_RSP]),
		  DAT_SUCCESS);
	ASSERT_EQ(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &set[DAT_HANDLE_TYPE_CNO]),
		  DAT_SUCCESS);
	ASSERT_EQ(dat_srq_create(ia, zone, &srq_attr, &set[DAT_HANDLE_TYPE_SRQ]), DAT_SUCCESS);
}

/** All but the IA. */
void WrongHandle::free_all(const Set &set)
{
	ASSERT_EQ(fake::cr_reject(set.at(DAT_HANDLE_TYPE_CR)), DAT_SUCCESS);
	ASSERT_EQ(dat_rsp_free(set.at(DAT_HANDLE_TYPE_RSP)), DAT_SUCCESS);
	ASSERT_EQ(dat_psp_free(set.at(DAT_HANDLE_TYPE_PSP)), DAT_SUCCESS);
	ASSERT_EQ(dat_ep_free(set.at(DAT_HANDLE_TYPE_EP)), DAT_SUCCESS);
	ASSERT_EQ(dat_srq_free(set.at(DAT_HANDLE_TYPE_SRQ)), DAT_SUCCESS);
	ASSERT_EQ(dat_rmr_free(set.at(DAT_HANDLE_TYPE_RMR)), DAT_SUCCESS);
	ASSERT_EQ(dat_lmr_free(set.at(DAT_HANDLE_TYPE_LMR)), DAT_SUCCESS);
	ASSERT_EQ(dat_evd_free(set.at(DAT_HANDLE_TYPE_EVD)), DAT_SUCCESS);
	ASSERT_EQ(dat_cno_free(set.at(DAT_HANDLE_TYPE_CNO)), DAT_SUCCESS);
	ASSERT_EQ(dat_pz_free(set.at(DAT_HANDLE_TYPE_PZ)), DAT_SUCCESS);
}

DAT_RETURN WrongHandle::lmr_of(DAT_IA_HANDLE of, DAT_PZ_HANDLE zone, DAT_MEM_TYPE type,
			       DAT_LMR_HANDLE source)
{
	DAT_REGION_DESCRIPTION region;

	if (type == DAT_MEM_TYPE_LMR)
		region.for_lmr_handle = source;
	else
		region.for_va = memory.data();
	return fake::lmr_create(of, type, region, memory.size(), zone, DAT_MEM_PRIV_ALL_FLAG,
				&made);
}

DAT_RETURN WrongHandle::make_ep(DAT_IA_HANDLE of, DAT_PZ_HANDLE zone, DAT_EVD_HANDLE recv,
				DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect)
{
	return dat_ep_create(of, zone, recv, request, connect, nullptr, &made);
}

DAT_RETURN WrongHandle::make_ep(DAT_IA_HANDLE of, DAT_PZ_HANDLE zone, DAT_EVD_HANDLE recv,
				DAT_EVD_HANDLE request, DAT_EVD_HANDLE connect, DAT_SRQ_HANDLE from)
{
	DAT_EP_ATTR attr{};

	attr.max_request_dtos = 4;
	attr.srq_soft_hw = DAT_HW_DEFAULT;
	return dat_ep_create_with_srq(of, zone, recv, request, connect, from, &attr, &made);
}

/** Another file of the module's, should that be opened after all. */
DAT_RETURN WrongHandle::open_with(DAT_EVD_HANDLE async)
{
	fake::Module second;
	char name[] = "fake0";

	second.install();
	const DAT_RETURN ret = dat_ia_open(name, 4, &async, &made);
	if (ret == DAT_SUCCESS) {
		EXPECT_EQ(dat_ia_close(made, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
	}
	return ret;
}

DAT_RETURN WrongHandle::connect(DAT_EP_HANDLE which)
{
	sockaddr_in peer{};

	peer.sin_family = AF_INET;
	peer.sin_addr.s_addr = htonl(0x0a000008);
	return dat_ep_connect(which, reinterpret_cast<DAT_IA_ADDRESS_PTR>(&peer), 4567, 1000, 0,
			      nullptr, DAT_QOS_BEST_EFFORT, DAT_CONNECT_DEFAULT_FLAG);
}

DAT_RETURN WrongHandle::bind(DAT_RMR_HANDLE window, DAT_EP_HANDLE over)
{
	DAT_RMR_COOKIE unused{};
	DAT_RMR_CONTEXT context;

	return fake::rmr_bind(window, lmr, &triplet, DAT_MEM_PRIV_NONE_FLAG, over, unused,
			      DAT_COMPLETION_DEFAULT_FLAG, &context);
}

/** Of the right EP. */
DAT_RETURN WrongHandle::modify(DAT_EP_PARAM_MASK field, DAT_HANDLE handle)
{
	ep_param.pz_handle = ep_param.recv_evd_handle = ep_param.request_evd_handle =
		ep_param.connect_evd_handle = handle;
	return dat_ep_modify(ep, field, &ep_param);
}

/* A call on the handle h, by the test t. */
#define WITH(call) []([[maybe_unused]] WrongHandle &t, DAT_HANDLE h) -> DAT_RETURN { return call; }

std::vector<Row> WrongHandle::ia_rows()
{
	constexpr int kind = DAT_HANDLE_TYPE_IA;
	constexpr DAT_RETURN want = wrong(DAT_INVALID_HANDLE_IA);

	return {
		{ "dat_ia_openv async_evd", DAT_HANDLE_TYPE_EVD, true,
		  wrong(DAT_INVALID_HANDLE_EVD_ASYNC), WITH(t.open_with(h)) },
		{ "dat_ia_query", kind, false, want,
		  WITH(dat_ia_query(h, &t.made, 0, nullptr, 0, nullptr)) },
		{ "dat_ia_close", kind, false, want,
		  WITH(dat_ia_close(h, DAT_CLOSE_GRACEFUL_FLAG)) },
		{ "dat_pz_create", kind, false, want, WITH(dat_pz_create(h, &t.made)) },
		{ "dat_lmr_sync_rdma_read", kind, false, want,
		  WITH(dat_lmr_sync_rdma_read(h, &t.triplet, 0)) },
		{ "dat_lmr_sync_rdma_write", kind, false, want,
		  WITH(dat_lmr_sync_rdma_write(h, &t.triplet, 0)) },
	};
}

std::vector<Row> WrongHandle::evd_rows()
{
	constexpr int kind = DAT_HANDLE_TYPE_EVD;
	constexpr DAT_RETURN want = wrong(DAT_INVALID_HANDLE1);

	return {
		{ "dat_evd_create", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(dat_evd_create(h, 4, DAT_HANDLE_NULL, DAT_EVD_DTO_FLAG, &t.made)) },
		{ "dat_evd_create cno", DAT_HANDLE_TYPE_CNO, true, wrong(DAT_INVALID_HANDLE_CNO),
		  WITH(dat_evd_create(t.ia, 4, h, DAT_EVD_DTO_FLAG, &t.made)) },
		{ "dat_evd_query", kind, false, want,
		  WITH(dat_evd_query(h, DAT_EVD_FIELD_ALL, &t.params.evd)) },
		{ "dat_evd_modify_cno", kind, false, want,
		  WITH(dat_evd_modify_cno(h, t.right(DAT_HANDLE_TYPE_CNO))) },
		{ "dat_evd_modify_cno cno", DAT_HANDLE_TYPE_CNO, true,
		  wrong(DAT_INVALID_HANDLE_CNO), WITH(dat_evd_modify_cno(t.dto_evd, h)) },
		{ "dat_evd_enable", kind, false, want, WITH(dat_evd_enable(h)) },
		{ "dat_evd_disable", kind, false, want, WITH(dat_evd_disable(h)) },
		{ "dat_evd_wait", kind, false, want,
		  WITH(dat_evd_wait(h, 0, 1, &t.event, &t.count)) },
		{ "dat_evd_resize", kind, false, want, WITH(dat_evd_resize(h, 16)) },
		{ "dat_evd_post_se", kind, false, want, WITH(dat_evd_post_se(h, &t.software)) },
		{ "dat_evd_dequeue", kind, false, want, WITH(dat_evd_dequeue(h, &t.event)) },
		{ "dat_evd_set_unwaitable", kind, false, want, WITH(dat_evd_set_unwaitable(h)) },
		{ "dat_evd_clear_unwaitable", kind, false, want,
		  WITH(dat_evd_clear_unwaitable(h)) },
		{ "dat_evd_free", kind, false, want, WITH(dat_evd_free(h)) },
	};
}

std::vector<Row> WrongHandle::cno_rows()
{
	constexpr int kind = DAT_HANDLE_TYPE_CNO;
	constexpr DAT_RETURN want = wrong(DAT_INVALID_HANDLE_CNO);

	return {
		{ "dat_cno_create", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(dat_cno_create(h, DAT_OS_WAIT_PROXY_AGENT_NULL, &t.made)) },
		{ "dat_cno_modify_agent", kind, false, want,
		  WITH(dat_cno_modify_agent(h, DAT_OS_WAIT_PROXY_AGENT_NULL)) },
		{ "dat_cno_query", kind, false, want,
		  WITH(dat_cno_query(h, DAT_CNO_FIELD_ALL, &t.params.cno)) },
		{ "dat_cno_wait", kind, false, want, WITH(dat_cno_wait(h, 0, &t.made)) },
		{ "dat_cno_free", kind, false, want, WITH(dat_cno_free(h)) },
	};
}

std::vector<Row> WrongHandle::ep_create_rows()
{

	return {
		{ "dat_ep_create", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(t.make_ep(h, t.pz, t.dto_evd, t.dto_evd, t.conn_evd)) },
		{ "dat_ep_create recv_evd", DAT_HANDLE_TYPE_EVD, true,
		  wrong(DAT_INVALID_HANDLE_EVD_RECV),
		  WITH(t.make_ep(t.ia, t.pz, h, t.dto_evd, t.conn_evd)) },
		{ "dat_ep_create request_evd", DAT_HANDLE_TYPE_EVD, true,
		  wrong(DAT_INVALID_HANDLE_EVD_REQUEST),
		  WITH(t.make_ep(t.ia, t.pz, t.dto_evd, h, t.conn_evd)) },
		{ "dat_ep_create connect_evd", DAT_HANDLE_TYPE_EVD, true,
		  wrong(DAT_INVALID_HANDLE_EVD_CONN),
		  WITH(t.make_ep(t.ia, t.pz, t.dto_evd, t.dto_evd, h)) },
		{ "dat_ep_create pz", DAT_HANDLE_TYPE_PZ, true, wrong(DAT_INVALID_HANDLE_PZ),
		  WITH(t.make_ep(t.ia, h, t.dto_evd, t.dto_evd, t.conn_evd)) },
		{ "dat_ep_create_with_srq", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(t.make_ep(h, t.right(DAT_HANDLE_TYPE_PZ), t.dto_evd, t.dto_evd, t.conn_evd,
				 t.right(DAT_HANDLE_TYPE_SRQ))) },
		{ "dat_ep_create_with_srq recv_evd", DAT_HANDLE_TYPE_EVD, false,
		  wrong(DAT_INVALID_HANDLE_EVD_RECV),
		  WITH(t.make_ep(t.ia, t.right(DAT_HANDLE_TYPE_PZ), h, t.dto_evd, t.conn_evd,
				 t.right(DAT_HANDLE_TYPE_SRQ))) },
		{ "dat_ep_create_with_srq request_evd", DAT_HANDLE_TYPE_EVD, true,
		  wrong(DAT_INVALID_HANDLE_EVD_REQUEST),
		  WITH(t.make_ep(t.ia, t.right(DAT_HANDLE_TYPE_PZ), t.dto_evd, h, t.conn_evd,
				 t.right(DAT_HANDLE_TYPE_SRQ))) },
		{ "dat_ep_create_with_srq connect_evd", DAT_HANDLE_TYPE_EVD, true,
		  wrong(DAT_INVALID_HANDLE_EVD_CONN),
		  WITH(t.make_ep(t.ia, t.right(DAT_HANDLE_TYPE_PZ), t.dto_evd, t.dto_evd, h,
				 t.right(DAT_HANDLE_TYPE_SRQ))) },
		{ "dat_ep_create_with_srq pz", DAT_HANDLE_TYPE_PZ, true,
		  wrong(DAT_INVALID_HANDLE_PZ),
		  WITH(t.make_ep(t.ia, h, t.dto_evd, t.dto_evd, t.conn_evd,
				 t.right(DAT_HANDLE_TYPE_SRQ))) },
		{ "dat_ep_create_with_srq srq", DAT_HANDLE_TYPE_SRQ, false,
		  wrong(DAT_INVALID_HANDLE_SRQ),
		  WITH(t.make_ep(t.ia, t.right(DAT_HANDLE_TYPE_PZ), t.dto_evd, t.dto_evd,
				 t.conn_evd, h)) },
	};
}

std::vector<Row> WrongHandle::ep_rows()
{
	constexpr int kind = DAT_HANDLE_TYPE_EP;
	constexpr DAT_RETURN want = wrong(DAT_INVALID_HANDLE_EP);

	return {
		{ "dat_ep_query", kind, false, want,
		  WITH(dat_ep_query(h, DAT_EP_FIELD_ALL, &t.ep_param)) },
		{ "dat_ep_modify", kind, false, want, WITH(dat_ep_modify(h, 0, &t.ep_param)) },
		{ "dat_ep_connect", kind, false, want, WITH(t.connect(h)) },
		{ "dat_ep_dup_connect", kind, false, wrong(DAT_INVALID_HANDLE1),
		  WITH(dat_ep_dup_connect(h, t.ep, 1000, 0, nullptr, DAT_QOS_BEST_EFFORT)) },
		{ "dat_ep_dup_connect dup_ep", kind, false, wrong(DAT_INVALID_HANDLE2),
		  WITH(dat_ep_dup_connect(t.ep, h, 1000, 0, nullptr, DAT_QOS_BEST_EFFORT)) },
		{ "dat_ep_disconnect", kind, false, want,
		  WITH(dat_ep_disconnect(h, DAT_CLOSE_ABRUPT_FLAG)) },
		{ "dat_ep_get_status", kind, false, want,
		  WITH(dat_ep_get_status(h, nullptr, nullptr, nullptr)) },
		{ "dat_ep_recv_query", kind, false, want,
		  WITH(dat_ep_recv_query(h, &t.count, nullptr)) },
		{ "dat_ep_set_watermark", kind, false, want, WITH(dat_ep_set_watermark(h, 1, 1)) },
		{ "dat_ep_reset", kind, false, want, WITH(dat_ep_reset(h)) },
		{ "dat_ep_free", kind, false, want, WITH(dat_ep_free(h)) },
	};
}

std::vector<Row> WrongHandle::ep_modify_rows()
{
	/* The page calls what is wrong in the structure an argument. */
	constexpr DAT_RETURN want = DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);

	return {
		{ "dat_ep_modify pz", DAT_HANDLE_TYPE_PZ, false, want,
		  WITH(t.modify(DAT_EP_FIELD_PZ_HANDLE, h)) },
		{ "dat_ep_modify recv_evd", DAT_HANDLE_TYPE_EVD, true, want,
		  WITH(t.modify(DAT_EP_FIELD_RECV_EVD_HANDLE, h)) },
		{ "dat_ep_modify request_evd", DAT_HANDLE_TYPE_EVD, true, want,
		  WITH(t.modify(DAT_EP_FIELD_REQUEST_EVD_HANDLE, h)) },
		{ "dat_ep_modify connect_evd", DAT_HANDLE_TYPE_EVD, true, want,
		  WITH(t.modify(DAT_EP_FIELD_CONNECT_EVD_HANDLE, h)) },
	};
}

std::vector<Row> WrongHandle::post_rows()
{
	constexpr int kind = DAT_HANDLE_TYPE_EP;
	constexpr DAT_RETURN want = wrong(DAT_INVALID_HANDLE_EP);

	return {
		{ "dat_ep_post_send", kind, false, want,
		  WITH(dat_ep_post_send(h, 0, nullptr, t.number, DAT_COMPLETION_DEFAULT_FLAG)) },
		{ "dat_ep_post_recv", kind, false, want,
		  WITH(dat_ep_post_recv(h, 0, nullptr, t.number, DAT_COMPLETION_DEFAULT_FLAG)) },
		{ "dat_ep_post_rdma_read", kind, false, want,
		  WITH(dat_ep_post_rdma_read(h, 0, nullptr, t.number, &t.remote,
					     DAT_COMPLETION_DEFAULT_FLAG)) },
		{ "dat_ep_post_rdma_write", kind, false, want,
		  WITH(dat_ep_post_rdma_write(h, 0, nullptr, t.number, &t.remote,
					      DAT_COMPLETION_DEFAULT_FLAG)) },
	};
}

std::vector<Row> WrongHandle::memory_rows()
{

	return {
		{ "dat_pz_query", DAT_HANDLE_TYPE_PZ, false, wrong(DAT_INVALID_HANDLE_PZ),
		  WITH(dat_pz_query(h, DAT_PZ_FIELD_ALL, &t.params.pz)) },
		{ "dat_pz_free", DAT_HANDLE_TYPE_PZ, false, wrong(DAT_INVALID_HANDLE_PZ),
		  WITH(dat_pz_free(h)) },
		{ "dat_lmr_create", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(t.lmr_of(h, t.pz, DAT_MEM_TYPE_VIRTUAL, DAT_HANDLE_NULL)) },
		{ "dat_lmr_create pz", DAT_HANDLE_TYPE_PZ, false, wrong(DAT_INVALID_HANDLE_PZ),
		  WITH(t.lmr_of(t.ia, h, DAT_MEM_TYPE_VIRTUAL, DAT_HANDLE_NULL)) },
		{ "dat_lmr_create region", DAT_HANDLE_TYPE_LMR, false,
		  wrong(DAT_INVALID_HANDLE_LMR), WITH(t.lmr_of(t.ia, t.pz, DAT_MEM_TYPE_LMR, h)) },
		{ "dat_lmr_query", DAT_HANDLE_TYPE_LMR, false, wrong(DAT_INVALID_HANDLE_LMR),
		  WITH(dat_lmr_query(h, DAT_LMR_FIELD_ALL, &t.params.lmr)) },
		{ "dat_lmr_free", DAT_HANDLE_TYPE_LMR, false, wrong(DAT_INVALID_HANDLE_LMR),
		  WITH(dat_lmr_free(h)) },
		{ "dat_rmr_create", DAT_HANDLE_TYPE_PZ, false, wrong(DAT_INVALID_HANDLE_PZ),
		  WITH(dat_rmr_create(h, &t.made)) },
		{ "dat_rmr_query", DAT_HANDLE_TYPE_RMR, false, wrong(DAT_INVALID_HANDLE_RMR),
		  WITH(dat_rmr_query(h, DAT_RMR_FIELD_ALL, &t.params.rmr)) },
		{ "dat_rmr_bind", DAT_HANDLE_TYPE_RMR, false, wrong(DAT_INVALID_HANDLE_RMR),
		  WITH(t.bind(h, t.ep)) },
		{ "dat_rmr_bind ep", DAT_HANDLE_TYPE_EP, false, wrong(DAT_INVALID_HANDLE_EP),
		  WITH(t.bind(t.right(DAT_HANDLE_TYPE_RMR), h)) },
		{ "dat_rmr_free", DAT_HANDLE_TYPE_RMR, false, wrong(DAT_INVALID_HANDLE_RMR),
		  WITH(dat_rmr_free(h)) },
	};
}

std::vector<Row> WrongHandle::listen_rows()
{

	return {
		{ "dat_psp_create", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(dat_psp_create(h, 4570, t.conn_evd, DAT_PSP_CONSUMER_FLAG, &t.made)) },
		{ "dat_psp_create evd", DAT_HANDLE_TYPE_EVD, false,
		  wrong(DAT_INVALID_HANDLE_EVD_CR),
		  WITH(dat_psp_create(t.ia, 4570, h, DAT_PSP_CONSUMER_FLAG, &t.made)) },
		{ "dat_psp_create_any", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(dat_psp_create_any(h, &t.qual, t.conn_evd, DAT_PSP_CONSUMER_FLAG,
					  &t.made)) },
		{ "dat_psp_create_any evd", DAT_HANDLE_TYPE_EVD, false,
		  wrong(DAT_INVALID_HANDLE_EVD_CR),
		  WITH(dat_psp_create_any(t.ia, &t.qual, h, DAT_PSP_CONSUMER_FLAG, &t.made)) },
		{ "dat_psp_query", DAT_HANDLE_TYPE_PSP, false, wrong(DAT_INVALID_HANDLE_PSP),
		  WITH(dat_psp_query(h, DAT_PSP_FIELD_ALL, &t.params.psp)) },
		{ "dat_psp_free", DAT_HANDLE_TYPE_PSP, false, wrong(DAT_INVALID_HANDLE_PSP),
		  WITH(dat_psp_free(h)) },
		{ "dat_rsp_create", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(dat_rsp_create(h, 4571, t.ep, t.conn_evd, &t.made)) },
		{ "dat_rsp_create ep", DAT_HANDLE_TYPE_EP, true, wrong(DAT_INVALID_HANDLE_EP),
		  WITH(dat_rsp_create(t.ia, 4571, h, t.conn_evd, &t.made)) },
		{ "dat_rsp_create evd", DAT_HANDLE_TYPE_EVD, false,
		  wrong(DAT_INVALID_HANDLE_EVD_CR),
		  WITH(dat_rsp_create(t.ia, 4571, t.ep, h, &t.made)) },
		{ "dat_rsp_query", DAT_HANDLE_TYPE_RSP, false, wrong(DAT_INVALID_HANDLE_RSP),
		  WITH(dat_rsp_query(h, DAT_RSP_FIELD_ALL, &t.params.rsp)) },
		{ "dat_rsp_free", DAT_HANDLE_TYPE_RSP, false, wrong(DAT_INVALID_HANDLE_RSP),
		  WITH(dat_rsp_free(h)) },
		{ "dat_cr_query", DAT_HANDLE_TYPE_CR, false, wrong(DAT_INVALID_HANDLE_CR),
		  WITH(dat_cr_query(h, DAT_CR_FIELD_ALL, &t.params.cr)) },
		{ "dat_cr_accept", DAT_HANDLE_TYPE_CR, false, wrong(DAT_INVALID_HANDLE_CR),
		  WITH(dat_cr_accept(h, t.ep, 0, nullptr)) },
		{ "dat_cr_accept ep", DAT_HANDLE_TYPE_EP, false, wrong(DAT_INVALID_HANDLE_EP),
		  WITH(dat_cr_accept(t.right(DAT_HANDLE_TYPE_CR), h, 0, nullptr)) },
		{ "dat_cr_reject", DAT_HANDLE_TYPE_CR, false, wrong(DAT_INVALID_HANDLE_CR),
		  WITH(fake::cr_reject(h)) },
		{ "dat_cr_handoff", DAT_HANDLE_TYPE_CR, false, wrong(DAT_INVALID_HANDLE_CR),
		  WITH(dat_cr_handoff(h, 4569)) },
	};
}

std::vector<Row> WrongHandle::srq_rows()
{
	constexpr int kind = DAT_HANDLE_TYPE_SRQ;
	constexpr DAT_RETURN want = wrong(DAT_INVALID_HANDLE_SRQ);

	return {
		{ "dat_srq_create", DAT_HANDLE_TYPE_IA, false, wrong(DAT_INVALID_HANDLE_IA),
		  WITH(dat_srq_create(h, t.pz, &t.srq_attr, &t.made)) },
		{ "dat_srq_create pz", DAT_HANDLE_TYPE_PZ, false, wrong(DAT_INVALID_HANDLE_PZ),
		  WITH(dat_srq_create(t.ia, h, &t.srq_attr, &t.made)) },
		{ "dat_srq_query", kind, false, want,
		  WITH(dat_srq_query(h, DAT_SRQ_FIELD_ALL, &t.params.srq)) },
		{ "dat_srq_post_recv", kind, false, want,
		  WITH(dat_srq_post_recv(h, 0, nullptr, t.number)) },
		{ "dat_srq_resize", kind, false, want, WITH(dat_srq_resize(h, 16)) },
		{ "dat_srq_set_lw", kind, false, want, WITH(dat_srq_set_lw(h, 1)) },
		{ "dat_srq_free", kind, false, want, WITH(dat_srq_free(h)) },
	};
}

std::vector<Row> WrongHandle::any_rows()
{
	constexpr DAT_RETURN want = wrong(DAT_INVALID_HANDLE1);

	return {
		{ "dat_set_consumer_context", any_kind, false, want,
		  WITH(dat_set_consumer_context(h, t.context)) },
		{ "dat_get_consumer_context", any_kind, false, want,
		  WITH(dat_get_consumer_context(h, &t.context)) },
		{ "dat_get_handle_type", any_kind, false, want,
		  WITH(dat_get_handle_type(h, &t.type)) },
	};
}

#undef WITH

std::vector<Row> WrongHandle::all_rows()
{
	std::vector<Row> all;

	for (const auto &rows :
	     { ia_rows(), evd_rows(), cno_rows(), ep_create_rows(), ep_rows(), ep_modify_rows(),
	       post_rows(), memory_rows(), listen_rows(), srq_rows(), any_rows() })
		all.insert(all.end(), rows.begin(), rows.end());
	return all;
}

void WrongHandle::expect_refused(DAT_HANDLE handle, const std::string &what)
{
	const DAT_RETURN got = GetParam().call(*this, handle);
	const char *major = "?", *minor = "?";

	dat_strerror(got, &major, &minor);
	EXPECT_EQ(got, GetParam().want) << what << ' ' << handle << ": " << major << ' ' << minor;
}

/** Addresses that were never a handle, readable and not. */
std::vector<DAT_HANDLE> WrongHandle::none() const
{
	static std::uint64_t words[4] = { 1, 2, 3, 4 };
	char *const around = static_cast<char *>(live.at(DAT_HANDLE_TYPE_EP));
	std::vector<DAT_HANDLE> all = { words, &words[1], reinterpret_cast<char *>(words) + 3 };
	std::mt19937_64 random(20261122);

	/* What programs pass by mistake: a freed block, a function, small numbers. */
	auto *freed_block = new std::uint64_t[8];
	all.push_back(freed_block);
	delete[] freed_block;
	all.push_back(reinterpret_cast<DAT_HANDLE>(&dat_ep_free));
	for (std::uintptr_t number : { 3, 8, 4095, 4096 })
		all.push_back(reinterpret_cast<DAT_HANDLE>(number));
	all.push_back(reinterpret_cast<DAT_HANDLE>(~std::uintptr_t{ 0 }));
	all.push_back(reinterpret_cast<DAT_HANDLE>(~std::uintptr_t{ 7 }));
	/* In the table, and not the word that the object goes by. */
	for (int offset = -24; offset <= 24; offset++) {
		if (offset)
			all.push_back(around + offset);
	}
	/* Between two slots' words, and far behind the slots in use. */
	for (std::size_t far = 1 << 16; far <= 1 << 26; far <<= 1)
		all.push_back(around + far + sizeof(std::uint64_t[8]));
	for (int i = 0; i < 200; i++) {
		const std::uint64_t number = random() >> random() % 32;
		all.push_back(reinterpret_cast<DAT_HANDLE>((number & ~std::uint64_t{ 7 }) | 1024));
		all.push_back(reinterpret_cast<DAT_HANDLE>(number | 1025));
	}
	return all;
}

/** Everything but the right handle. */
void WrongHandle::expect_all_refused()
{
	const Row &row = GetParam();
	constexpr std::size_t page = 4096;
	auto *mapped = static_cast<char *>(
		mmap(nullptr, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));

	ASSERT_NE(mapped, MAP_FAILED);
	ASSERT_EQ(munmap(mapped + page, page), 0);
	expect_refused(mapped, "unreadable");
	expect_refused(mapped + page, "unmapped");
	munmap(mapped, page);

	if (!row.may_be_null)
		expect_refused(DAT_HANDLE_NULL, "NULL");
	for (const DAT_HANDLE handle : none())
		expect_refused(handle, "no handle");
	for (const DAT_HANDLE_TYPE kind : kinds) {
		const std::string name = "of kind " + std::to_string(kind);
		if (row.kind != any_kind && row.kind != kind)
			expect_refused(live.at(kind), "foreign, " + name);
		if (kind != DAT_HANDLE_TYPE_IA)
			expect_refused(freed.at(kind), "freed, " + name);
		expect_refused(closed.at(kind), "of a closed IA, " + name);
	}
}

TEST_P(WrongHandle, IsRefused)
{
	expect_all_refused();
}

/* The library has to find out then whose a handle is, and reads its first word. */
TEST_P(WrongHandle, IsRefusedBesideAnotherProvider)
{
	DAT_PROVIDER other{};
	DAT_PROVIDER_INFO info{};

	other.ia_open_func = [](auto...) -> DAT_RETURN { return DAT_INTERNAL_ERROR; };
	other.ia_close_func = [](auto...) -> DAT_RETURN { return DAT_INTERNAL_ERROR; };
	std::string_view("other0").copy(info.ia_name, sizeof info.ia_name);
	info.dapl_version_major = DAT_VERSION_MAJOR;
	info.dapl_version_minor = DAT_VERSION_MINOR;
	ASSERT_EQ(dat_registry_add_provider(&other, &info), DAT_SUCCESS);
	expect_all_refused();
	EXPECT_EQ(dat_registry_remove_provider(&other, &info), DAT_SUCCESS);
}

/* Without this a call with another wrong argument would seem to be tested. */
TEST_P(WrongHandle, RightOneIsNot)
{
	const Row &row = GetParam();
	const int kind = row.kind == any_kind ? DAT_HANDLE_TYPE_IA : row.kind;

	EXPECT_NE(row.call(*this, live.at(static_cast<DAT_HANDLE_TYPE>(kind))), row.want);
}

std::string test_name(const testing::TestParamInfo<Row> &info)
{
	return std::regex_replace(info.param.name, std::regex(" "), "_of_");
}

INSTANTIATE_TEST_SUITE_P(Calls, WrongHandle, testing::ValuesIn(WrongHandle::all_rows()), test_name);

/** Names after a pattern's first group. */
std::set<std::string> exported_calls()
{
	std::ifstream map(LIBDAT_MAP);
	const std::regex regex(R"(^\s*(dat_\w+);$)");
	std::set<std::string> names;
	std::smatch match;

	for (std::string line; std::getline(map, line);) {
		if (std::regex_search(line, match, regex))
			names.insert(match[1]);
	}
	return names;
}

TEST(WrongHandles, EveryCallThatTakesOneHasARow)
{
	std::set<std::string> calls = { "dat_strerror", "dat_registry_add_provider",
					"dat_registry_list_providers",
					"dat_registry_remove_provider" };

	for (const Row &row : WrongHandle::all_rows()) {
		const std::string name = row.name;
		calls.insert(name.substr(0, name.find(' ')));
	}
	calls.insert(fake::own_calls.begin(), fake::own_calls.end());
	EXPECT_EQ(calls, exported_calls());
}

} // namespace
