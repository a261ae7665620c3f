/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A device that the tests play: it keeps what is posted, and completes it when
 * a test says so. Its queues do what verbs promise: in order, each once, and a
 * queue pair in error flushes.
 */
#ifndef KDAPL_TEST_FAKE_VERBS_H
#define KDAPL_TEST_FAKE_VERBS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>
#include <rdma/rw.h>

#include "../kdapl_uapi.h"

#define FAKE_QUEUE	256	/* work requests a queue can hold */
#define FAKE_LKEY	0x1000	/* first lkey that is given out */
#define FAKE_LOCAL_KEY	0x0abc	/* of all of memory */
#define FAKE_KEY_BYTE	0x5a	/* last byte of an LMR's rkey */
#define FAKE_INLINE	64	/* bytes that a request carries itself, at most */

/* A work request, as it was posted. */
struct fake_wr {
	u64 wr_id;
	u32 nr;			/* so many the device was given before */
	enum ib_wr_opcode opcode;
	int send_flags;
	int num_sge;
	u64 remote_addr;
	u32 rkey;		/* of a registration, too, and of an invalidation */
	u32 inv_key;		/* that a read makes invalid besides */
	u32 imm;		/* of a write with immediate data */
	u64 operand[2];		/* of an atomic operation */
	int access;
	struct ib_mr *mr;	/* to be registered or invalidated */
	struct ib_sge sge[KDAPL_SEGS_MAX];
	u8 bytes[FAKE_INLINE];	/* with IB_SEND_INLINE: what it carries */
};

/* @head counts what was posted, @tail what was completed. */
struct fake_queue {
	struct fake_wr wr[FAKE_QUEUE];
	u32 head;
	u32 tail;
};

struct fake_srq {
	struct ib_srq ib;
	struct fake_queue queue;
	u32 size;
	int post_error;		/* what a post fails with ... */
	unsigned int post_good;	/* ... after so many more receives */
};

struct fake_qp {
	struct ib_qp ib;
	enum ib_qp_state state;
	struct fake_queue sq, rq;
	struct fake_wr half;	/* of its SRQ: its message is still arriving ... */
	bool has_half;		/* ... if there is one */
	unsigned int calls;	/* of post_send and post_recv */
	int post_error;		/* what they fail with ... */
	unsigned int post_good;	/* ... after so many more requests */
	bool post_keeps;	/* the one that failed completes all the same */
	bool post_stays;	/* the error: every later request fails, too */
	bool stuck;		/* it does not go to error */
	u32 inline_asked;	/* bytes that a request was to carry itself */
	u32 invalidates;	/* what the next message makes invalid, or 0 */
	enum ib_wc_opcode imm_of;	/* which message brings @imm next, if any */
	u32 imm;
};

struct fake_cq {
	struct ib_cq ib;
	struct ib_wc *wc;
	u32 head, tail;
	bool armed;
	bool solicited;		/* for such completions only */
	bool tells;		/* there was one that the handler is called for */
	struct fake_qp *lazy;	/* it is in error, and flushes with the next poll */
	unsigned int blind;	/* so many polls come before what is there */
};

/* Memory that went from the processor to the device, or back. */
struct fake_sync {
	u64 addr;
	size_t length;
	bool for_device;
};

#define FAKE_SYNCS	8

/**
 * struct fake_dev - the device
 * @lock: guards all its queues
 * @qps: how many queue pairs exist; likewise @cqs, @pds, @mrs,
 *	@srqs
 * @bad_sge: a segment was posted that is in no LMR
 * @posted: work requests that it was given
 * @sent: called when requests were posted, with the locks of who posted
 * @registering: called while memory is registered
 * @access: with which some was registered last
 * @bad_mr: an MR was mapped or went while it was in use, or a key came back
 * @invalidates_idle: an MR that is not registered may be invalidated
 * @acks_late: kdapl_driver_acks_late()
 * @mute: a queue pair in error gives nothing back; kdapl_driver_flushes()
 * @flush_polls: it does that only while the completion queue is polled
 * @fatal: it says IB_EVENT_QP_FATAL of each that goes to error
 * @forgets: a receive of an SRQ whose message is cut off never completes
 * @max_inline: bytes that a request carries itself, as a new queue pair has it
 * @max_cqs: how many of them there can be, 0 for any number
 * @no_mr: the next MR of windows cannot be had
 * @map_error: what mapping a scatterlist ends with
 * @sync: the first of them
 * @syncs: how many there were
 */
