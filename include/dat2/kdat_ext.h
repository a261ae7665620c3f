/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Beyond kDAPL 2.0: what storage targets need. The names begin with dat_ext_.
 */
#ifndef _KDAT_EXT_H_
#define _KDAT_EXT_H_

#include <linux/dma-direction.h>
#include <linux/scatterlist.h>

#include <dat2/kdat.h>

/**
 * struct dat_ext_dto - one of several operations that are posted together
 * @op: DAT_DTO_SEND, DAT_DTO_RDMA_WRITE or DAT_DTO_RDMA_READ
 * @flags: as with the single call
 * @num_segments: of @iov
 * @iov: local memory
 * @remote: the peer's memory, for RDMA
 * @cookie: comes back in its completion event
 * @invalidate: of a send: @rmr_context becomes invalid
 * @rmr_context: the peer's
 */
typedef struct dat_ext_dto {
	DAT_DTOS op;
	DAT_COMPLETION_FLAGS flags;
	DAT_COUNT num_segments;
	DAT_LMR_TRIPLET *iov;
	DAT_RMR_TRIPLET remote;
	DAT_DTO_COOKIE cookie;
	DAT_BOOLEAN invalidate;
	DAT_RMR_CONTEXT rmr_context;
} DAT_EXT_DTO;

/**
 * dat_ext_ep_post() - post several requests with one doorbell
 * @ep: the EP
 * @num: of @dtos
 * @dtos: in the order in which they are to be done
 *
 * All of them are posted, or none.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; as the single calls.
 */
DAT_RETURN dat_ext_ep_post(DAT_EP_HANDLE ep, DAT_COUNT num,
			   const DAT_EXT_DTO *dtos);

/**
 * dat_ext_ep_rw() - read or write the peer's memory by a scatterlist
 * @ep: the EP
 * @sgl: local memory, not mapped
 * @nents: its entries
 * @remote: the peer's memory
 * @dir: DMA_FROM_DEVICE reads, DMA_TO_DEVICE writes
 * @cookie: comes back in one completion event
 *
 * How much is moved @remote says; a read's list may be longer. The entries can be as
 * they like: no LMR has to cover them, and memory is registered where the device needs
 * that. It is the device's until the event, but the list is not needed any more when
 * the call returns.
 *
 * The operation takes as much room among the EP's requests as the device needs
 * requests for it: one for every max_request_iov entries (of a read: for every
 * max_rdma_read_iov entries, where that is less), or, with registration (to
 * read on iWARP), three for every megabyte and for every place where memory does not
 * go on at a page's border. All that is free at once, or nothing is posted.
 *
 * Context: Process, may sleep; a fatal signal ends it. Not from an upcall.
 * Return: DAT_SUCCESS; as dat_ep_post_rdma_read(), and DAT_INSUFFICIENT_RESOURCES
 * without memory, or where there is no room to map it, DAT_INVALID_PARAMETER where the
 * device cannot reach it, DAT_INTERRUPTED_CALL, DAT_MODEL_NOT_SUPPORTED (soft iWARP: it
 * can neither write so, nor be sure that a peer is through with what was registered; a
 * device that does not say how many segments it reads into can write only).
 */
DAT_RETURN dat_ext_ep_rw(DAT_EP_HANDLE ep, struct scatterlist *sgl,
			 unsigned int nents, const DAT_RMR_TRIPLET *remote,
			 enum dma_data_direction dir, DAT_DTO_COOKIE cookie);

/**
 * dat_ext_ep_drain() - wait until all that is posted has completed
 * @ep: an EP that is disconnected, or on its way there
 *
 * On return all events of what was posted before are queued. A graceful disconnect
 * lets requests finish first, and takes as long. Where the connection does not end,
 * and something is outstanding, there is nothing to wait for: DAT_INVALID_STATE.
 *
 * Context: Process, may sleep; a fatal signal ends it. Not from an upcall.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_STATE,
 * DAT_INTERRUPTED_CALL.
 */
DAT_RETURN dat_ext_ep_drain(DAT_EP_HANDLE ep);

#endif /* _KDAT_EXT_H_ */
