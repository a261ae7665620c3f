/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The end: connections, endpoints, queues, memory, adapter. */

#include "layer.h"
#include "report.h"

#include <stdlib.h>

typedef void per_link(struct link *link);
typedef bool of_link(struct link *link);

static void for_links(struct mp *mp, per_link *call)
{
	int rank, which;

	for (rank = 0; rank < mp->oob->ranks; rank++) {
		for (which = 0; which < CONNECTIONS; which++) {
			if (mp->peers[rank].links[which].ep != DAT_HANDLE_NULL)
				call(&mp->peers[rank].links[which]);
		}
	}
}

static bool any_link(struct mp *mp, of_link *is)
{
	int rank, which;

	for (rank = 0; rank < mp->oob->ranks; rank++) {
		for (which = 0; which < CONNECTIONS; which++) {
			if (mp->peers[rank].links[which].ep != DAT_HANDLE_NULL &&
			    is(&mp->peers[rank].links[which]))
				return true;
		}
	}
	return false;
}

void mp_free_too_early(struct mp *mp)
{
	must_refuse(dat_evd_free(mp->evd_dto), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE,
		    "dat_evd_free while endpoints feed it");
	must_refuse(dat_evd_free(mp->evd_conn), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE,
		    "dat_evd_free while a service point feeds it");
	must_refuse(dat_pz_free(mp->pz), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE,
		    "dat_pz_free while endpoints are in it");
	must_refuse(dat_ia_close(mp->ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_INVALID_STATE,
		    DAT_INVALID_STATE_IA_IN_USE, "dat_ia_close, gracefully, with all objects");
}

static void check_link(struct link *link)
{
	if (!link->greeted)
		fail("rank %d never greeted over connection %d", link->peer->rank, link->which);
	if (link->waiting.first)
		fail("messages to rank %d still wait", link->peer->rank);
}

static bool is_busy(struct link *link)
{
	return link->room < link->peer->mp->ep_attr.max_request_dtos;
}

static void disconnect_link(struct link *link)
{
	must(dat_ep_disconnect(link->ep, DAT_CLOSE_GRACEFUL_FLAG), "dat_ep_disconnect");
}

/* Posted receives come back, every one. */
static bool is_left(struct link *link)
{
	return !link->ended || link->receives > 0;
}

/* Credits that are still to be returned need not be: nobody sends any more. */
void mp_disconnect(struct mp *mp)
{
	while (any_link(mp, is_busy))
		mp_progress(mp);
	for_links(mp, check_link);
	mp->ending = true;
	mp_barrier(mp);
	for_links(mp, disconnect_link);
	while (any_link(mp, is_left))
		mp_progress(mp);
}

static void free_link(struct link *link)
{
	must(dat_ep_free(link->ep), "dat_ep_free");
	link->ep = DAT_HANDLE_NULL;
}

void mp_close(struct mp *mp)
{
	for_links(mp, free_link);
	must(dat_psp_free(mp->psp), "dat_psp_free");
	must(dat_evd_free(mp->evd_dto), "dat_evd_free of transfers");
	must(dat_evd_free(mp->evd_conn), "dat_evd_free of connections");
	region_free_all(mp);
	must(dat_pz_free(mp->pz), "dat_pz_free");
	must(dat_ia_close(mp->ia, DAT_CLOSE_GRACEFUL_FLAG), "dat_ia_close, gracefully");
	free(mp);
}
