// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The door of the kernel: service points, their requests, connecting. */

#include <linux/net.h>

#include "../cm.h"
#include "../cr.h"
#include "../kapi/kapi.h"
#include "../sp.h"
#include "env.h"

#define PORT	4711
#define DEPTH	8

/**
 * struct world - a consumer and what every test needs
 * @env: below it
 * @kia: its IA
 * @pz: PZ
 * @cr_evd: EVD for requests
 * @evd: EVD for all else
 */
struct world {
	struct env *env;
	struct kapi_ia kia;
	DAT_PZ_HANDLE pz;
	DAT_EVD_HANDLE cr_evd, evd;
};

/* Of the test that runs. */
static struct world *the;

#define EXPECT_DONE(test, call) \
	KUNIT_EXPECT_EQ(test, (DAT_RETURN)DAT_SUCCESS, call)
#define EXPECT_ERROR(test, call, type, subtype) \
	KUNIT_EXPECT_EQ(test, DAT_ERROR(type, subtype), call)
/* Whatever it says about why. */
#define EXPECT_TYPE(test, call, type) \
	KUNIT_EXPECT_EQ(test, (u32)(type), DAT_GET_TYPE(call))

static void ia_init(struct kunit *test, struct kapi_ia *kia)
{
	kia->obj.magic = KAPI_MAGIC;
	kia->obj.type = DAT_HANDLE_TYPE_IA;
	kia->obj.ia = kia;
	kia->core = the->env->ia;
	xa_init(&kia->live);
	KUNIT_ASSERT_EQ(test, kapi_word_give(&kia->obj), 0);
}

static DAT_EVD_HANDLE make_evd(struct kunit *test, struct kapi_ia *kia,
			       DAT_EVD_FLAGS flags)
{
	DAT_EVD_HANDLE evd = NULL;

	EXPECT_DONE(test, dat_evd_kcreate(kia, 8, DAT_UPCALL_DISABLE, NULL,
					  flags, &evd));
	KUNIT_ASSERT_NOT_NULL(test, evd);
	return evd;
}

static int conn_init(struct kunit *test)
{
	int ret;

	the = NULL;
	ret = env_init_kernel(test);
	if (ret)
		return ret;
	the = kunit_kzalloc(test, sizeof(*the), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, the);
	the->env = test->priv;
	ia_init(test, &the->kia);
	the->env->ia->user = the->kia.obj.word;
	the->env->ia->cr_arrives = kapi_cr_arrives;
	EXPECT_DONE(test, dat_pz_create(&the->kia, &the->pz));
	the->cr_evd = make_evd(test, &the->kia, DAT_EVD_CR_FLAG);
	the->evd = make_evd(test, &the->kia,
			    DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG);
	return 0;
}

static void conn_exit(struct kunit *test)
{
	if (the) {
		EXPECT_DONE(test, dat_evd_free(the->cr_evd));
		EXPECT_DONE(test, dat_evd_free(the->evd));
		EXPECT_DONE(test, dat_pz_free(the->pz));
		KUNIT_EXPECT_TRUE(test, xa_empty(&the->kia.live));
		KUNIT_EXPECT_EQ(test, fake_listen.num_ids, 0);
		kapi_word_take(&the->kia.obj);
		rcu_barrier();
	}
	env_exit(test);
}

/* ---- what a consumer does ---------------------------------------------------- */

static DAT_RETURN csp_at(const char *text, u16 port, DAT_CSP_HANDLE *csp)
{
	struct sockaddr_storage ss = fake_address(text, port);
	DAT_COMM comm = { .domain = ss.ss_family, .type = SOCK_STREAM };

	return dat_csp_create(&the->kia, &comm, (void *)&ss,
			      the->cr_evd, csp);
}

static DAT_CSP_HANDLE make_csp(struct kunit *test, const char *text, u16 port)
{
	DAT_CSP_HANDLE csp = NULL;

	EXPECT_DONE(test, csp_at(text, port, &csp));
	KUNIT_ASSERT_NOT_NULL(test, csp);
	return csp;
}

static DAT_PSP_HANDLE make_psp(struct kunit *test, u16 port)
{
	DAT_PSP_HANDLE psp = NULL;

	EXPECT_DONE(test, dat_psp_create(&the->kia, port, the->cr_evd,
					 DAT_PSP_CONSUMER_FLAG, &psp));
	KUNIT_ASSERT_NOT_NULL(test, psp);
	return psp;
}

static DAT_EP_HANDLE make_ep(struct kunit *test)
{
	const DAT_EP_ATTR attr = {
		.max_recv_dtos = DEPTH,
		.max_request_dtos = DEPTH,
	};
	DAT_EP_HANDLE ep = NULL;

	EXPECT_DONE(test, dat_ep_create(&the->kia, the->pz, the->evd, the->evd,
					the->evd, &attr, &ep));
	KUNIT_ASSERT_NOT_NULL(test, ep);
	return ep;
}

static DAT_EP_STATE state_of(struct kunit *test, DAT_EP_HANDLE ep)
{
	DAT_EP_STATE state = -1;

	EXPECT_DONE(test, dat_ep_get_status(ep, &state, NULL, NULL));
	return state;
}

/* The request that came to a service point, and its event. */
static DAT_CR_HANDLE next_request(struct kunit *test, DAT_HANDLE sp, u16 port)
{
	const DAT_CR_ARRIVAL_EVENT_DATA *data;
	DAT_EVENT event = {};

	EXPECT_DONE(test, dat_evd_dequeue(the->cr_evd, &event));
	data = &event.event_data.cr_arrival_event_data;
	KUNIT_EXPECT_EQ(test, (int)event.event_number,
			DAT_CONNECTION_REQUEST_EVENT);
	KUNIT_EXPECT_PTR_EQ(test, data->sp_handle.csp_handle, sp);
	KUNIT_EXPECT_EQ(test, data->conn_qual, (u64)port);
	KUNIT_ASSERT_NOT_NULL(test, data->cr_handle);
	return data->cr_handle;
}

static u16 port_of(const void *sa)
{
	return kdapl_sockaddr_port(sa);
}

/* ---- common service points --------------------------------------------------- */

