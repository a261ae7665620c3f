// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * EVD: its life, from the memory that it has to the events that nobody read.
 */

#include <linux/log2.h>
#include <linux/slab.h>

#include "cno.h"
#include "evd_ring.h"
#include "ia.h"

/* Nothing is queued any more; who waits is told so. @requests: what else is to be told. */
static void evd_close(struct kdapl_evd *evd, struct list_head *requests)
{
	spin_lock_bh(&evd->lock);
	evd->dead = true;
	kdapl_evd_drop_backlog(evd, requests);
	wake_up_all(&evd->wait);
	spin_unlock_bh(&evd->lock);
}

/* What is queued stays readable: the last events tell what happened. */
static void evd_end_waits(struct kdapl_evd *evd)
{
	if (evd->dead || !evd->killed || evd->borrowers)
		return;
	kdapl_evd_set_flag(evd, KDAPL_EV_DEAD, true);
	wake_up_all(&evd->wait);
}

void kdapl_evd_kill(struct kdapl_evd *evd)
{
	spin_lock_bh(&evd->lock);
	evd->killed = true;
	evd_end_waits(evd);
	spin_unlock_bh(&evd->lock);
}

void kdapl_evd_lend(struct kdapl_evd *evd)
{
	spin_lock_bh(&evd->lock);
	evd->borrowers++;
	spin_unlock_bh(&evd->lock);
}

void kdapl_evd_unlend(struct kdapl_evd *evd)
{
	spin_lock_bh(&evd->lock);
	evd->borrowers--;
	evd_end_waits(evd);
	spin_unlock_bh(&evd->lock);
}

static void evd_free_memory(struct kdapl_evd *evd)
{
	struct kdapl_ia *ia = evd->obj.ia;

	if (evd->head.addr)
		kdapl_slot_free(&ia->regions, &evd->head);
	if (evd->region)
		kdapl_region_free(&ia->regions, evd->region);
	if (evd->next)
		kdapl_region_free(&ia->regions, evd->next);
}

/* With @freed the EVD is gone, and perhaps it was its CNO's last. */
static void evd_leave_cno(struct kdapl_cno *cno, bool freed)
{
	if (!cno)
		return;
	kdapl_cno_detach(cno, freed);
	kdapl_obj_unuse(&cno->obj);
}

/* A dead EVD gets none any more: there would be nobody to leave it. */
static struct kdapl_cno *evd_swap_cno(struct kdapl_evd *evd,
				      struct kdapl_cno *cno, bool enabled)
{
	spin_lock_bh(&evd->lock);
	if (!evd->dead || !cno)
		swap(evd->cno, cno);
	evd->enabled = enabled;
	spin_unlock_bh(&evd->lock);
	return cno;
}

int kdapl_evd_set_notify(struct kdapl_evd *evd,
			 const struct kdapl_evd_notify *arg)
{
	struct kdapl_cno *cno = NULL;
	struct kdapl_obj *obj;

	if (arg->cno) {
		obj = kdapl_obj_use(evd->obj.ia, arg->cno, KDAPL_OBJ_CNO);
		if (!obj)
			return -ENOENT;
		cno = to_cno(obj);
		kdapl_cno_attach(cno);
	}
	evd_leave_cno(evd_swap_cno(evd, cno, arg->enabled), false);
	return 0;
}

/* Nobody has the handle of a request that nobody heard of: its peer is told. */
static void evd_lose(struct kdapl_evd *evd, const struct kdapl_event *event)
{
	if (evd->unread)
		evd->unread(evd, event);
	if (kdapl_event_is_request(event))
		kdapl_obj_destroy(evd->obj.ia, lower_32_bits(event->length),
				  KDAPL_OBJ_CR);
}

/* A program can have it lose requests again that it took: they are its own. */
static void evd_lose_ring(struct kdapl_evd *evd)
{
	u32 n;

	for (n = kdapl_evd_in_ring(evd); n; n--) {
		evd_lose(evd, &evd->entries[(evd->tail - n) & evd->entries_mask]);
		cond_resched();
	}
}