struct fake_dev {
	struct ib_device ib;
	spinlock_t lock;	/* see above */
	int qps, cqs, pds, mrs, srqs;
	bool bad_sge;
	u32 posted;
	void (*sent)(struct fake_qp *qp);
	void (*registering)(u64 addr, u64 length);
	int access;
	bool bad_mr;
	bool invalidates_idle;
	bool no_mr;
	bool acks_late;
	bool mute;
	bool flush_polls;
	bool fatal;
	bool forgets;
	int map_error;
	u32 max_inline;
	int max_cqs;
	struct fake_sync sync[FAKE_SYNCS];
	unsigned int syncs;
};

static inline struct fake_dev *to_fake_dev(struct ib_device *dev)
{
	return container_of(dev, struct fake_dev, ib);
}

static inline struct fake_cq *to_fake_cq(struct ib_cq *cq)
{
	return container_of(cq, struct fake_cq, ib);
}

static inline struct fake_qp *to_fake_qp(struct ib_qp *qp)
{
	return container_of(qp, struct fake_qp, ib);
}

static inline struct fake_srq *to_fake_srq(struct ib_srq *srq)
{
	return container_of(srq, struct fake_srq, ib);
}

struct fake_dev *fake_dev_create(void);
void fake_dev_destroy(struct fake_dev *dev);
/* For ib_core it is an iWARP device; before it has queue pairs. */
void fake_dev_iwarp(struct fake_dev *dev);

/*
 * Complete up to @n outstanding requests, oldest first, and report that as a
 * driver's interrupt would. Return: how many were there.
 */
u32 fake_report(struct fake_qp *qp, struct fake_queue *queue, u32 n,
		enum ib_wc_status status);
/* The same where the driver tells nobody. */
u32 fake_finish(struct fake_qp *qp, struct fake_queue *queue, u32 n,
		enum ib_wc_status status);
/* The same from where one can sleep: on return the module has seen them. */
u32 fake_complete(struct fake_qp *qp, struct fake_queue *queue, u32 n,
		  enum ib_wc_status status);

/*
 * The queue pair takes up to @n receives from its SRQ and completes them, as
 * fake_complete() does. Return: how many were there.
 */
u32 fake_take(struct fake_qp *qp, u32 n, enum ib_wc_status status);
/* The same for messages that were not sent as solicited: returns at once. */
u32 fake_take_unsolicited(struct fake_qp *qp, u32 n, enum ib_wc_status status);
/*
 * The queue pair takes a receive from its SRQ and fills some of it. It completes
 * when the queue pair goes to error.
 */
bool fake_take_half(struct fake_qp *qp);
/* The rest of its message comes. On return the module has seen it. */
void fake_finish_half(struct fake_qp *qp);

/* What the device says of the queue pair itself. Any context. */
void fake_qp_event(struct fake_qp *qp, enum ib_event_type type);

/* The request posted as number @n, of the last FAKE_QUEUE ones. */
static inline struct fake_wr *fake_wr(struct fake_queue *queue, u32 n)
{
	return &queue->wr[n % FAKE_QUEUE];
}

/* What a peer reaches under this key: the first byte's DMA address, 0: nothing. */
u64 fake_reaches(u32 rkey);

/* What the module's files call instead of ib_core, see core.h. */
struct ib_pd *fake_alloc_pd(struct ib_device *dev);
void fake_dealloc_pd(struct ib_pd *pd);
struct ib_cq *fake_create_cq(struct ib_device *dev, ib_comp_handler handler,
			     void *context, const struct ib_cq_init_attr *attr);
void fake_destroy_cq(struct ib_cq *cq);
struct ib_qp *fake_create_qp(struct ib_pd *pd, struct ib_qp_init_attr *attr);
int fake_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask);
int fake_destroy_qp(struct ib_qp *qp);
struct ib_srq *fake_create_srq(struct ib_pd *pd, struct ib_srq_init_attr *attr);
int fake_destroy_srq(struct ib_srq *srq);
struct ib_mr *fake_reg_user_mr(struct ib_pd *pd, u64 addr, u64 length,
			       int access);
int fake_dereg_mr(struct ib_mr *mr);
struct ib_mr *fake_alloc_mr(struct ib_pd *pd, u32 npages);
int fake_map_mr_sg(struct ib_mr *mr, struct scatterlist *sg, int nents);
/* The real rdma_rw over it; what it mapped is counted in fake_cm.mapped. */
int fake_mr_pool_init(struct ib_qp *qp, struct list_head *pool, int n,
		      u32 npages);
int fake_rw_init(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
		 struct scatterlist *sg, u32 nents, u64 remote_addr, u32 rkey,
		 enum dma_data_direction dir);
void fake_rw_destroy(struct rdma_rw_ctx *ctx, struct ib_qp *qp, u32 port,
		     struct scatterlist *sg, u32 nents,
		     enum dma_data_direction dir);
void fake_dma_sync(struct ib_device *dev, u64 addr, size_t length,
		   bool for_device);

#endif /* KDAPL_TEST_FAKE_VERBS_H */