static void csp_checks_arguments(struct kunit *test)
{
	struct sockaddr_storage ss = fake_address(FAKE_ADDR, PORT);
	DAT_SOCK_ADDR *at = (DAT_SOCK_ADDR *)&ss;
	DAT_COMM comm = { .domain = AF_INET, .type = SOCK_STREAM };
	DAT_CSP_HANDLE csp;

	EXPECT_ERROR(test, dat_csp_create(the->pz, &comm, at, the->cr_evd, &csp),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_IA);
	EXPECT_ERROR(test, dat_csp_create(&the->kia, NULL, at, the->cr_evd, &csp),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_csp_create(&the->kia, &comm, NULL, the->cr_evd,
					  &csp),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_ERROR(test, dat_csp_create(&the->kia, &comm, at, NULL, &csp),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
	EXPECT_ERROR(test, dat_csp_create(&the->kia, &comm, at, the->pz, &csp),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
	/* One that takes no requests. */
	EXPECT_TYPE(test, dat_csp_create(&the->kia, &comm, at, the->evd, &csp),
		    DAT_INVALID_PARAMETER);
	EXPECT_ERROR(test, dat_csp_create(&the->kia, &comm, at, the->cr_evd,
					  NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
	KUNIT_EXPECT_EQ(test, fake_listen.num_ids, 0);
}

static void csp_knows_kinds_of_sockets(struct kunit *test)
{
	static const DAT_COMM bad[] = {
		{ AF_UNIX, SOCK_STREAM, 0 },
		{ AF_INET, SOCK_DGRAM, 0 },
		{ AF_INET, SOCK_STREAM, IPPROTO_UDP },
	};
	struct sockaddr_storage ss = fake_address(FAKE_ADDR, PORT);
	DAT_COMM comm = { AF_INET, SOCK_STREAM, IPPROTO_TCP };
	DAT_SOCK_ADDR *at = (DAT_SOCK_ADDR *)&ss;
	DAT_CSP_HANDLE csp;
	unsigned int i;

	EXPECT_DONE(test, dat_csp_create(&the->kia, &comm, at, the->cr_evd,
					 &csp));
	EXPECT_DONE(test, dat_csp_free(csp));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		comm = bad[i];
		EXPECT_TYPE(test, dat_csp_create(&the->kia, &comm, at,
						 the->cr_evd, &csp),
			    DAT_COMM_NOT_SUPPORTED);
	}
	comm = (DAT_COMM){ AF_INET6, SOCK_STREAM, 0 };
	EXPECT_TYPE(test, dat_csp_create(&the->kia, &comm, at, the->cr_evd, &csp),
		    DAT_INVALID_PARAMETER);
	ss.ss_family = AF_UNIX;
	EXPECT_TYPE(test, dat_csp_create(&the->kia, &comm, at, the->cr_evd, &csp),
		    DAT_COMM_NOT_SUPPORTED);
}

static void csp_listens_on_its_address(struct kunit *test)
{
	DAT_CSP_HANDLE csp = make_csp(test, FAKE_ADDR2, PORT);
	DAT_CR_PARAM param = {};
	DAT_HANDLE_TYPE type;
	DAT_CR_HANDLE cr;

	EXPECT_DONE(test, dat_get_handle_type(csp, &type));
	KUNIT_EXPECT_EQ(test, (int)type, DAT_HANDLE_TYPE_CSP);
	KUNIT_EXPECT_EQ(test, fake_listeners(FAKE_ADDR2, PORT), 1);
	KUNIT_EXPECT_EQ(test, fake_listeners(NULL, PORT), 1);
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR, PORT));
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR2, PORT));
	cr = next_request(test, csp, PORT);
	EXPECT_DONE(test, dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, param.remote_port_qual, (u64)FAKE_PEER_PORT);
	KUNIT_EXPECT_EQ(test, port_of(param.remote_ia_address_ptr),
			FAKE_PEER_PORT);
	KUNIT_EXPECT_EQ(test, port_of(&((struct kapi_cr *)cr)->local), PORT);
	KUNIT_EXPECT_STREQ(test, (char *)param.private_data, "hello");
	KUNIT_EXPECT_NULL(test, param.local_ep_handle);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	KUNIT_EXPECT_EQ(test, fake_listen.rejects, 1);
	EXPECT_DONE(test, dat_csp_free(csp));
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR2, PORT));
}

static void csp_listens_on_all_of_a_family(struct kunit *test)
{
	DAT_CSP_HANDLE csp = make_csp(test, "0.0.0.0", PORT);

	KUNIT_EXPECT_EQ(test, fake_listeners(FAKE_ADDR, PORT), 1);
	KUNIT_EXPECT_EQ(test, fake_listeners(FAKE_ADDR2, PORT), 1);
	KUNIT_EXPECT_EQ(test, fake_listeners(NULL, PORT), 2);
	EXPECT_DONE(test, dat_csp_free(csp));
	csp = make_csp(test, "::", PORT);
	KUNIT_EXPECT_EQ(test, fake_listeners(FAKE_ADDR6, PORT), 1);
	KUNIT_EXPECT_EQ(test, fake_listeners(FAKE_LINK, PORT), 1);
	KUNIT_EXPECT_EQ(test, fake_listeners(NULL, PORT), 2);
	EXPECT_DONE(test, dat_csp_free(csp));
}

/* The adapter has more addresses than a service point can listen on. */
static void csp_listens_behind_others(struct kunit *test)
{
	DAT_CSP_HANDLE csp;

	fake_listen.more_addrs = KDAPL_SP_ADDRS;
	csp = make_csp(test, FAKE_ADDR2, PORT);
	KUNIT_EXPECT_EQ(test, fake_listeners(FAKE_ADDR2, PORT), 1);
	KUNIT_EXPECT_EQ(test, fake_listeners(NULL, PORT), 1);
	EXPECT_DONE(test, dat_csp_free(csp));
	csp = make_csp(test, "::", PORT);
	KUNIT_EXPECT_EQ(test, fake_listeners(NULL, PORT), 2);
	EXPECT_DONE(test, dat_csp_free(csp));
	csp = make_csp(test, "0.0.0.0", PORT);
	KUNIT_EXPECT_EQ(test, fake_listeners(NULL, PORT), KDAPL_SP_ADDRS);
	EXPECT_DONE(test, dat_csp_free(csp));
}

