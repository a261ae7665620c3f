// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * RMR: a window onto part of an LMR, which a program moves by posting.
 *
 * ib_map_mr_sg() rewrites the page table that the device reads, at once. So an
 * MR is mapped only while nobody can reach it: when it is new, or when its
 * invalidation is over, and then under a key that it never had. Whether an
 * invalidation that completed also waited for accesses that had begun depends
 * on the device: rxe and siw check a key and copy the data afterwards. For them
 * every bind takes a new MR, and the old one is deregistered, which waits.
 *
 * siw does not even wait then, but goes on to read pages that it was given. It keeps
 * those that it pinned itself, so there every window is registered like an LMR, at
 * once: nobody has its key before the bind returns.
 *
 * Work that the device holds points to the MR. An MR is deregistered only when
 * none of its work is left, by a worker: completions come where nothing may
 * sleep. What was flushed is in a state that nobody knows, and goes, too.
 *
 * A bind registers the new window and then invalidates the old one. Where a
 * registration may be repeated (kdapl_driver_repeats()) it is the other way round,
 * and a new window is invalidated itself when there is no old one: only behind an
 * invalidation nothing is repeated.
 *
 * Binds of one RMR are in order as long as they are posted on one EP. Another
 * EP must wait until those are over: two queue pairs do not wait for each other.
 */

#include <linux/mm.h>
#include <linux/slab.h>

#include "account.h"
#include "ep.h"
#include "frwr.h"
#include "ia.h"
#include "lmr.h"
#include "pages.h"
#include "rmr.h"

/* How long an RMR that is freed waits for its binds before it breaks their EP. */
#define RMR_PATIENCE	(2 * HZ)

/* ---- windows ------------------------------------------------------------ */

static int bind_access(u32 privileges)
{
	int access = 0;

	if (privileges & KDAPL_PRIV_REMOTE_READ)
		access |= IB_ACCESS_REMOTE_READ;
	if (privileges & KDAPL_PRIV_REMOTE_WRITE)
		access |= IB_ACCESS_REMOTE_WRITE | IB_ACCESS_LOCAL_WRITE;
	return access;
}

static void window_free(struct kdapl_window *window)
{
	struct kdapl_ia *ia = window->ia;

	/* Before the device can give the key to another one. */
	xa_cmpxchg(&ia->windows, kdapl_key_index(window->mr->rkey), window,
		   NULL, 0);
	/* A device that keeps its access keeps the pages as well. */
	if (ib_dereg_mr(window->mr)) {
		pr_warn_ratelimited("%s keeps an MR\n", ia->name);
		return;
	}
	if (window->lmr)
		kdapl_obj_unuse(&window->lmr->obj);
	kdapl_cgroup_uncharge(ia->dev, &window->cg, RDMACG_RESOURCE_HCA_OBJECT);
	kfree_rcu(window, rcu);
}

static void reap(struct work_struct *work)
{
	struct kdapl_reaper *reaper =
		container_of(work, struct kdapl_reaper, work);
	struct kdapl_window *window, *next;
	LIST_HEAD(dead);

	spin_lock_bh(&reaper->lock);
	list_splice_init(&reaper->dead, &dead);
	spin_unlock_bh(&reaper->lock);
	list_for_each_entry_safe(window, next, &dead, list)
		window_free(window);
}

void kdapl_reaper_init(struct kdapl_reaper *reaper)
{
	spin_lock_init(&reaper->lock);
	INIT_LIST_HEAD(&reaper->dead);
	INIT_WORK(&reaper->work, reap);
}

void kdapl_reaper_flush(struct kdapl_reaper *reaper)
{
	flush_work(&reaper->work);
}

/* Caller holds the RMR's lock. */
static void window_bury(struct kdapl_window *window)
{
	struct kdapl_reaper *reaper = &window->ia->reaper;

	spin_lock(&reaper->lock);
	list_add_tail(&window->list, &reaper->dead);
	spin_unlock(&reaper->lock);
	queue_work(kdapl_workqueue, &reaper->work);
}

static struct kdapl_window *window_alloc(struct kdapl_rmr *rmr,
					 unsigned int npages)
{
	struct kdapl_ia *ia = rmr->obj.ia;
	struct kdapl_window *window;
	int ret;

	window = kzalloc(sizeof(*window), kdapl_ia_gfp(ia));
	if (!window)
		return ERR_PTR(-ENOMEM);
	window->ia = ia;
	window->rmr = rmr;
	window->npages = npages;
	ret = kdapl_ia_charge(ia, &window->cg, RDMACG_RESOURCE_HCA_OBJECT);
	if (ret) {
		kfree(window);
		return ERR_PTR(ret);
	}
	return window;
}

