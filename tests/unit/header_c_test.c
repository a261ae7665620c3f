/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The public headers as a strict C99 program uses them: this file compiles with
 * -std=c99 -pedantic-errors -Wall -Wextra -Werror.
 */
#include "header_c_test.h"

#include <dat/dat_registry.h>

static void look_at_sizes(struct c_view *view)
{
	view->event = sizeof(DAT_EVENT);
	view->ep_attr = sizeof(DAT_EP_ATTR);
	view->ep_param = sizeof(DAT_EP_PARAM);
	view->ia_attr = sizeof(DAT_IA_ATTR);
	view->provider_attr = sizeof(DAT_PROVIDER_ATTR);
	view->provider = sizeof(DAT_PROVIDER);
	view->lmr_param = sizeof(DAT_LMR_PARAM);
	view->boolean = sizeof(DAT_BOOLEAN);
	view->dat_return = sizeof(DAT_RETURN);
	view->mem_priv = sizeof(DAT_MEM_PRIV_FLAGS);
}

static void look_at_constants(struct c_view *view)
{
	static const DAT_OS_WAIT_PROXY_AGENT null_agent = { NULL, NULL };

	view->null_handle = DAT_HANDLE_NULL;
	view->async_exists = DAT_EVD_ASYNC_EXISTS;
	view->no_agent = null_agent;
	view->no_agent = DAT_OS_WAIT_PROXY_AGENT_NULL;
	view->error = DAT_CLASS_ERROR | DAT_INVALID_PARAMETER | DAT_INVALID_ARG2;
	view->read_and_write = DAT_MEM_PRIV_READ_FLAG | DAT_MEM_PRIV_WRITE_FLAG;
	view->evd_flags = DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG;
	view->forever = DAT_TIMEOUT_INFINITE;
	view->unknown = DAT_VALUE_UNKNOWN;
	view->ia_mask = DAT_IA_ALL;
}

/* The operand of sizeof is checked like a call, and not run. */
static size_t look_at_calls(void)
{
	DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	DAT_REGION_DESCRIPTION region = { NULL };
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT lmr_context;
	DAT_RMR_CONTEXT rmr_context;
	DAT_VLEN size;
	DAT_VADDR address;
	DAT_DTO_COOKIE cookie = { NULL };
	DAT_LMR_TRIPLET iov = { 0, 0, 0, 0 };
	size_t sizes[4];

	sizes[0] = sizeof(dat_ia_open("rxe0", 8, &evd, &ia));
	sizes[1] = sizeof(dat_evd_create(ia, 8, DAT_HANDLE_NULL,
					 DAT_EVD_CR_FLAG | DAT_EVD_CONNECTION_FLAG, &evd));
	sizes[2] = sizeof(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 4096, DAT_HANDLE_NULL,
					 DAT_MEM_PRIV_ALL_FLAG, &lmr, &lmr_context, &rmr_context,
					 &size, &address));
	sizes[3] = sizeof(dat_ep_post_send(DAT_HANDLE_NULL, 1, &iov, cookie,
					   DAT_COMPLETION_DEFAULT_FLAG));
	return sizes[0] & sizes[1] & sizes[2] & sizes[3];
}

void look_from_c(struct c_view *view)
{
	look_at_sizes(view);
	look_at_constants(view);
	view->call_result_size = look_at_calls();
}