static void csp_needs_an_own_address(struct kunit *test)
{
	struct sockaddr_storage ss = fake_address(FAKE_LINK, PORT);
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&ss;
	DAT_COMM comm = { .domain = AF_INET6, .type = SOCK_STREAM };
	DAT_CSP_HANDLE csp;

	EXPECT_TYPE(test, csp_at(FAKE_PEER, PORT, &csp), DAT_INVALID_ADDRESS);
	EXPECT_TYPE(test, csp_at(FAKE_PEER, 0, &csp), DAT_INVALID_ADDRESS);
	/* A link-local one is of one link; that need not be named. */
	in6->sin6_scope_id = FAKE_SCOPE + 1;
	EXPECT_TYPE(test, dat_csp_create(&the->kia, &comm,
					 (void *)&ss, the->cr_evd,
					 &csp),
		    DAT_INVALID_ADDRESS);
	in6->sin6_scope_id = FAKE_SCOPE;
	EXPECT_DONE(test, dat_csp_create(&the->kia, &comm,
					 (void *)&ss, the->cr_evd,
					 &csp));
	EXPECT_DONE(test, dat_csp_free(csp));
	csp = make_csp(test, FAKE_LINK, PORT);
	EXPECT_DONE(test, dat_csp_free(csp));
}

/* One port has one listener on each address. */
static void csp_port_in_use(struct kunit *test)
{
	DAT_CSP_HANDLE csp = make_csp(test, FAKE_ADDR, PORT);
	DAT_CSP_HANDLE other = make_csp(test, FAKE_ADDR2, PORT);
	DAT_CSP_HANDLE none;
	DAT_PSP_HANDLE psp;

	EXPECT_TYPE(test, csp_at(FAKE_ADDR, PORT, &none), DAT_PORT_IN_USE);
	EXPECT_TYPE(test, csp_at("0.0.0.0", PORT, &none), DAT_PORT_IN_USE);
	EXPECT_TYPE(test, dat_psp_create(&the->kia, PORT, the->cr_evd,
					 DAT_PSP_CONSUMER_FLAG, &psp),
		    DAT_CONN_QUAL_IN_USE);
	EXPECT_DONE(test, dat_csp_free(csp));
	EXPECT_DONE(test, dat_csp_free(other));
	psp = make_psp(test, PORT);
	EXPECT_TYPE(test, csp_at(FAKE_ADDR, PORT, &none), DAT_PORT_IN_USE);
	EXPECT_DONE(test, dat_psp_free(psp));
	/* Somebody listens for all addresses of the machine. */
	fake_listen.bind_error = -EADDRNOTAVAIL;
	EXPECT_TYPE(test, csp_at(FAKE_ADDR, PORT, &none), DAT_PORT_IN_USE);
	fake_listen.bind_error = -EACCES;
	EXPECT_TYPE(test, csp_at(FAKE_ADDR, PORT, &none),
		    DAT_PRIVILEGES_VIOLATION);
}