/* With its MR, or the error that stands in its place. */
static struct kdapl_window *window_made(struct kdapl_window *window)
{
	struct ib_mr *mr = window->mr;

	if (!IS_ERR(mr))
		return window;
	kdapl_cgroup_uncharge(window->ia->dev, &window->cg,
			      RDMACG_RESOURCE_HCA_OBJECT);
	kfree(window);
	return ERR_CAST(mr);
}

/* A read can name it by its key: kdapl_rmr_sge(). So can the peer: kdapl_rmr_lost(). */
static struct kdapl_window *window_list(struct kdapl_window *window)
{
	struct kdapl_ia *ia = window->ia;
	int ret;

	ret = xa_insert(&ia->windows, kdapl_key_index(window->mr->rkey), window,
			GFP_KERNEL);
	if (!ret)
		return window;
	window_free(window);
	return ERR_PTR(ret);
}

static struct kdapl_window *window_create(struct kdapl_rmr *rmr,
					  unsigned int npages)
{
	struct kdapl_window *window = window_alloc(rmr, npages);

	if (IS_ERR(window))
		return window;
	window->mr = ib_alloc_mr(rmr->pz->pd, IB_MR_TYPE_MEM_REG, npages);
	window = window_made(window);
	return IS_ERR(window) ? window : window_list(window);
}

static void window_shows(struct kdapl_window *window,
			 const struct kdapl_rmr_bind *arg)
{
	window->addr = arg->addr;
	window->length = arg->length;
	window->privileges = arg->privileges;
}

/* One over what is to be bound, pinned and charged by the device. */
static struct kdapl_window *window_register(struct kdapl_rmr *rmr,
					    const struct kdapl_rmr_bind *arg)
{
	struct kdapl_window *window = window_alloc(rmr, 0);

	if (IS_ERR(window))
		return window;
	window->registered = true;
	window_shows(window, arg);
	window->mr = ib_reg_user_mr(rmr->pz->pd, arg->addr, arg->length,
				    arg->addr, bind_access(arg->privileges));
	window = window_made(window);
	return IS_ERR(window) ? window : window_list(window);
}

/* One that is not bound: the spare one if it will do. Caller holds the mutex. */
static struct kdapl_window *window_take(struct kdapl_rmr *rmr,
					unsigned int npages)
{
	struct kdapl_window *spare;

	spin_lock_bh(&rmr->lock);
	spare = rmr->spare;
	rmr->spare = NULL;
	spin_unlock_bh(&rmr->lock);
	if (spare && spare->npages >= npages)
		return spare;
	if (spare)
		window_free(spare);
	return window_create(rmr, npages);
}

/* One work less. Caller holds the RMR's lock. */
static void window_put_work(struct kdapl_window *window)
{
	if (!--window->works && window->dead)
		window_bury(window);
}

/* It was invalidated. Caller holds the RMR's lock. */
static void window_retire(struct kdapl_rmr *rmr, struct kdapl_window *window)
{
	if (!rmr->obj.ia->rmr_reuse || window->registered || rmr->spare ||
	    window->keys == KDAPL_RMR_KEYS) {
		window->dead = true;
		return;
	}
	kdapl_obj_unuse(&window->lmr->obj);
	window->lmr = NULL;
	rmr->spare = window;
}

/* ---- what a window shows ------------------------------------------------ */

/*
 * The LMR's pages, pinned once more: the driver that registered them does not
 * say which they are. They are not charged a second time, because they are not
 * pinned a second time either, unless the program put other pages there
 * meanwhile; then an LMR holds at most twice what was charged for it, and all of
 * it the program's own. They stay until the LMR is freed.
 */
static const struct sg_table *lmr_pages(struct kdapl_lmr *lmr)
{
	bool writable = lmr->privileges & (KDAPL_PRIV_LOCAL_WRITE |
					   KDAPL_PRIV_REMOTE_WRITE);
	struct kdapl_pages *pages = lmr->pages;

	if (pages)
		return &pages->sgt;
	if (mutex_lock_killable(&lmr->bind_lock))
		return ERR_PTR(-EINTR);
	if (!lmr->bind_pages) {
		pages = kdapl_pages_pin(lmr->obj.ia->dev, lmr->addr,
					lmr->length, writable, NULL);
		if (!IS_ERR(pages))
			lmr->bind_pages = pages;
	} else {
		pages = lmr->bind_pages;
	}
	mutex_unlock(&lmr->bind_lock);
	return IS_ERR(pages) ? ERR_CAST(pages) : &pages->sgt;
}

