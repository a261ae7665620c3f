/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Beyond kDAPL 2.0: what storage targets need. The names begin with dat_ext_.
 */
#ifndef _KDAT_EXT_H_
#define _KDAT_EXT_H_

#include <linux/dma-direction.h>
#include <linux/scatterlist.h>
#include <linux/workqueue.h>

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
 * @num: of @dtos, at most 16
 * @dtos: in the order in which they are to be done
 *
 * All of them are posted, or none.
 *
 * Context: Any up to softirq.
 * Return: DAT_SUCCESS; as the single calls, but DAT_LENGTH_ERROR also where one has too
 * many segments.
 */
DAT_RETURN dat_ext_ep_post(DAT_EP_HANDLE ep, DAT_COUNT num,
			   const DAT_EXT_DTO *dtos);

/**
 * dat_ext_ep_transfer() - move a scatterlist's memory, and post what follows on it
 * @ep: the EP
 * @sgl: local memory, not mapped
 * @nents: its entries
 * @offset: bytes of the list before those that are moved
 * @remote: the peer's memory
 * @dir: DMA_FROM_DEVICE reads, DMA_TO_DEVICE writes
 * @cookie: comes back in one completion event for all of the transfer
 * @flags: DAT_COMPLETION_SUPPRESS_FLAG: no event where the transfer succeeds, what
 *	follows tells of it; DAT_COMPLETION_UNSIGNALLED_FLAG; or
 *	DAT_COMPLETION_DEFAULT_FLAG
 * @num: of @dtos, at most 15; 0 for none
 * @dtos: requests, in the order in which they are to be done behind the transfer
 *
 * How much is moved @remote says, also that it is nothing; the list may be longer at both ends. The entries can be
 * as they like: no LMR has to cover them, and memory is registered where the device needs
 * that. On one that has no key for all memory, soft iWARP, the data are copied, through
 * memory that the EP keeps for it: 4 MiB, or as much as its longest transfer, made when it
 * is first needed. It is the device's until the transfer's event, or one behind it, but neither
 * the list nor @dtos are needed any more when the call returns.
 *
 * All of it is posted with one doorbell, or nothing. A message behind a write tells the
 * peer that the data are there. Behind a read, what does not have
 * DAT_COMPLETION_BARRIER_FENCE_FLAG may go out before the data are here; and where they are
 * copied they get into the list behind what follows, fenced or not, so what sends the list's
 * own memory is posted after the event. Completions come in order, whatever they are of;
 * where the transfer fails, what follows is flushed.
 *
 * Each of @dtos takes room for one of the EP's max_request_dtos, and the transfer for as
 * many as the device needs requests for it. With n entries of whose bytes it moves any, that
 * is at most
 *
 *  - to write, one for every max_rdma_write_iov entries or part of that;
 *  - to read, the same with max_rdma_read_iov, and where the device registers memory,
 *    three for each run besides. A new run begins where memory does not go on at a
 *    page's border, and after 255 pages, or max_lmr_block_size of the IA where that
 *    is less. On iWARP it is these alone, on a device that registers nothing none;
 *  - where data are copied, one for every 64 KiB or part of that, and nothing else;
 *
 * and one more for every max_rdma_size bytes past the first, counted in whole pages.
 * The numbers of segments are those that dat_ep_query() tells. All that is free at
 * once, or nothing is posted: DAT_INSUFFICIENT_RESOURCES, and a completion makes room;
 * or DAT_LENGTH_ERROR, where it is more than max_request_dtos, and no wait helps.
 *
 * On an EP that is DISCONNECTED all is flushed, and the transfer takes room for one.
 *
 * Context: Process, may sleep; a fatal signal ends it. Not from an upcall.
 * Return: DAT_SUCCESS; as dat_ep_post_rdma_read() and dat_ext_ep_post(), and
 * DAT_LENGTH_ERROR where the list is too short, too, DAT_INSUFFICIENT_RESOURCES without
 * memory, or where there is no room to map it, DAT_INVALID_PARAMETER where the device cannot reach it, DAT_INTERRUPTED_CALL,
 * DAT_MODEL_NOT_SUPPORTED: to read, a device that does not say how many segments it reads
 * into, and an EP that may not have a read out at a time (max_rdma_read_out, as
 * dat_ep_query() tells it of the connection).
 */
DAT_RETURN dat_ext_ep_transfer(DAT_EP_HANDLE ep, struct scatterlist *sgl,
			       unsigned int nents, size_t offset,
			       const DAT_RMR_TRIPLET *remote,
			       enum dma_data_direction dir,
			       DAT_DTO_COOKIE cookie,
			       DAT_COMPLETION_FLAGS flags, DAT_COUNT num,
			       const DAT_EXT_DTO *dtos);

/**
 * dat_ext_ep_rw() - read or write the peer's memory by a scatterlist
 * @ep: the EP
 * @sgl: local memory, not mapped
 * @nents: its entries
 * @offset: bytes of the list before those that are moved
 * @remote: the peer's memory
 * @dir: DMA_FROM_DEVICE reads, DMA_TO_DEVICE writes
 * @cookie: comes back in one completion event
 *
 * dat_ext_ep_transfer() with an event, and nothing behind it.
 *
 * Context: Process, may sleep; a fatal signal ends it. Not from an upcall.
 * Return: as dat_ext_ep_transfer().
 */