static void expect_port(struct kunit *test, DAT_CSP_HANDLE csp, u16 port)
{
	DAT_CSP_PARAM param = {};

	EXPECT_DONE(test, dat_csp_query(csp, DAT_CSP_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, port_of(param.address_ptr), port);
}

static void csp_any_port(struct kunit *test)
{
	DAT_CONN_QUAL conn_qual;
	DAT_CSP_HANDLE csp;
	DAT_PSP_HANDLE psp;

	/* Free on one address, and not on the other. */
	fake_listen.busy_port = FAKE_PORT;
	csp = make_csp(test, "0.0.0.0", 0);
	expect_port(test, csp, FAKE_PORT + 1);
	KUNIT_EXPECT_EQ(test, fake_listeners(NULL, FAKE_PORT + 1), 2);
	EXPECT_DONE(test, dat_csp_free(csp));
	fake_listen.bind_error = -EADDRINUSE;
	EXPECT_TYPE(test, csp_at(FAKE_ADDR, 0, &csp), DAT_PORT_IN_USE);
	EXPECT_TYPE(test, dat_psp_create_any(&the->kia, &conn_qual, the->cr_evd,
					     DAT_PSP_CONSUMER_FLAG, &psp),
		    DAT_CONN_QUAL_UNAVAILABLE);
}

/* What a request found that came while its service point was made. */
static struct {
	DAT_RETURN ret;
	u16 port;
	DAT_CR_HANDLE cr;
} early;

static void ask_early(void)
{
	DAT_CSP_PARAM param = {};
	DAT_EVENT event = {};
	const DAT_CR_ARRIVAL_EVENT_DATA *data;

	early.ret = DAT_INTERNAL_ERROR;
	if (!fake_request(FAKE_ADDR, FAKE_PORT) ||
	    dat_evd_dequeue(the->cr_evd, &event) != DAT_SUCCESS)
		return;
	data = &event.event_data.cr_arrival_event_data;
	early.cr = data->cr_handle;
	early.ret = dat_csp_query(data->sp_handle.csp_handle,
				  DAT_CSP_FIELD_ALL, &param);
	if (early.ret == DAT_SUCCESS)
		early.port = port_of(param.address_ptr);
}

/* Before dat_csp_create() returns, who gets it can ask for the port. */
static void csp_any_port_of_an_early_request(struct kunit *test)
{
	DAT_CSP_HANDLE csp;

	memset(&early, 0, sizeof(early));
	fake_listen.leaving = ask_early;
	csp = make_csp(test, FAKE_ADDR, 0);
	KUNIT_EXPECT_TRUE(test, !fake_listen.leaving);
	EXPECT_DONE(test, early.ret);
	KUNIT_EXPECT_EQ(test, early.port, FAKE_PORT);
	if (early.cr)
		EXPECT_DONE(test, dat_cr_reject(early.cr, 0, NULL));
	expect_port(test, csp, FAKE_PORT);
	EXPECT_DONE(test, dat_csp_free(csp));
}

static void csp_query(struct kunit *test)
{
	DAT_CSP_HANDLE csp = make_csp(test, FAKE_ADDR6, PORT);
	DAT_PSP_HANDLE psp = make_psp(test, PORT + 1);
	DAT_CSP_PARAM param = {};

	EXPECT_ERROR(test, dat_csp_query(psp, 0, &param), DAT_INVALID_HANDLE,
		     DAT_INVALID_HANDLE_CSP);
	EXPECT_ERROR(test, dat_csp_query(csp, 0x10, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_csp_query(csp, 1, NULL), DAT_INVALID_PARAMETER,
		     DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_csp_query(csp, DAT_CSP_FIELD_ALL, &param));
	KUNIT_EXPECT_PTR_EQ(test, param.ia_handle, (DAT_HANDLE)&the->kia);
	KUNIT_EXPECT_PTR_EQ(test, param.evd_handle, the->cr_evd);
	KUNIT_EXPECT_EQ(test, param.comm->domain, AF_INET6);
	KUNIT_EXPECT_EQ(test, param.comm->type, (int)SOCK_STREAM);
	KUNIT_EXPECT_EQ(test, (int)param.address_ptr->sa_family, AF_INET6);
	expect_port(test, csp, PORT);
	EXPECT_ERROR(test, dat_csp_free(psp), DAT_INVALID_HANDLE,
		     DAT_INVALID_HANDLE_CSP);
	EXPECT_ERROR(test, dat_psp_free(csp), DAT_INVALID_HANDLE,
		     DAT_INVALID_HANDLE_PSP);
	EXPECT_DONE(test, dat_csp_free(csp));
	EXPECT_DONE(test, dat_psp_free(psp));
}

/* What was delivered outlives the service point. */
static void csp_free_leaves_requests(struct kunit *test)
{
	DAT_CSP_HANDLE csp = make_csp(test, FAKE_ADDR, PORT);
	DAT_EP_HANDLE ep = make_ep(test);
	DAT_CR_HANDLE cr;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	EXPECT_DONE(test, dat_csp_free(csp));
	cr = next_request(test, NULL, PORT);
	EXPECT_TYPE(test, dat_cr_accept(cr, NULL, 0, NULL), DAT_INVALID_HANDLE);
	EXPECT_DONE(test, dat_cr_accept(cr, ep, 0, NULL));
	KUNIT_EXPECT_EQ(test, fake_listen.accepts, 1);
	KUNIT_EXPECT_EQ(test, (int)state_of(test, ep),
			DAT_EP_STATE_COMPLETION_PENDING);
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* A request goes from a CSP to a PSP, and not the other way. */
static void csp_and_handoff(struct kunit *test)
{
	DAT_CSP_HANDLE csp = make_csp(test, FAKE_ADDR, PORT);
	DAT_PSP_HANDLE psp = make_psp(test, PORT + 1);
	DAT_CR_HANDLE cr;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, csp, PORT);
	EXPECT_DONE(test, dat_cr_handoff(cr, PORT + 1));
	cr = next_request(test, psp, PORT + 1);
	EXPECT_TYPE(test, dat_cr_handoff(cr, PORT), DAT_INVALID_ADDRESS);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	EXPECT_DONE(test, dat_csp_free(csp));
	EXPECT_DONE(test, dat_psp_free(psp));
}

/* ---- public and reserved ones ------------------------------------------------ */

/* They have ids that are as good as this one's. */
static void sp_handles_of_another_ia(struct kunit *test)
{
	struct kapi_ia *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct sockaddr_storage ss = fake_address(FAKE_ADDR, PORT);
	DAT_COMM comm = { .domain = AF_INET, .type = SOCK_STREAM };
	DAT_EP_HANDLE ep = make_ep(test);
	DAT_EVD_HANDLE evd;
	DAT_HANDLE none;

	KUNIT_ASSERT_NOT_NULL(test, other);
	ia_init(test, other);
	evd = make_evd(test, other, DAT_EVD_CR_FLAG);
	EXPECT_ERROR(test, dat_csp_create(&the->kia, &comm,
					  (void *)&ss, evd, &none),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
	EXPECT_ERROR(test, dat_psp_create(&the->kia, PORT, evd,
					  DAT_PSP_CONSUMER_FLAG, &none),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
	EXPECT_ERROR(test, dat_rsp_create(&the->kia, PORT, ep, evd, &none),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CR);
	EXPECT_ERROR(test, dat_rsp_create(other, PORT, ep, evd, &none),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	EXPECT_DONE(test, dat_evd_free(evd));
	EXPECT_DONE(test, dat_ep_free(ep));
	kapi_word_take(&other->obj);
}

static void accept_on_an_ep_of_another_ia(struct kunit *test)
{
	struct kapi_ia *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	DAT_PSP_HANDLE psp = make_psp(test, PORT);
	DAT_EP_HANDLE ep = NULL;
	DAT_CR_HANDLE cr;

	KUNIT_ASSERT_NOT_NULL(test, other);
	ia_init(test, other);
	EXPECT_DONE(test, dat_ep_create(other, NULL, NULL, NULL, NULL, NULL,
					&ep));
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, psp, PORT);
	EXPECT_ERROR(test, dat_cr_accept(cr, ep, 0, NULL), DAT_INVALID_HANDLE,
		     DAT_INVALID_HANDLE_EP);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_psp_free(psp));
	kapi_word_take(&other->obj);
}

/* The EVD's length is the backlog; a peer that comes too late is told at once. */
static void psp_backlog(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_psp(test, PORT);
	int i;

	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR6, PORT));
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR6, PORT));
	KUNIT_EXPECT_EQ(test, fake_listen.rejects, 1);
	EXPECT_DONE(test, dat_psp_free(psp));
	while (i--)
		EXPECT_DONE(test, dat_cr_reject(next_request(test, NULL, PORT), 0,
						NULL));
}

/* All of an IA's service points together have a limit, which a decision makes room in. */
static void psp_backlog_of_all(struct kunit *test)
{
	struct kdapl_ia *ia = the->env->ia;
	DAT_PSP_HANDLE psp = make_psp(test, PORT);
	DAT_PSP_HANDLE next = make_psp(test, PORT + 1);
	int others;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR6, PORT));
	KUNIT_EXPECT_EQ(test, atomic_read(&ia->crs), 1);
	others = atomic_xchg(&ia->crs, KDAPL_CR_MAX);
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR6, PORT));
	KUNIT_EXPECT_EQ(test, fake_listen.rejects, 1);
	/* Nor above it, where another IA has handed one over. */
	atomic_set(&ia->crs, KDAPL_CR_MAX + 1);
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR6, PORT));
	KUNIT_EXPECT_EQ(test, atomic_read(&ia->crs), KDAPL_CR_MAX + 1);
	atomic_set(&ia->crs, KDAPL_CR_MAX);
	/* What is handed over is no more than before. */
	EXPECT_DONE(test, dat_cr_handoff(next_request(test, psp, PORT), PORT + 1));
	KUNIT_EXPECT_EQ(test, atomic_read(&ia->crs), KDAPL_CR_MAX);
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR6, PORT));
	EXPECT_DONE(test, dat_cr_reject(next_request(test, next, PORT + 1), 0, NULL));
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR6, PORT));
	KUNIT_EXPECT_EQ(test, atomic_read(&ia->crs), KDAPL_CR_MAX);
	atomic_set(&ia->crs, others);
	EXPECT_DONE(test, dat_psp_free(psp));
	EXPECT_DONE(test, dat_psp_free(next));
	EXPECT_DONE(test, dat_cr_reject(next_request(test, NULL, PORT), 0, NULL));
	KUNIT_EXPECT_EQ(test, atomic_read(&ia->crs), 0);
}