/*
 * The part of @sgt from @offset on, @length bytes, in @part; how many entries
 * that are. Only counted where @part is NULL.
 */
static int sg_part(const struct sg_table *sgt, u64 offset, u64 length,
		   struct scatterlist *part)
{
	struct scatterlist *sg;
	unsigned int i;
	u64 bytes;
	int n = 0;

	for_each_sg(sgt->sgl, sg, sgt->nents, i) {
		bytes = sg_dma_len(sg);
		if (offset >= bytes) {
			offset -= bytes;
			continue;
		}
		bytes = min(bytes - offset, length);
		if (part) {
			sg_dma_address(&part[n]) = sg_dma_address(sg) + offset;
			sg_dma_len(&part[n]) = bytes;
		}
		n++;
		offset = 0;
		length -= bytes;
		if (!length)
			break;
	}
	return length ? -EINVAL : n;
}

static int window_map(struct kdapl_window *window, const struct sg_table *sgt,
		      const struct kdapl_rmr_bind *arg)
{
	u64 offset = arg->addr - window->lmr->addr;
	struct scatterlist *part;
	int n, ret;

	n = sg_part(sgt, offset, arg->length, NULL);
	if (n < 0)
		return n;
	part = kvmalloc_array(n, sizeof(*part),
			      kdapl_ia_gfp(window->lmr->obj.ia));
	if (!part)
		return -ENOMEM;
	sg_init_table(part, n);
	sg_part(sgt, offset, arg->length, part);
	ret = kdapl_frwr_map(window->mr, part, n, arg->addr, arg->length);
	kvfree(part);
	return ret;
}

/* ---- a bind ------------------------------------------------------------- */

static int bind_check(const struct kdapl_rmr *rmr, const struct kdapl_lmr *lmr,
		      const struct kdapl_rmr_bind *arg)
{
	/* Below the start it wraps to something larger than any LMR. */
	u64 offset = arg->addr - lmr->addr;

	if (lmr->pz != rmr->pz)
		return -EPERM;
	/* It has its own MR; the memory can be another any time. */
	if (lmr->fmr)
		return -EBADFD;
	if ((arg->privileges & KDAPL_PRIV_REMOTE_READ &&
	     !(lmr->privileges & KDAPL_PRIV_LOCAL_READ)) ||
	    (arg->privileges & KDAPL_PRIV_REMOTE_WRITE &&
	     !(lmr->privileges & KDAPL_PRIV_LOCAL_WRITE)))
		return -EACCES;
	if (offset > lmr->length || arg->length > lmr->length - offset)
		return -EINVAL;
	if (arg->length > rmr->obj.ia->max_rmr_size)
		return -ENOSPC;
	return 0;
}

/* A window over what is to be bound, mapped by the module. */
static struct kdapl_window *window_over(struct kdapl_rmr *rmr,
					struct kdapl_lmr *lmr,
					const struct kdapl_rmr_bind *arg)
{
	const struct sg_table *sgt = lmr_pages(lmr);
	struct kdapl_window *window;
	int ret;

	if (IS_ERR(sgt))
		return ERR_CAST(sgt);
	window = window_take(rmr, kdapl_npages(arg->addr, arg->length));
	if (IS_ERR(window))
		return window;
	window->lmr = lmr;
	ret = window_map(window, sgt, arg);
	if (ret) {
		window->lmr = NULL;
		window_free(window);
		return ERR_PTR(ret);
	}
	window_shows(window, arg);
	window->idle_key = window->mr->rkey;
	ib_update_fast_reg_key(window->mr, ib_inc_rkey(window->mr->rkey));
	window->keys++;
	return window;
}

/* A window over what is to be bound, under a key that nobody was told yet. */
static struct kdapl_window *bind_prepare(struct kdapl_rmr *rmr,
					 struct kdapl_lmr *lmr,
					 const struct kdapl_rmr_bind *arg)
{
	struct kdapl_window *window;
	int ret;

	ret = bind_check(rmr, lmr, arg);
	if (ret)
		return ERR_PTR(ret);
	if (!rmr->obj.ia->rmr_register)
		return window_over(rmr, lmr, arg);
	window = window_register(rmr, arg);
	if (!IS_ERR(window))
		window->lmr = lmr;
	return window;
}