static void evd_lose_requests(struct kdapl_evd *evd, struct list_head *requests)
{
	struct kdapl_evrec *rec, *next;

	list_for_each_entry_safe(rec, next, requests, list) {
		evd_lose(evd, &rec->event);
		kdapl_evd_release(rec);
	}
}

static void evd_obj_destroy(struct kdapl_obj *obj)
{
	struct kdapl_evd *evd = to_evd(obj);
	LIST_HEAD(requests);

	evd_close(evd, &requests);
	evd_lose_ring(evd);
	evd_lose_requests(evd, &requests);
	evd_leave_cno(evd_swap_cno(evd, NULL, false), true);
	evd_free_memory(evd);
}

static void evd_obj_release(struct kdapl_obj *obj)
{
	kfree(to_evd(obj));
}

static const struct kdapl_obj_ops kdapl_evd_ops = {
	.type = KDAPL_OBJ_EVD,
	.destroy = evd_obj_destroy,
	.release = evd_obj_release,
};

int kdapl_evd_ring_create(struct kdapl_ia *ia, u32 qlen,
			  struct kdapl_region **region)
{
	size_t size = KDAPL_EV_ENTRIES_OFFSET +
		      (size_t)qlen * sizeof(struct kdapl_event);

	return kdapl_region_create(&ia->regions, size, false, region);
}

static int evd_alloc_memory(struct kdapl_evd *evd)
{
	struct kdapl_ia *ia = evd->obj.ia;
	struct kdapl_region *region;
	int ret;

	ret = kdapl_evd_ring_create(ia, evd->qlen, &region);
	if (ret)
		return ret;
	kdapl_evd_use(evd, region, evd->qlen);
	return kdapl_slot_alloc(&ia->regions, true, &evd->head);
}

int kdapl_evd_create(struct kdapl_ia *ia, struct kdapl_evd_create *arg)
{
	struct kdapl_evd *evd;
	int ret;

	if (!arg->flags || arg->flags & ~DAT_EVD_ALL_FLAGS || !arg->qlen)
		return -EINVAL;
	if (arg->qlen > KDAPL_EVD_QLEN_MAX)
		return -ENOSPC;

	evd = kzalloc(sizeof(*evd), kdapl_ia_gfp(ia));
	if (!evd)
		return -ENOMEM;
	spin_lock_init(&evd->lock);
	INIT_LIST_HEAD(&evd->backlog);
	INIT_LIST_HEAD(&evd->solicited);
	INIT_LIST_HEAD(&evd->cqs);
	init_waitqueue_head(&evd->wait);
	evd->flags = arg->flags;
	evd->qlen = roundup_pow_of_two(arg->qlen);
	evd->waitable = true;
	evd->ejections = 1;
	evd->enabled = true;

	ret = kdapl_obj_init(&evd->obj, ia, &kdapl_evd_ops, arg->user);
	if (ret) {
		kfree(evd);
		return ret;
	}
	ret = evd_alloc_memory(evd);
	if (ret) {
		evd_free_memory(evd);
		kdapl_obj_abort(&evd->obj);
		return ret;
	}

	arg->qlen = evd->qlen;
	arg->id = evd->obj.id;
	arg->ring = kdapl_region_map(evd->region, 0);
	arg->head = kdapl_slot_map(&evd->head);
	kdapl_obj_publish(&evd->obj);
	return 0;
}

static void evrec_free(struct kdapl_evrec *rec)
{
	kfree(rec);
}

struct kdapl_evrec *kdapl_evrec_alloc(const struct kdapl_ia *ia)
{
	struct kdapl_evrec *rec = kzalloc(sizeof(*rec), kdapl_ia_gfp(ia));

	if (rec) {
		INIT_LIST_HEAD(&rec->list);
		rec->release = evrec_free;
	}
	return rec;
}