/* A user has a limit over all IAs; consumers in the kernel have none. */
static void psp_backlog_of_a_user(struct kunit *test)
{
	struct kdapl_ia *ia = the->env->ia;
	unsigned long uid = __kuid_val(ia->uid);
	DAT_PSP_HANDLE psp = make_psp(test, PORT);
	DAT_PSP_HANDLE next = make_psp(test, PORT + 1);

	ia->kernel = false;
	xa_store(&kdapl_cr_users, uid, xa_mk_value(KDAPL_CR_USER_MAX), GFP_KERNEL);
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR6, PORT));
	KUNIT_EXPECT_EQ(test, fake_listen.rejects, 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&ia->crs), 0);
	xa_store(&kdapl_cr_users, uid, xa_mk_value(KDAPL_CR_USER_MAX - 1), GFP_KERNEL);
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR6, PORT));
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR6, PORT));
	/* What is handed over is no more than before. */
	EXPECT_DONE(test, dat_cr_handoff(next_request(test, psp, PORT), PORT + 1));
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR6, PORT));
	EXPECT_DONE(test, dat_cr_reject(next_request(test, next, PORT + 1), 0, NULL));
	KUNIT_EXPECT_EQ(test, xa_to_value(xa_load(&kdapl_cr_users, uid)),
			KDAPL_CR_USER_MAX - 1);
	xa_erase(&kdapl_cr_users, uid);
	/* The last one takes its user's entry along. */
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR6, PORT));
	EXPECT_DONE(test, dat_cr_reject(next_request(test, psp, PORT), 0, NULL));
	KUNIT_EXPECT_TRUE(test, xa_empty(&kdapl_cr_users));
	ia->kernel = true;
	xa_store(&kdapl_cr_users, uid, xa_mk_value(KDAPL_CR_USER_MAX), GFP_KERNEL);
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR6, PORT));
	EXPECT_DONE(test, dat_cr_reject(next_request(test, psp, PORT), 0, NULL));
	xa_erase(&kdapl_cr_users, uid);
	EXPECT_DONE(test, dat_psp_free(psp));
	EXPECT_DONE(test, dat_psp_free(next));
}

static void rsp_takes_one(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test);
	DAT_RSP_HANDLE rsp = NULL;
	DAT_CR_PARAM param = {};
	DAT_CR_HANDLE cr;

	EXPECT_DONE(test, dat_rsp_create(&the->kia, PORT, ep, the->cr_evd, &rsp));
	KUNIT_EXPECT_EQ(test, (int)state_of(test, ep), DAT_EP_STATE_RESERVED);
	KUNIT_EXPECT_EQ(test, fake_listeners(NULL, PORT), FAKE_ADDRS);
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, rsp, PORT);
	EXPECT_DONE(test, dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
	KUNIT_EXPECT_PTR_EQ(test, param.local_ep_handle, ep);
	EXPECT_TYPE(test, dat_ep_free(ep), DAT_INVALID_STATE);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	KUNIT_EXPECT_EQ(test, (int)state_of(test, ep), DAT_EP_STATE_UNCONNECTED);
	EXPECT_DONE(test, dat_rsp_free(rsp));
	EXPECT_DONE(test, dat_ep_free(ep));
}