static struct kdapl_work *bind_slot(struct kdapl_ep *ep,
				    struct kdapl_bind *bind,
				    const struct kdapl_rmr_bind *arg)
{
	struct kdapl_work *work;

	work = kdapl_post_slot(ep, KDAPL_WORK_BIND, arg->cookie, arg->flags);
	work->bind = bind;
	return work;
}

/* The requests of @bind, in their order, for the two slots. How many. */
static unsigned int bind_chain(const struct kdapl_bind *bind, bool inv_first,
			       struct kdapl_work *slot[KDAPL_BIND_SLOTS],
			       struct ib_send_wr *reg, struct ib_send_wr *inv,
			       struct ib_send_wr *chain[KDAPL_BIND_SLOTS])
{
	unsigned int n = 0, i;

	if (bind->inv)
		inv->ex.invalidate_rkey = bind->inv->mr->rkey;
	else if (bind->reg)
		inv->ex.invalidate_rkey = bind->reg->idle_key;
	if (inv_first && (bind->inv || bind->reg))
		chain[n++] = inv;
	if (bind->reg && !bind->reg->registered)
		chain[n++] = reg;
	if (!inv_first && bind->inv)
		chain[n++] = inv;
	for (i = 0; i < n; i++) {
		chain[i]->wr_id = (uintptr_t)slot[i];
		chain[i]->next = i + 1 < n ? chain[i + 1] : NULL;
		slot[i]->state = KDAPL_WORK_POSTED;
	}
	return n;
}

static void bind_post(struct kdapl_ep *ep, const struct kdapl_bind *bind,
		      struct kdapl_work *slot[KDAPL_BIND_SLOTS],
		      const struct kdapl_rmr_bind *arg)
{
	int fence = arg->flags & KDAPL_SQE_FENCE ? IB_SEND_FENCE : 0;
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV,
		.send_flags = IB_SEND_SIGNALED | fence,
	};
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR,
		.wr.send_flags = IB_SEND_SIGNALED | fence,
		.access = bind_access(arg->privileges),
	};
	struct ib_send_wr *chain[KDAPL_BIND_SLOTS];
	unsigned int n;

	if (bind->reg) {
		reg.mr = bind->reg->mr;
		reg.key = reg.mr->rkey;
	}
	n = bind_chain(bind, ep->obj.ia->rmr_inv_first, slot, &reg.wr, &inv,
		       chain);
	if (n)
		kdapl_post_requests(ep, chain[0], n);
}

/* From now on the bind has its effect, if only that of a failure. */
static int bind_begin(struct kdapl_ep *ep, struct kdapl_bind *bind, bool posted)
{
	struct kdapl_rmr *rmr = bind->rmr;
	int ret = 0;

	spin_lock(&rmr->lock);
	if (rmr->outstanding && rmr->ep != ep) {
		ret = -EBUSY;
		goto out;
	}
	rmr->ep = ep;
	rmr->outstanding++;
	bind->posted = posted;
	if (bind->reg) {
		bind->reg->works++;
		bind->reg->dead = !posted;
	}
	if (posted) {
		bind->inv = rmr->bound;
		if (bind->inv)
			bind->inv->works++;
		rmr->bound = bind->reg;
	}
out:
	spin_unlock(&rmr->lock);
	return ret;
}

/* Caller holds ep->lock. */
static int bind_submit(struct kdapl_ep *ep, struct kdapl_bind *bind,
		       struct kdapl_rmr_bind *arg)
{
	struct kdapl_work *slot[KDAPL_BIND_SLOTS];
	unsigned int i;
	bool flushes;
	int ret;

	ret = kdapl_post_admit(ep, bind->rmr->pz, KDAPL_BIND_SLOTS);
	if (ret < 0)
		return ret;
	flushes = ret;
	ret = bind_begin(ep, bind, !flushes);
	if (ret)
		return ret;

