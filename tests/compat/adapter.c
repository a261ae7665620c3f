/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The adapter: found in the registry, with its queues and its service point. */

#include "layer.h"
#include "report.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADAPTERS_MAX 32
#define ASYNC_QLEN 256
#define FIRST_PORT 45178

/* What is listed need not be there; and a launcher may name the one to use. */
static bool adapter_fits(const DAT_PROVIDER_INFO *info)
{
	const char *wanted = getenv("KDAPL_DEVICE");

	if (info->dapl_version_major != 1)
		return false;
	return !wanted || strncmp(info->ia_name, wanted, strlen(wanted)) == 0;
}

static bool adapter_try(struct mp *mp, const char *name)
{
	char full[DAT_NAME_MAX_LENGTH + 16];

	/* Every other process says that it copes with relaxed ordering. */
	snprintf(full, sizeof(full), "%s%s", mp->oob->rank % 2 ? "RO_AWARE_" : "", name);
	mp->evd_async = DAT_HANDLE_NULL;
	if (tried(dat_ia_open(full, ASYNC_QLEN, &mp->evd_async, &mp->ia), "dat_ia_open"))
		return true;
	mp->counts.names_tried++;
	return false;
}

/* The list wants pointers to the caller's own structures. */
static void adapter_choose(struct mp *mp)
{
	DAT_PROVIDER_INFO *infos = calloc(ADAPTERS_MAX, sizeof(*infos));
	DAT_PROVIDER_INFO *list[ADAPTERS_MAX];
	DAT_COUNT count = 0;
	bool open;
	int i;

	for (i = 0; i < ADAPTERS_MAX; i++)
		list[i] = &infos[i];
	must(dat_registry_list_providers(ADAPTERS_MAX, &count, list),
	     "dat_registry_list_providers");
	/* As where a registry outlived the adapter. */
	open = adapter_try(mp, "OpenIB-cma-none");
	for (i = 0; i < count && !open; i++)
		open = adapter_fits(&infos[i]) && adapter_try(mp, infos[i].ia_name);
	if (!open)
		fail("none of %d adapters can be opened", (int)count);
	free(infos);
}

static DAT_COUNT at_most(DAT_COUNT wanted, DAT_COUNT limit)
{
	return wanted < limit ? wanted : limit;
}

/* Endpoints get the provider's attributes, but for the two sizes that matter. */
static void adapter_learn_attributes(struct mp *mp)
{
	DAT_EP_PARAM param;
	DAT_EP_HANDLE ep;

	must(dat_ep_create(mp->ia, mp->pz, mp->evd_dto, mp->evd_dto, mp->evd_conn, NULL, &ep),
	     "dat_ep_create without attributes");
	must(dat_ep_query(ep, DAT_EP_FIELD_ALL, &param), "dat_ep_query");
	mp->ep_attr = param.ep_attr;
	mp->ep_attr.max_recv_dtos = at_most(RECEIVES, mp->ia_attr.max_dto_per_ep);
	mp->ep_attr.max_request_dtos = at_most(REQUESTS, mp->ia_attr.max_dto_per_ep);
	must(dat_ep_free(ep), "dat_ep_free");
}

void adapter_open(struct mp *mp)
{
	adapter_choose(mp);
	must(dat_pz_create(mp->ia, &mp->pz), "dat_pz_create");
	must(dat_ia_query(mp->ia, &mp->evd_async, DAT_IA_ALL, &mp->ia_attr, 0, NULL),
	     "dat_ia_query");
	/* Other processes compare it, so every byte of it counts. */
	memcpy(&mp->address.ia, mp->ia_attr.ia_address_ptr, sizeof(mp->address.ia));
	mp->dto_qlen = at_most(256, mp->ia_attr.max_evd_qlen);
	mp->conn_qlen = at_most(2, mp->ia_attr.max_evd_qlen);
	must(dat_evd_create(mp->ia, mp->dto_qlen, DAT_HANDLE_NULL,
			    DAT_EVD_DTO_FLAG | DAT_EVD_RMR_BIND_FLAG, &mp->evd_dto),
	     "dat_evd_create for transfers");
	must(dat_evd_create(mp->ia, mp->conn_qlen, DAT_HANDLE_NULL,
			    DAT_EVD_CR_FLAG | DAT_EVD_CONNECTION_FLAG, &mp->evd_conn),
	     "dat_evd_create for connections");
	adapter_learn_attributes(mp);
}

/* Rank 0 leaves the choice to the provider; the others look for a free one. */
void adapter_listen(struct mp *mp)
{
	DAT_CONN_QUAL port = FIRST_PORT;
	DAT_RETURN result;

	if (mp->oob->rank == 0) {
		must(dat_psp_create_any(mp->ia, &port, mp->evd_conn, DAT_PSP_CONSUMER_FLAG,
					&mp->psp),
		     "dat_psp_create_any");
		mp->address.port = port;
	}
	while (mp->psp == DAT_HANDLE_NULL) {
		result = dat_psp_create(mp->ia, port, mp->evd_conn, DAT_PSP_CONSUMER_FLAG,
					&mp->psp);
		if (DAT_GET_TYPE(result) == DAT_CONN_QUAL_IN_USE) {
			mp->counts.ports_tried++;
			port++;
			continue;
		}
		must(result, "dat_psp_create");
		mp->address.port = port;
	}
	((struct sockaddr_in *)&mp->address.ia)->sin_port = htons((uint16_t)mp->address.port);
}

static void grow(DAT_EVD_HANDLE evd, DAT_COUNT qlen)
{
	DAT_EVD_PARAM param;

	must(dat_evd_query(evd, DAT_EVD_FIELD_EVD_QLEN, &param), "dat_evd_query");
	if (qlen > param.evd_qlen)
		must(dat_evd_resize(evd, qlen), "dat_evd_resize");
}

/* As often as another peer becomes known. */
void adapter_grow_queues(struct mp *mp)
{
	mp->dto_qlen += CONNECTIONS * (RECEIVES + REQUESTS);
	mp->conn_qlen += 2 * CONNECTIONS;
	grow(mp->evd_dto, at_most(mp->dto_qlen, mp->ia_attr.max_evd_qlen));
	grow(mp->evd_conn, at_most(mp->conn_qlen, mp->ia_attr.max_evd_qlen));
}
