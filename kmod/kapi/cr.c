// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Connection requests. */

#include <linux/export.h>
#include <linux/slab.h>

#include "../cr.h"
#include "../sp.h"
#include "kapi.h"

/* Where the service point's consumer left that to us. */
static int cr_make_ep(struct kapi_cr *kcr, struct kdapl_cr *cr)
{
	struct kapi_ep *kep = kapi_ep_for_request(kcr->obj.ia);

	if (IS_ERR(kep))
		return PTR_ERR(kep);
	kcr->ep = kep;
	kdapl_cr_bring(cr, to_ep(kep->obj.core));
	return 0;
}

/* It can arrive before dat_psp_create_any() has heard where. */
static void cr_names_port(const struct kdapl_sp *sp)
{
	struct kapi_obj *obj;

	rcu_read_lock();
	obj = kapi_live(sp->obj.user, DAT_HANDLE_TYPE_PSP);
	if (obj)
		WRITE_ONCE(container_of(obj, struct kapi_sp, obj)->conn_qual,
			   sp->conn_qual);
	rcu_read_unlock();
}

/* Its handle is made with it, where memory can be waited for. */
u64 kapi_cr_arrives(const struct kdapl_sp *sp, struct kdapl_cr *cr)
{
	struct kapi_obj *kia = kapi_live(sp->obj.ia->user, DAT_HANDLE_TYPE_IA);
	struct kapi_cr *kcr;

	if (!kia)
		return 0;
	cr_names_port(sp);
	kcr = kapi_new(kia->ia, DAT_HANDLE_TYPE_CR, sizeof(*kcr));
	if (!kcr)
		return 0;
	kcr->obj.id = cr->obj.id;
	kapi_sockaddr(&kcr->local, &cr->local);
	kapi_sockaddr(&kcr->remote, &cr->remote);
	kcr->size = cr->private_data_size;
	memcpy(kcr->private_data, cr->private_data, cr->private_data_size);
	if (sp->ep_source == KDAPL_CR_EP_OFFER && cr_make_ep(kcr, cr)) {
		kapi_forget(&kcr->obj);
		return 0;
	}
	return kcr->obj.word;
}

/* It ended without an accept; so does the EP that was made for it. */
static void cr_forget(struct kapi_cr *kcr)
{
	struct kapi_ep *kep = kcr->ep;

	kapi_forget(&kcr->obj);
	if (kep)
		WARN_ON(kapi_destroy(&kep->obj, KDAPL_OBJ_EP));
}

void kapi_crs_forget(struct kapi_cr *lost)
{
	struct kapi_cr *next;

	for (; lost; lost = next) {
		next = lost->next_lost;
		cr_forget(lost);
	}
}

static u16 sockaddr_port(const struct sockaddr_storage *ss)
{
	const struct sockaddr_in *sin = (const struct sockaddr_in *)ss;

	/* At the same place in one of IPv6. */
	BUILD_BUG_ON(offsetof(struct sockaddr_in, sin_port) !=
		     offsetof(struct sockaddr_in6, sin6_port));
	return ntohs(sin->sin_port);
}

/* The EP that it brings along: NULL is an answer, so this needs no memory. */
static struct kapi_obj *cr_ep(struct kapi_cr *kcr)
{
	struct kdapl_cr_query q = { .cr = kcr->obj.id };
	struct kapi_obj *ep;

	if (kdapl_cr_query(kcr->obj.ia->core, &q))
		return NULL;
	rcu_read_lock();
	ep = kapi_live(q.ep_user, DAT_HANDLE_TYPE_EP);
	rcu_read_unlock();
	return ep;
}

DAT_RETURN dat_cr_query(DAT_CR_HANDLE cr, DAT_CR_PARAM_MASK mask,
			DAT_CR_PARAM *param)
{
	struct kapi_cr *kcr = kapi_to(cr, cr, CR);

	if (!kcr)
		return KAPI_BAD_HANDLE(CR);
	if (mask & ~DAT_CR_FIELD_ALL)
		return KAPI_BAD_ARG(2);
	if (!param)
		return KAPI_BAD_ARG(3);
	*param = (DAT_CR_PARAM){
		.remote_ia_address_ptr = (void *)&kcr->remote,
		.remote_port_qual = sockaddr_port(&kcr->remote),
		.private_data_size = kcr->size,
		.private_data = kcr->private_data,
	};
	/* Only this may sleep. */
	if (mask & DAT_CR_FIELD_LOCAL_EP_HANDLE)
		param->local_ep_handle = cr_ep(kcr);
	return DAT_SUCCESS;
}
EXPORT_SYMBOL_GPL(dat_cr_query);