	arg->rkey = bind->reg ? bind->reg->mr->rkey : 0;
	for (i = 0; i < KDAPL_BIND_SLOTS; i++)
		slot[i] = bind_slot(ep, bind, arg);
	bind->first = slot[0];
	if (flushes) {
		for (i = 0; i < KDAPL_BIND_SLOTS; i++)
			kdapl_work_refuse(ep, slot[i], DAT_DTO_ERR_FLUSHED);
	} else {
		bind_post(ep, bind, slot, arg);
	}
	/* The bind may be gone after this. */
	kdapl_wq_retire(ep, &ep->sq);
	kdapl_ep_end_start(ep);
	return 0;
}

/* A slot's work on a window is over. Caller holds the RMR's lock. */
static void bind_over(struct kdapl_bind *bind)
{
	struct kdapl_rmr *rmr = bind->rmr;
	bool failed = bind->posted && bind->status != DAT_DTO_SUCCESS;

	if (failed) {
		if (bind->reg)
			bind->reg->dead = true;
		if (bind->inv)
			bind->inv->dead = true;
		if (rmr->bound == bind->reg)
			rmr->bound = NULL;
	} else if (bind->inv) {
		window_retire(rmr, bind->inv);
	}
	if (bind->reg)
		window_put_work(bind->reg);
	if (bind->inv)
		window_put_work(bind->inv);
	if (!--rmr->outstanding) {
		rmr->ep = NULL;
		wake_up(&rmr->idle);
	}
}

void kdapl_bind_retire(struct kdapl_work *work, struct kdapl_event *event)
{
	struct kdapl_bind *bind = work->bind;
	struct kdapl_rmr *rmr = bind->rmr;

	work->bind = NULL;
	/* What failed says more than what was flushed behind it. */
	if (work->status != DAT_DTO_SUCCESS &&
	    (bind->status == DAT_DTO_SUCCESS ||
	     bind->status == DAT_DTO_ERR_FLUSHED))
		bind->status = work->status == DAT_DTO_ERR_FLUSHED ?
			       DAT_DTO_ERR_FLUSHED : DAT_RMR_OPERATION_FAILED;
	event->type = 0;
	if (work == bind->first)
		return;

	spin_lock(&rmr->lock);
	bind_over(bind);
	spin_unlock(&rmr->lock);
	if (!work->suppress || bind->status != DAT_DTO_SUCCESS)
		event->type = DAT_RMR_BIND_COMPLETION_EVENT;
	event->user = rmr->obj.user;
	event->status = bind->status;
	kdapl_obj_put(&rmr->obj);
	kfree(bind);
}

/* The mutex keeps the EP from being freed, which a reference does not. */
static int bind_enter(struct kdapl_ep *ep, struct kdapl_bind *bind,
		      struct kdapl_rmr_bind *arg)
{
	int ret = -ENOENT;

	if (mutex_lock_killable(&ep->mutex))
		return -EINTR;
	if (!ep->gone) {
		spin_lock_bh(&ep->lock);
		ret = bind_submit(ep, bind, arg);
		spin_unlock_bh(&ep->lock);
	}
	mutex_unlock(&ep->mutex);
	return ret;
}

/* Caller holds the RMR's mutex. */
static int rmr_bind(struct kdapl_rmr *rmr, struct kdapl_ep *ep,
		    struct kdapl_lmr *lmr, struct kdapl_rmr_bind *arg)
{
	struct kdapl_window *window = NULL;
	struct kdapl_bind *bind;
	int ret;

	if (rmr->gone)
		return -ENOENT;
	if (ep->pz != rmr->pz)
		return -EPERM;
	bind = kzalloc(sizeof(*bind), kdapl_ia_gfp(rmr->obj.ia));
	if (!bind)
		return -ENOMEM;
	if (lmr) {
		window = bind_prepare(rmr, lmr, arg);
		if (IS_ERR(window)) {
			kfree(bind);
			return PTR_ERR(window);
		}
	}
	bind->rmr = rmr;
	bind->reg = window;
	refcount_inc(&rmr->obj.ref);

	ret = bind_enter(ep, bind, arg);
	if (!ret)
		return 0;

	kdapl_obj_put(&rmr->obj);
	kfree(bind);
	if (window) {
		window->lmr = NULL;
		window_free(window);
	}
	return ret;
}

static int bind_on(struct kdapl_ia *ia, struct kdapl_rmr *rmr,
		   struct kdapl_ep *ep, struct kdapl_rmr_bind *arg)
{
	struct kdapl_obj *lmr = NULL;
	int ret;