static void psp_query(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_psp(test, PORT);
	DAT_PSP_PARAM param = {};

	EXPECT_ERROR(test, dat_psp_query(the->cr_evd, 0, &param),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PSP);
	EXPECT_ERROR(test, dat_psp_query(psp, DAT_PSP_FIELD_ALL + 1, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_psp_query(psp, DAT_PSP_FIELD_ALL, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_psp_query(psp, DAT_PSP_FIELD_ALL, &param));
	KUNIT_EXPECT_PTR_EQ(test, param.ia_handle, (DAT_HANDLE)&the->kia);
	KUNIT_EXPECT_EQ(test, param.conn_qual, PORT);
	KUNIT_EXPECT_PTR_EQ(test, param.evd_handle, the->cr_evd);
	KUNIT_EXPECT_EQ(test, (int)param.psp_flags, DAT_PSP_CONSUMER_FLAG);
	EXPECT_DONE(test, dat_psp_free(psp));
}

/* A request that comes before dat_psp_create_any() has heard of the port. */
static void psp_query_in_an_early_upcall(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_psp(test, PORT);
	DAT_PSP_PARAM param = {};

	((struct kapi_sp *)psp)->conn_qual = 0;
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	EXPECT_DONE(test, dat_psp_query(psp, DAT_PSP_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, param.conn_qual, PORT);
	EXPECT_DONE(test, dat_cr_reject(next_request(test, psp, PORT), 0, NULL));
	EXPECT_DONE(test, dat_psp_free(psp));
}

static void rsp_query(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test);
	DAT_RSP_HANDLE rsp = NULL;
	DAT_RSP_PARAM param = {};

	EXPECT_DONE(test, dat_rsp_create(&the->kia, PORT, ep, the->cr_evd, &rsp));
	EXPECT_ERROR(test, dat_rsp_query(ep, 0, &param), DAT_INVALID_HANDLE,
		     DAT_INVALID_HANDLE_RSP);
	EXPECT_ERROR(test, dat_rsp_query(rsp, DAT_RSP_FIELD_ALL + 1, &param),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_DONE(test, dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, &param));
	KUNIT_EXPECT_PTR_EQ(test, param.ia_handle, (DAT_HANDLE)&the->kia);
	KUNIT_EXPECT_EQ(test, param.conn_qual, PORT);
	KUNIT_EXPECT_PTR_EQ(test, param.evd_handle, the->cr_evd);
	KUNIT_EXPECT_PTR_EQ(test, param.ep_handle, ep);
	EXPECT_DONE(test, dat_rsp_free(rsp));
	EXPECT_DONE(test, dat_ep_free(ep));
}

/* ---- EPs that requests bring along ------------------------------------------- */

static DAT_PSP_HANDLE make_provider_psp(struct kunit *test, u16 port)
{
	DAT_PSP_PARAM param = {};
	DAT_PSP_HANDLE psp = NULL;

	EXPECT_DONE(test, dat_psp_create(&the->kia, port, the->cr_evd,
					 DAT_PSP_PROVIDER_FLAG, &psp));
	KUNIT_ASSERT_NOT_NULL(test, psp);
	EXPECT_DONE(test, dat_psp_query(psp, DAT_PSP_FIELD_ALL, &param));
	KUNIT_EXPECT_EQ(test, (int)param.psp_flags, DAT_PSP_PROVIDER_FLAG);
	return psp;
}

static DAT_EP_HANDLE brought_by(struct kunit *test, DAT_CR_HANDLE cr)
{
	DAT_CR_PARAM param = {};

	EXPECT_DONE(test, dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
	KUNIT_ASSERT_NOT_NULL(test, param.local_ep_handle);
	KUNIT_EXPECT_EQ(test, (int)state_of(test, param.local_ep_handle),
			DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
	EXPECT_ERROR(test, dat_ep_free(param.local_ep_handle), DAT_INVALID_STATE,
		     DAT_INVALID_STATE_EP_RESERVED);
	return param.local_ep_handle;
}

static bool ep_lives(u32 id)
{
	return kdapl_obj_peek(the->env->ia, id, KDAPL_OBJ_EP);
}

static u32 id_of(DAT_HANDLE handle)
{
	return ((struct kapi_obj *)handle)->id;
}

static void prepare(struct kunit *test, DAT_EP_HANDLE ep)
{
	const DAT_EP_PARAM param = {
		.pz_handle = the->pz,
		.recv_evd_handle = the->evd,
		.request_evd_handle = the->evd,
		.connect_evd_handle = the->evd,
	};

	EXPECT_DONE(test, dat_ep_modify(ep, DAT_EP_FIELD_PZ_HANDLE |
					DAT_EP_FIELD_RECV_EVD_HANDLE |
					DAT_EP_FIELD_REQUEST_EVD_HANDLE |
					DAT_EP_FIELD_CONNECT_EVD_HANDLE,
					&param));
}

static void psp_makes_ep(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_provider_psp(test, PORT);
	DAT_EP_HANDLE ep, other = make_ep(test);
	const DAT_DTO_COOKIE cookie = { .as_64 = 1 };
	DAT_CR_HANDLE cr;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, psp, PORT);
	ep = brought_by(test, cr);
	/* It has no zone yet, and no EVD; and another one will not do. */
	EXPECT_TYPE(test, dat_cr_accept(cr, NULL, 0, NULL),
		    DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_cr_accept(cr, other, 0, NULL),
		    DAT_INVALID_PARAMETER);
	KUNIT_EXPECT_PTR_EQ(test, brought_by(test, cr), ep);
	prepare(test, ep);
	EXPECT_DONE(test, dat_ep_post_recv(ep, 0, NULL, cookie,
					   DAT_COMPLETION_DEFAULT_FLAG));
	EXPECT_DONE(test, dat_cr_accept(cr, NULL, 0, NULL));
	KUNIT_EXPECT_EQ(test, (int)state_of(test, ep),
			DAT_EP_STATE_COMPLETION_PENDING);
	EXPECT_DONE(test, dat_ep_free(ep));
	EXPECT_DONE(test, dat_ep_free(other));
	EXPECT_DONE(test, dat_psp_free(psp));
}

static void psp_ep_goes_with_a_rejection(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_provider_psp(test, PORT);
	DAT_CR_HANDLE cr;
	u32 id;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	EXPECT_DONE(test, dat_psp_free(psp));
	cr = next_request(test, NULL, PORT);
	id = id_of(brought_by(test, cr));
	KUNIT_EXPECT_TRUE(test, ep_lives(id));
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	KUNIT_EXPECT_FALSE(test, ep_lives(id));
}

/* Nobody has heard of them: they go with their EVD, and so does what was made for them. */
static void requests_go_with_their_evd(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_provider_psp(test, PORT);
	DAT_CR_HANDLE cr;
	int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	EXPECT_DONE(test, dat_psp_free(psp));
	/* This one's consumer answers. */
	cr = next_request(test, NULL, PORT);
	EXPECT_DONE(test, dat_evd_free(the->cr_evd));
	KUNIT_EXPECT_EQ(test, fake_listen.rejects, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&the->env->ia->crs), 1);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	KUNIT_EXPECT_EQ(test, atomic_read(&the->env->ia->crs), 0);
	the->cr_evd = make_evd(test, &the->kia, DAT_EVD_CR_FLAG);
}

/* As a program takes events: what waits moves up later. */
static void take_as_program(struct kdapl_evd *evd, u32 n)
{
	struct kdapl_ev_head *head = evd->head.addr;

	WRITE_ONCE(head->head, head->head + n);
}

/* Where the ring has room again a request can come that waits behind others. */
static void requests_go_from_behind_a_full_ring(struct kunit *test)
{
	const struct kdapl_event event = { .type = DAT_SOFTWARE_EVENT };
	DAT_PSP_HANDLE psp = make_psp(test, PORT);
	struct kdapl_evd *evd = ((struct kapi_evd *)the->cr_evd)->evd;
	int i;

	for (i = 0; i < 12; i++)
		kdapl_evd_post(evd, &event, kdapl_evrec_alloc(the->env->ia));
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR, PORT));
	take_as_program(evd, 5);
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	KUNIT_EXPECT_EQ(test, evd->backlog_len, 5U);
	EXPECT_DONE(test, dat_psp_free(psp));
	EXPECT_DONE(test, dat_evd_free(the->cr_evd));
	KUNIT_EXPECT_EQ(test, fake_listen.rejects, 2);
	KUNIT_EXPECT_EQ(test, atomic_read(&the->env->ia->crs), 0);
	the->cr_evd = make_evd(test, &the->kia, DAT_EVD_CR_FLAG);
}