static bool data_ok(DAT_COUNT size, const void *private_data)
{
	return size >= 0 && size <= KDAPL_PRIVATE_DATA_MAX &&
	       (!size || private_data);
}

static int cr_accept(struct kapi_cr *kcr, u32 ep, DAT_COUNT size,
		     const void *private_data)
{
	struct kapi_ia *kia = kcr->obj.ia;
	struct kdapl_cr_accept *arg;
	int ret;

	arg = kzalloc(sizeof(*arg), GFP_KERNEL);
	if (!arg)
		return -ENOMEM;
	arg->cr = kcr->obj.id;
	arg->ep = ep;
	arg->private_data_size = size;
	if (size)
		memcpy(arg->private_data, private_data, size);
	ret = kapi_enter(kia);
	if (!ret) {
		ret = kdapl_cr_accept(kia->core, arg);
		kapi_leave(kia);
	}
	kfree(arg);
	return ret;
}

DAT_RETURN dat_cr_accept(DAT_CR_HANDLE cr, DAT_EP_HANDLE ep, DAT_COUNT size,
			 const DAT_PVOID private_data)
{
	struct kapi_cr *kcr = kapi_to(cr, cr, CR);
	struct kapi_obj *kep;
	int ret;

	if (!kcr)
		return KAPI_BAD_HANDLE(CR);
	kep = kapi_of(kcr->obj.ia, ep, DAT_HANDLE_TYPE_EP);
	if (ep && !kep)
		return KAPI_BAD_HANDLE(EP);
	if (!data_ok(size, private_data))
		return KAPI_BAD_ARG(3);
	/* When it is accepted the consumer may free the EP that came along. */
	ret = cr_accept(kcr, kep ? kep->id : 0, size, private_data);
	if (!ret)
		kapi_forget(&kcr->obj);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_cr_accept);

/* Without memory of its own: it is what is left to who has none to accept. */
static int cr_reject(struct kapi_cr *kcr, DAT_COUNT size,
		     const void *private_data)
{
	struct kapi_ia *kia = kcr->obj.ia;
	struct kdapl_cr_reject arg = {
		.cr = kcr->obj.id,
		.private_data_size = size,
	};
	int ret;

	if (size)
		memcpy(arg.private_data, private_data, size);
	kdapl_ia_enter_free(kia->core);
	ret = kdapl_cr_reject(kia->core, &arg);
	if (ret == -ENOENT)
		/* The device went: there is nobody to tell, it only goes. */
		ret = kdapl_obj_destroy(kia->core, kcr->obj.id, KDAPL_OBJ_CR);
	kdapl_ia_leave(kia->core);
	return ret;
}

DAT_RETURN dat_cr_reject(DAT_CR_HANDLE cr, DAT_COUNT size,
			 const DAT_PVOID private_data)
{
	struct kapi_cr *kcr = kapi_to(cr, cr, CR);
	int ret;

	if (!kcr)
		return KAPI_BAD_HANDLE(CR);
	if (!data_ok(size, private_data))
		return KAPI_BAD_ARG(2);
	ret = cr_reject(kcr, size, private_data);
	if (!ret)
		cr_forget(kcr);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_cr_reject);

DAT_RETURN dat_cr_handoff(DAT_CR_HANDLE cr, DAT_CONN_QUAL conn_qual)
{
	struct kapi_cr *kcr = kapi_to(cr, cr, CR);
	struct kdapl_cr_handoff arg = {
		.size = sizeof(arg),
		.conn_qual = conn_qual,
	};
	int ret;

	if (!kcr)
		return KAPI_BAD_HANDLE(CR);
	arg.cr = kcr->obj.id;
	ret = kapi_enter(kcr->obj.ia);
	if (!ret) {
		ret = kdapl_cr_handoff(kcr->obj.ia->core, &arg);
		kapi_leave(kcr->obj.ia);
	}
	if (!ret)
		cr_forget(kcr);
	return kapi_error(ret);
}
EXPORT_SYMBOL_GPL(dat_cr_handoff);