	if (arg->length) {
		lmr = kdapl_obj_use(ia, arg->lmr, KDAPL_OBJ_LMR);
		if (!lmr)
			return -ENOENT;
	}
	ret = mutex_lock_killable(&rmr->mutex) ? -EINTR : 0;
	if (!ret) {
		ret = rmr_bind(rmr, ep, lmr ? to_lmr(lmr) : NULL, arg);
		mutex_unlock(&rmr->mutex);
	}
	/* After success the window is its user. */
	if (ret && lmr)
		kdapl_obj_unuse(lmr);
	return ret;
}

int kdapl_rmr_bind(struct kdapl_ia *ia, struct kdapl_rmr_bind *arg)
{
	struct kdapl_obj *rmr, *ep;
	int ret = -ENOENT;

	if (arg->privileges & ~KDAPL_PRIV_ALL || arg->pad ||
	    arg->flags & ~(KDAPL_SQE_SUPPRESS | KDAPL_SQE_FENCE |
			   KDAPL_SQE_QUIET))
		return -EINVAL;
	arg->rkey = 0;
	rmr = kdapl_obj_get(ia, arg->rmr, KDAPL_OBJ_RMR);
	ep = kdapl_obj_get(ia, arg->ep, KDAPL_OBJ_EP);
	if (rmr && ep)
		ret = bind_on(ia, to_rmr(rmr), to_ep(ep), arg);
	if (ep)
		kdapl_obj_put(ep);
	if (rmr)
		kdapl_obj_put(rmr);
	return ret;
}

/* ---- what is bound now ---------------------------------------------------- */

void kdapl_rmr_query(struct kdapl_rmr *rmr, struct kdapl_rmr_bind *now)
{
	const struct kdapl_window *bound;

	*now = (struct kdapl_rmr_bind){};
	spin_lock_bh(&rmr->lock);
	bound = rmr->bound;
	if (bound) {
		now->lmr = bound->lmr->obj.id;
		now->addr = bound->addr;
		now->length = bound->length;
		now->privileges = bound->privileges;
		now->rkey = bound->mr->rkey;
	}
	spin_unlock_bh(&rmr->lock);
}

/* Caller holds the RMR's lock. Only what is bound is not being freed. */
static enum kdapl_dto_status window_sge(const struct kdapl_window *window,
					const struct kdapl_seg *seg,
					struct ib_sge *sge)
{
	u64 offset;

	if (window->rmr->bound != window || window->mr->rkey != seg->lmr ||
	    !(window->privileges & KDAPL_PRIV_REMOTE_WRITE))
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	/* Below the start it wraps to something larger than any window. */
	offset = seg->addr - window->addr;
	if (offset > window->length ||
	    seg->length > window->length - offset)
		return DAT_DTO_ERR_LOCAL_PROTECTION;
	sge->addr = seg->addr;
	sge->length = seg->length;
	sge->lkey = window->mr->lkey;
	return DAT_DTO_SUCCESS;
}

enum kdapl_dto_status kdapl_rmr_sge(struct kdapl_ia *ia,
				    const struct kdapl_pz *pz,
				    const struct kdapl_seg *seg,
				    struct ib_sge *sge)
{
	enum kdapl_dto_status status = DAT_DTO_ERR_LOCAL_PROTECTION;
	const struct kdapl_window *window;

	/* It keeps the RMR, too: that is freed after its windows. */
	rcu_read_lock();
	window = xa_load(&ia->windows, kdapl_key_index(seg->lmr));
	if (window && window->rmr->pz == pz) {
		spin_lock(&window->rmr->lock);
		status = window_sge(window, seg, sge);
		spin_unlock(&window->rmr->lock);
	}
	rcu_read_unlock();
	return status;
}

/*
 * It is not bound any more, and nothing is to be posted for that. Whether accesses
 * that had begun are over as well depends on the device: it is deregistered, which
 * waits. Caller holds the RMR's lock.
 */
static void window_lose(struct kdapl_window *window)
{
	window->rmr->bound = NULL;
	window->dead = true;
	if (!window->works)
		window_bury(window);
}

u32 kdapl_rmr_lost(struct kdapl_ia *ia, u32 key)
{
	struct kdapl_window *window;

	/* See kdapl_rmr_sge(). */
	rcu_read_lock();
	window = xa_load(&ia->windows, kdapl_key_index(key));
	if (window) {
		spin_lock(&window->rmr->lock);
		/*
		 * A former key of the MR, or one to come, says nothing of it. One that
		 * is registered has a single key for life, and siw, which alone has
		 * such (for programs), looks at no more of a key than its index.
		 */
		if (window->rmr->bound == window &&
		    (window->registered || window->mr->rkey == key)) {
			key = window->mr->rkey;
			window_lose(window);
		}
		spin_unlock(&window->rmr->lock);
	}
	rcu_read_unlock();
	return key;
}