/* A message's immediate data are the peer's: they name nobody's request. */
static void requests_do_not_go_by_a_peers_word(struct kunit *test)
{
	struct kdapl_evd *evd = ((struct kapi_evd *)the->evd)->evd;
	DAT_PSP_HANDLE psp = make_psp(test, PORT);
	struct kdapl_event event = {
		.type = DAT_CONNECTION_REQUEST_EVENT,
		.status = KDAPL_EV_VALUE,
	};
	DAT_CR_HANDLE cr;
	int i;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, psp, PORT);
	event.length = id_of(cr);
	/* In the ring, and behind it. */
	for (i = 0; i < 12; i++)
		kdapl_evd_post(evd, &event, kdapl_evrec_alloc(the->env->ia));
	EXPECT_DONE(test, dat_evd_free(the->evd));
	KUNIT_EXPECT_EQ(test, fake_listen.rejects, 0);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	EXPECT_DONE(test, dat_psp_free(psp));
	the->evd = make_evd(test, &the->kia,
			    DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG);
}

/* Who gets the request gets one of his own. */
static void psp_ep_and_handoff(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_provider_psp(test, PORT);
	DAT_PSP_HANDLE other = make_provider_psp(test, PORT + 1);
	DAT_CR_HANDLE cr;
	u32 id;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, psp, PORT);
	id = id_of(brought_by(test, cr));
	EXPECT_TYPE(test, dat_cr_handoff(cr, PORT + 2), DAT_INVALID_ADDRESS);
	KUNIT_EXPECT_TRUE(test, ep_lives(id));
	EXPECT_DONE(test, dat_cr_handoff(cr, PORT + 1));
	KUNIT_EXPECT_FALSE(test, ep_lives(id));
	cr = next_request(test, other, PORT + 1);
	KUNIT_EXPECT_NE(test, id_of(brought_by(test, cr)), id);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	EXPECT_DONE(test, dat_psp_free(psp));
	EXPECT_DONE(test, dat_psp_free(other));
}

/* It is UNCONNECTED then, but still the request's. */
static void psp_ep_without_device(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_provider_psp(test, PORT);
	DAT_EP_HANDLE ep;
	DAT_CR_HANDLE cr;
	u32 id;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, psp, PORT);
	ep = brought_by(test, cr);
	id = id_of(ep);
	kdapl_cr_kill(kdapl_obj_peek(the->env->ia, id_of(cr), KDAPL_OBJ_CR));
	KUNIT_EXPECT_EQ(test, (int)state_of(test, ep), DAT_EP_STATE_UNCONNECTED);
	EXPECT_TYPE(test, dat_ep_free(ep), DAT_INVALID_STATE);
	EXPECT_TYPE(test, dat_cr_accept(cr, NULL, 0, NULL), DAT_INVALID_HANDLE);
	EXPECT_TYPE(test, dat_ep_free(ep), DAT_INVALID_STATE);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	KUNIT_EXPECT_FALSE(test, ep_lives(id));
	EXPECT_DONE(test, dat_psp_free(psp));
}

/* What somebody else does at the same time. */
static struct {
	struct work_struct work;
	DAT_CR_HANDLE cr;
	DAT_EP_HANDLE ep;
	DAT_RETURN ret;
	bool done;
	bool waits;
} other_thread;

static void accept_work(struct work_struct *work)
{
	other_thread.ret = dat_cr_accept(other_thread.cr, NULL, 0, NULL);
	WRITE_ONCE(other_thread.done, true);
}

static void free_work(struct work_struct *work)
{
	other_thread.ret = dat_ep_free(other_thread.ep);
	WRITE_ONCE(other_thread.done, true);
}

/* It goes as far as it gets. */
static bool start_other(work_func_t func, struct mutex *waits_for)
{
	other_thread.done = false;
	INIT_WORK(&other_thread.work, func);
	schedule_work(&other_thread.work);
	return env_comes_true(READ_ONCE(other_thread.done) ||
			      !list_empty(&waits_for->wait_list));
}

/* An accept that fails, because the device goes, never gave the EP away. */
static void psp_ep_while_an_accept_fails(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_provider_psp(test, PORT);
	struct kdapl_cr *core;
	DAT_EP_HANDLE ep;
	DAT_CR_HANDLE cr;
	u32 id;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, psp, PORT);
	ep = brought_by(test, cr);
	id = id_of(ep);
	core = container_of(kdapl_obj_peek(the->env->ia, id_of(cr),
					   KDAPL_OBJ_CR),
			    struct kdapl_cr, obj);
	kdapl_cr_kill(&core->obj);
	other_thread.cr = cr;
	mutex_lock(&core->mutex);
	KUNIT_EXPECT_TRUE(test, start_other(accept_work, &core->mutex));
	EXPECT_TYPE(test, dat_ep_free(ep), DAT_INVALID_STATE);
	mutex_unlock(&core->mutex);
	flush_work(&other_thread.work);
	EXPECT_TYPE(test, other_thread.ret, DAT_INVALID_HANDLE);
	KUNIT_EXPECT_TRUE(test, ep_lives(id));
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	KUNIT_EXPECT_FALSE(test, ep_lives(id));
	EXPECT_DONE(test, dat_psp_free(psp));
}

static void free_while_accepting(void)
{
	struct kapi_obj *kep = other_thread.ep;

	other_thread.waits = start_other(free_work,
					 &to_ep(kep->core)->mutex) &&
			     !READ_ONCE(other_thread.done);
}

/* The first event may come before the call returns: the EP can be freed then. */
static void psp_ep_is_freed_while_accepted(struct kunit *test)
{
	DAT_PSP_HANDLE psp = make_provider_psp(test, PORT);
	DAT_CR_HANDLE cr;
	u32 id;

	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, psp, PORT);
	other_thread.ep = brought_by(test, cr);
	id = id_of(other_thread.ep);
	prepare(test, other_thread.ep);
	fake_listen.accepting = free_while_accepting;
	EXPECT_DONE(test, dat_cr_accept(cr, NULL, 0, NULL));
	KUNIT_EXPECT_TRUE(test, other_thread.waits);
	flush_work(&other_thread.work);
	EXPECT_DONE(test, other_thread.ret);
	KUNIT_EXPECT_FALSE(test, ep_lives(id));
	EXPECT_DONE(test, dat_psp_free(psp));
}