DAT_RETURN dat_ext_ep_rw(DAT_EP_HANDLE ep, struct scatterlist *sgl,
			 unsigned int nents, size_t offset,
			 const DAT_RMR_TRIPLET *remote,
			 enum dma_data_direction dir, DAT_DTO_COOKIE cookie);

/**
 * dat_ext_ep_drain() - wait until all that is posted has completed
 * @ep: an EP that is disconnected, or on its way there
 *
 * On return all events of what was posted before are queued, or with their upcall. A
 * graceful disconnect lets requests finish first, and takes as long. An adapter that does
 * not give back what was posted within ten seconds loses the queue pair, so that it does not
 * touch memory any more; what was out is flushed then. Where the connection does not end,
 * and something is outstanding, there is nothing to wait for: DAT_INVALID_STATE.
 *
 * Context: Process, may sleep; a fatal signal ends it, but not while a queue pair is taken
 * from such an adapter. Not from an upcall.
 * Return: DAT_SUCCESS; DAT_INVALID_HANDLE, DAT_INVALID_STATE,
 * DAT_INTERRUPTED_CALL.
 */
DAT_RETURN dat_ext_ep_drain(DAT_EP_HANDLE ep);

/**
 * struct dat_ext_memory - registered memory, in one piece
 * @at: its first byte, at a page's border
 * @size: bytes
 * @lmr: covers all of it
 * @lmr_context: for local segments, whose addresses are those of the memory
 * @rmr_context: for the peer, 0 without remote privileges
 */
typedef struct dat_ext_memory {
	void *at;
	size_t size;
	DAT_LMR_HANDLE lmr;
	DAT_LMR_CONTEXT lmr_context;
	DAT_RMR_CONTEXT rmr_context;
} DAT_EXT_MEMORY;

/**
 * dat_ext_memory_alloc() - get memory, and register it
 * @ia: the IA
 * @pz: the PZ
 * @size: bytes
 * @privileges: who may do what
 * @memory: out; zeros where it fails
 *
 * The memory is zero, and in one piece: a scatterlist may name any part of it, and where
 * the adapter has a key for all memory, and peers have no privileges, it costs no
 * registration there. Pieces of more than some pages may not be found.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; as dat_lmr_kcreate().
 */
DAT_RETURN dat_ext_memory_alloc(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, size_t size,
				DAT_MEM_PRIV_FLAGS privileges,
				DAT_EXT_MEMORY *memory);

/**
 * dat_ext_memory_free() - give it back
 * @memory: of dat_ext_memory_alloc(), or zeros; zeros afterwards
 *
 * Nothing that is posted may name it any more, and no RMR be bound to it.
 *
 * Context: Process, may sleep.
 */
void dat_ext_memory_free(DAT_EXT_MEMORY *memory);

/* A part of it, for a post. Any context. */
static inline DAT_LMR_TRIPLET dat_ext_memory_segment(const DAT_EXT_MEMORY *memory,
						     const void *at,
						     DAT_SEG_LENGTH size)
{
	return (DAT_LMR_TRIPLET){
		.virtual_address = (uintptr_t)at,
		.segment_length = size,
		.lmr_context = memory->lmr_context,
	};
}

/**
 * dat_ext_evd_create() - make an EVD whose consumer is a work
 * @ia: the IA
 * @min_qlen: how many events it has to hold
 * @wq: where the work is queued
 * @work: the consumer's, which lives as long as the EVD
 * @flags: what may use it, as of dat_evd_kcreate()
 * @evd: out
 *
 * In place of upcalls, @work is queued when there is an event. It dequeues until
 * DAT_QUEUE_EMPTY: only behind that the next event is sure to queue it again, so one that
 * leaves off before queues itself. It can be queued more often, and find nothing.
 *
 * Of an EP without an SRQ that has the EVD for receives and for requests the completions
 * stay with the device until the work comes for them: no softirq takes them before, and a
 * work that is busy with them is not queued for the next ones. Until they are dequeued they
 * count as outstanding for the EP (dat_ep_get_status(), the end of a graceful disconnect).
 * Each of them queues the work there, also with DAT_COMPLETION_UNSIGNALLED_FLAG.
 *
 * dat_evd_query() tells DAT_UPCALL_DISABLE, dat_evd_modify_upcall() fails with
 * DAT_INVALID_STATE. dat_evd_free(), and dat_ia_close() before it ends the IA's EPs, take
 * @work from the queue, and wait for it where it runs: it is not for these, and where it
 * waits for a peer itself they wait as long.
 *
 * Context: Process, may sleep.
 * Return: as dat_evd_kcreate(); DAT_INVALID_PARAMETER without @wq or @work.
 */
DAT_RETURN dat_ext_evd_create(DAT_IA_HANDLE ia, DAT_COUNT min_qlen,
			      struct workqueue_struct *wq,
			      struct work_struct *work, DAT_EVD_FLAGS flags,
			      DAT_EVD_HANDLE *evd);

/**
 * dat_ext_registry_entry() - one of the adapters that can be opened
 * @index: from 0
 * @info: out
 *
 * For who looks at all of them, one after the other, without a list of the right length.
 * One that comes or goes meanwhile may have another be missed, or seen twice.
 *
 * Context: Process, may sleep.
 * Return: DAT_SUCCESS; DAT_PROVIDER_NOT_FOUND where there are not so many;
 * DAT_INVALID_PARAMETER.
 */
DAT_RETURN dat_ext_registry_entry(DAT_COUNT index, DAT_PROVIDER_INFO *info);

#endif /* _KDAT_EXT_H_ */