/* ---- the ends ----------------------------------------------------------- */

/* No bind comes any more, and none is outstanding. */
static void rmr_drop_windows(struct kdapl_rmr *rmr)
{
	struct kdapl_window *bound, *spare;

	spin_lock_bh(&rmr->lock);
	bound = rmr->bound;
	spare = rmr->spare;
	rmr->bound = NULL;
	rmr->spare = NULL;
	spin_unlock_bh(&rmr->lock);
	if (bound)
		window_free(bound);
	if (spare)
		window_free(spare);
	kdapl_reaper_flush(&rmr->obj.ia->reaper);
}

static bool rmr_idle(struct kdapl_rmr *rmr)
{
	bool idle;

	spin_lock_bh(&rmr->lock);
	idle = !rmr->outstanding;
	spin_unlock_bh(&rmr->lock);
	return idle;
}

/* An EP lives as long as work of its is outstanding. */
static struct kdapl_ep *rmr_get_ep(struct kdapl_rmr *rmr)
{
	struct kdapl_ep *ep;

	spin_lock_bh(&rmr->lock);
	ep = rmr->ep;
	if (ep && !refcount_inc_not_zero(&ep->obj.ref))
		ep = NULL;
	spin_unlock_bh(&rmr->lock);
	return ep;
}

/*
 * A bind that was posted may stand behind requests that the peer does not let
 * finish. It must not take effect after this, so in the end the EP is broken.
 */
static void rmr_await_binds(struct kdapl_rmr *rmr)
{
	struct kdapl_ep *ep;

	if (wait_event_killable_timeout(rmr->idle, rmr_idle(rmr),
					RMR_PATIENCE) > 0)
		return;
	ep = rmr_get_ep(rmr);
	if (ep) {
		kdapl_ep_end(ep, DAT_CONNECTION_EVENT_BROKEN, false);
		kdapl_obj_put(&ep->obj);
	}
	wait_event_idle(rmr->idle, rmr_idle(rmr));
}

static void rmr_destroy(struct kdapl_obj *obj)
{
	struct kdapl_rmr *rmr = to_rmr(obj);

	mutex_lock(&rmr->mutex);
	rmr->gone = true;
	mutex_unlock(&rmr->mutex);
	rmr_await_binds(rmr);
	rmr_drop_windows(rmr);
	kdapl_obj_unuse(&rmr->pz->obj);
}

void kdapl_rmr_kill(struct kdapl_rmr *rmr)
{
	mutex_lock(&rmr->mutex);
	rmr->gone = true;
	mutex_unlock(&rmr->mutex);
	/* The end of their EPs gave all binds back. */
	wait_event_idle(rmr->idle, rmr_idle(rmr));
	rmr_drop_windows(rmr);
}

static void rmr_release(struct kdapl_obj *obj)
{
	kfree(to_rmr(obj));
}

const struct kdapl_obj_ops kdapl_rmr_ops = {
	.type = KDAPL_OBJ_RMR,
	.destroy = rmr_destroy,
	.release = rmr_release,
};

int kdapl_rmr_create(struct kdapl_ia *ia, struct kdapl_rmr_create *arg)
{
	struct kdapl_rmr *rmr;
	struct kdapl_obj *pz;
	int ret;

	if (!ia->max_rmr_size)
		return -EOPNOTSUPP;
	rmr = kzalloc(sizeof(*rmr), kdapl_ia_gfp(ia));
	if (!rmr)
		return -ENOMEM;
	mutex_init(&rmr->mutex);
	spin_lock_init(&rmr->lock);
	init_waitqueue_head(&rmr->idle);
	ret = kdapl_obj_init(&rmr->obj, ia, &kdapl_rmr_ops, arg->user);
	if (ret) {
		kfree(rmr);
		return ret;
	}
	pz = kdapl_obj_use(ia, arg->pz, KDAPL_OBJ_PZ);
	if (!pz) {
		kdapl_obj_abort(&rmr->obj);
		return -ENOENT;
	}
	rmr->pz = to_pz(pz);
	arg->id = rmr->obj.id;
	kdapl_obj_publish(&rmr->obj);
	return 0;
}