static void rsp_makes_ep(struct kunit *test)
{
	DAT_RSP_HANDLE rsp = NULL;
	DAT_CR_HANDLE cr;

	EXPECT_DONE(test, dat_rsp_create(&the->kia, PORT, NULL, the->cr_evd,
					 &rsp));
	EXPECT_ERROR(test, dat_rsp_create(&the->kia, PORT, the->evd, the->cr_evd,
					  &rsp),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	KUNIT_EXPECT_TRUE(test, fake_request(FAKE_ADDR, PORT));
	KUNIT_EXPECT_FALSE(test, fake_request(FAKE_ADDR, PORT));
	cr = next_request(test, rsp, PORT);
	brought_by(test, cr);
	EXPECT_DONE(test, dat_cr_reject(cr, 0, NULL));
	EXPECT_DONE(test, dat_rsp_free(rsp));
}

/* ---- connecting -------------------------------------------------------------- */

static DAT_RETURN connect_to(DAT_EP_HANDLE ep, const char *text, u16 port)
{
	struct sockaddr_storage ss = fake_address(text, port);

	return dat_ep_common_connect(ep, (void *)&ss, 1000, 3, "hi");
}

static void common_connect(struct kunit *test)
{
	DAT_EP_HANDLE ep = make_ep(test);
	const struct kdapl_ep_connect *arg = &fake_cm.connect;
	struct sockaddr_storage to;

	EXPECT_DONE(test, connect_to(ep, FAKE_ADDR6, PORT));
	KUNIT_EXPECT_EQ(test, fake_cm.connects, 1);
	KUNIT_EXPECT_EQ(test, arg->conn_qual, (u64)PORT);
	KUNIT_EXPECT_EQ(test, arg->timeout_us, 1000);
	KUNIT_EXPECT_EQ(test, arg->private_data_size, 3);
	KUNIT_EXPECT_STREQ(test, (const char *)arg->private_data, "hi");
	kapi_sockaddr(&to, &arg->remote);
	KUNIT_EXPECT_EQ(test, to.ss_family, AF_INET6);
	KUNIT_EXPECT_EQ(test, (int)state_of(test, ep),
			DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
	EXPECT_TYPE(test, connect_to(ep, FAKE_ADDR6, PORT), DAT_INVALID_STATE);
	EXPECT_DONE(test, dat_ep_free(ep));
}

static void common_connect_checks(struct kunit *test)
{
	struct sockaddr_storage ss = fake_address(FAKE_ADDR, PORT);
	DAT_SOCK_ADDR *to = (DAT_SOCK_ADDR *)&ss;
	DAT_EP_HANDLE ep = make_ep(test);

	EXPECT_ERROR(test, dat_ep_common_connect(the->pz, to, 1, 0, NULL),
		     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
	EXPECT_ERROR(test, dat_ep_common_connect(ep, NULL, 1, 0, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
	EXPECT_ERROR(test, dat_ep_common_connect(ep, to, 0, 0, NULL),
		     DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
	EXPECT_TYPE(test, dat_ep_common_connect(ep, to, 1, -1, "a"),
		    DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_ep_common_connect(ep, to, 1, 1, NULL),
		    DAT_INVALID_PARAMETER);
	EXPECT_TYPE(test, dat_ep_common_connect(ep, to, 1,
						KDAPL_PRIVATE_DATA_MAX + 1, "a"),
		    DAT_INVALID_PARAMETER);
	EXPECT_ERROR(test, connect_to(ep, FAKE_ADDR, 0), DAT_INVALID_ADDRESS,
		     DAT_INVALID_ADDRESS_MALFORMED);
	ss.ss_family = AF_UNIX;
	EXPECT_ERROR(test, dat_ep_common_connect(ep, to, 1, 0, NULL),
		     DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNSUPPORTED);
	KUNIT_EXPECT_EQ(test, fake_cm.connects, 0);
	fake_cm.connect_result = -EADDRNOTAVAIL;
	EXPECT_ERROR(test, connect_to(ep, FAKE_ADDR, PORT), DAT_INVALID_ADDRESS,
		     DAT_INVALID_ADDRESS_UNREACHABLE);
	KUNIT_EXPECT_EQ(test, (int)state_of(test, ep), DAT_EP_STATE_UNCONNECTED);
	EXPECT_DONE(test, dat_ep_free(ep));
}

static struct kunit_case conn_cases[] = {
	KUNIT_CASE(csp_checks_arguments),
	KUNIT_CASE(csp_knows_kinds_of_sockets),
	KUNIT_CASE(csp_listens_on_its_address),
	KUNIT_CASE(csp_listens_on_all_of_a_family),
	KUNIT_CASE(csp_listens_behind_others),
	KUNIT_CASE(csp_needs_an_own_address),
	KUNIT_CASE(csp_port_in_use),
	KUNIT_CASE(csp_any_port),
	KUNIT_CASE(csp_any_port_of_an_early_request),
	KUNIT_CASE(csp_query),
	KUNIT_CASE(csp_free_leaves_requests),
	KUNIT_CASE(csp_and_handoff),
	KUNIT_CASE(sp_handles_of_another_ia),
	KUNIT_CASE(accept_on_an_ep_of_another_ia),
	KUNIT_CASE(psp_backlog),
	KUNIT_CASE(psp_backlog_of_all),
	KUNIT_CASE(psp_backlog_of_a_user),
	KUNIT_CASE(rsp_takes_one),
	KUNIT_CASE(psp_query),
	KUNIT_CASE(psp_query_in_an_early_upcall),
	KUNIT_CASE(rsp_query),
	KUNIT_CASE(psp_makes_ep),
	KUNIT_CASE(psp_ep_goes_with_a_rejection),
	KUNIT_CASE(requests_go_with_their_evd),
	KUNIT_CASE(requests_go_from_behind_a_full_ring),
	KUNIT_CASE(requests_do_not_go_by_a_peers_word),
	KUNIT_CASE(psp_ep_and_handoff),
	KUNIT_CASE(psp_ep_without_device),
	KUNIT_CASE(psp_ep_while_an_accept_fails),
	KUNIT_CASE(psp_ep_is_freed_while_accepted),
	KUNIT_CASE(rsp_makes_ep),
	KUNIT_CASE(common_connect),
	KUNIT_CASE(common_connect_checks),
	{}
};

static struct kunit_suite conn_suite = {
	.name = "kdapl-kernel-conn",
	.init = conn_init,
	.exit = conn_exit,
	.test_cases = conn_cases,
};

kunit_test_suite(conn_suite);
