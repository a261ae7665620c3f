/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The headers of uDAPL 2.0 as a strict C99 program uses them: this file compiles with
 * -std=c99 -pedantic-errors -Wall -Wextra -Werror.
 */
#include "strict_c.h"

#include <dat2/dat_registry.h>

#include <dat2/dat_ib_extensions.h>

/* Programs and providers of others say so: no header has this name. */
#define DAT_ERROR(type, subtype)	((DAT_RETURN)(DAT_CLASS_ERROR | (type) | (subtype)))

/* The operand of sizeof is checked like a call, and not run. */
size_t calls_from_c(void)
{
	DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
	DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
	DAT_CNO_HANDLE cno = DAT_HANDLE_NULL;
	DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL;
	DAT_REGION_DESCRIPTION region = { NULL };
	DAT_LMR_CONTEXT lmr_context;
	DAT_RMR_CONTEXT rmr_context;
	DAT_VLEN size;
	DAT_VADDR address;
	DAT_DTO_COOKIE cookie = { NULL };
	DAT_LMR_TRIPLET local = { 0, 0, 0 };
	DAT_RMR_TRIPLET remote = { 0, 0, 0 };
	DAT_FD fd;
	size_t sizes[9];

	sizes[0] = sizeof(dat_ia_open("rxe0", 8, &evd, &ia));
	sizes[1] = sizeof(dat_evd_create(ia, 8, cno, DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG,
					 &evd));
	sizes[2] = sizeof(dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, region, 4096, DAT_HANDLE_NULL,
					 DAT_MEM_PRIV_ALL_FLAG, DAT_VA_TYPE_VA, &lmr, &lmr_context,
					 &rmr_context, &size, &address));
	sizes[3] = sizeof(dat_rmr_bind(DAT_HANDLE_NULL, lmr, &local, DAT_MEM_PRIV_READ_FLAG,
				       DAT_VA_TYPE_VA, DAT_HANDLE_NULL, cookie,
				       DAT_COMPLETION_DEFAULT_FLAG, &rmr_context));
	sizes[4] = sizeof(dat_cno_create(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	sizes[5] = sizeof(dat_cno_fd_create(ia, &fd, &cno));
	sizes[6] = sizeof(dat_ib_post_fetch_and_add(DAT_HANDLE_NULL, 1, &local, cookie, &remote,
						    DAT_COMPLETION_DEFAULT_FLAG));
	sizes[7] = sizeof(dat_ib_post_rdma_write_immed(DAT_HANDLE_NULL, 1, &local, cookie, &remote,
						       7, DAT_COMPLETION_DEFAULT_FLAG));
	sizes[8] = sizeof(DAT_ERROR(DAT_INVALID_PARAMETER, DAT_INVALID_ARG2));
	return sizes[0] & sizes[1] & sizes[2] & sizes[3] & sizes[4] & sizes[5] & sizes[6] &
	       sizes[7] & sizes[8];
}

size_t collectives_from_c(void)
{
	DAT_HANDLE coll = DAT_HANDLE_NULL;
	DAT_IB_COLLECTIVE_MEMBER member = NULL;
	DAT_IB_COLLECTIVE_GROUP group = { 0, 0, NULL, 0, 0, NULL, NULL, NULL, 0 };
	DAT_CONTEXT context = { NULL };
	DAT_UINT32 size = 0;
	DAT_UINT64 clock = 0;
	DAT_COUNT sizes[1] = { 0 }, places[1] = { 0 };
	char out[1] = "", in[1] = "";
	const DAT_IB_COLLECTIVE_REDUCE_DATA_OP sum = DAT_IB_COLLECTIVE_REDUCE_OP_SUM;
	const DAT_IB_COLLECTIVE_DATA_TYPE type = DAT_IB_COLLECTIVE_TYPE_INT8;

	return sizeof(dat_ib_collective_create_member(coll, collectives_from_c, &member, &size)) &
	       sizeof(dat_ib_collective_free_member(coll, member)) &
	       sizeof(dat_ib_collective_create_group(&member, 1, 0, 7, &group, coll, coll,
						     context)) &
	       sizeof(dat_ib_collective_free_group(coll)) &
	       sizeof(dat_ib_collective_set_clock(coll, clock, context)) &
	       sizeof(dat_ib_collective_read_clock(coll, &clock)) &
	       sizeof(dat_ib_collective_scatter(coll, out, 1, in, 1, 0, context, 0)) &
	       sizeof(dat_ib_collective_scatterv(coll, out, sizes, places, in, 1, 0, context, 0)) &
	       sizeof(dat_ib_collective_gather(coll, out, 1, in, 1, 0, context, 0)) &
	       sizeof(dat_ib_collective_gatherv(coll, out, 1, in, sizes, places, 0, context, 0)) &
	       sizeof(dat_ib_collective_allgather(coll, out, 1, in, 1, context, 0)) &
	       sizeof(dat_ib_collective_allgatherv(coll, out, 1, in, sizes, places, context, 0)) &
	       sizeof(dat_ib_collective_alltoall(coll, out, 1, in, 1, context, 0)) &
	       sizeof(dat_ib_collective_alltoallv(coll, out, sizes, places, in, sizes, places,
						  context, 0)) &
	       sizeof(dat_ib_collective_reduce(coll, out, 1, in, 1, sum, type, 0, context, 0)) &
	       sizeof(dat_ib_collective_allreduce(coll, out, 1, in, 1, sum, type, context, 0)) &
	       sizeof(dat_ib_collective_reduce_scatter(coll, out, 1, in, sizes, sum, type,
						       context, 0)) &
	       sizeof(dat_ib_collective_scan(coll, out, 1, in, 1, sum, type, context, 0)) &
	       sizeof(dat_ib_collective_broadcast(coll, out, 1, 0, context, 0)) &
	       sizeof(dat_ib_collective_barrier(coll, context, 0));
}
