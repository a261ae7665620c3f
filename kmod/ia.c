// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* IA: an opened adapter, and all objects that belong to it. */

#include <linux/cred.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/wait_bit.h>

#include "account.h"
#include "adapter.h"
#include "cm_data.h"
#include "cr.h"
#include "ep.h"
#include "evd.h"
#include "frwr.h"
#include "ia.h"
#include "lmr.h"
#include "sp.h"
#include "srq.h"

/* Slots of one work queue that a program can ask for. */
#define WQ_MAX			16384
/* EVDs with short rings; the memory of all is bounded by KDAPL_REGION_BYTES_MAX. */
#define EVDS_MAX		32768

static bool frwr_only;
module_param(frwr_only, bool, 0600);
MODULE_PARM_DESC(frwr_only,
		 "for tests: treat no driver as able to register user memory");

static bool rmr_reuse;
module_param(rmr_reuse, bool, 0600);
MODULE_PARM_DESC(rmr_reuse,
		 "for tests: treat every driver as one whose MRs can be bound again");

/* ---- the device may be used --------------------------------------------- */

int kdapl_ia_enter(struct kdapl_ia *ia)
{
	if (down_read_killable(&ia->hw_lock))
		return -EINTR;
	if (ia->dead) {
		up_read(&ia->hw_lock);
		return -ENODEV;
	}
	return 0;
}

void kdapl_ia_enter_free(struct kdapl_ia *ia)
{
	down_read(&ia->hw_lock);
}

void kdapl_ia_leave(struct kdapl_ia *ia)
{
	up_read(&ia->hw_lock);
}

/* ---- open --------------------------------------------------------------- */

static u64 ia_max_lmr_size(const struct kdapl_ia *ia)
{
	/* ib_core counts an LMR's pages in 32 bits. */
	u64 most = (u64)INT_MAX << PAGE_SHIFT;
	u64 size = ia->dev->attrs.max_mr_size;

	if (ia->frwr)
		return min(most, kdapl_frwr_max_size(ia->dev));
	return size ? min(most, size) : most;
}

static int ia_set_limits(struct kdapl_ia *ia)
{
	const struct ib_device_attr *attrs = &ia->dev->attrs;
	struct ib_port_attr port;
	u32 wr, iov;
	int ret;

	ret = ib_query_port(ia->dev, ia->port, &port);
	if (ret)
		return ret;
	ia->max_message = port.max_msg_sz ?: INT_MAX;
	ia->max_lmr_size = ia_max_lmr_size(ia);
	if (kdapl_driver_invalidates(ia->dev))
		ia->max_rmr_size = kdapl_frwr_max_size(ia->dev);

	/* One completion queue holds both work queues of an EP. */
	wr = min(attrs->max_qp_wr, attrs->max_cqe / 2);
	ia->max_requests = min_t(u32, wr, WQ_MAX);
	ia->max_recvs = ia->max_requests;

	iov = min(attrs->max_send_sge, attrs->max_recv_sge);
	ia->max_iov = min_t(u32, iov, KDAPL_SEGS_MAX);
	/* An RDMA read over iWARP has one sink, unless the device says more. */
	iov = attrs->max_sge_rd ?: (ia->iwarp ? 1 : ia->max_iov);
	ia->max_iov_read = min(ia->max_iov, iov);

	ia->max_srqs = max(attrs->max_srq, 0);
	ia->max_srq_window = min(attrs->max_srq_wr, attrs->max_cqe);
	/* An EP has the segments of its SRQ, and no more than its own limit. */
	ia->max_srq_iov = min_t(u32, attrs->max_srq_sge, ia->max_iov);

	/* rdma_cm negotiates the depths in eight bits. */
	ia->max_read_in = min_t(u32, attrs->max_qp_rd_atom, U8_MAX);
	ia->max_read_out = min_t(u32, attrs->max_qp_init_rd_atom, U8_MAX);
	/* iWARP has neither, whatever its device says. */
	ia->imm = !ia->iwarp;
	ia->atomic = !ia->iwarp && kdapl_driver_atomic(ia->dev);

	ia->max_private_data = kdapl_cm_max_private_data(ia, false);
	ia->max_private_data_accept = kdapl_cm_max_private_data(ia, true);
	return 0;
}

static void ia_kill_work(struct work_struct *work);

/* Whose it is. */
static void ia_set_owner(struct kdapl_ia *ia, bool kernel)
{
	ia->kernel = kernel;
	ia->net = get_net(kernel ? &init_net : current->nsproxy->net_ns);
	ia->uid = kernel ? GLOBAL_ROOT_UID : current_euid();
}

bool kdapl_ia_may_bind(const struct kdapl_ia *ia)
{
	return ia->kernel || current->nsproxy->net_ns == ia->net;
}

bool kdapl_ia_may_listen(const struct kdapl_ia *ia)
{
	return ia->dev->ops.driver_id != RDMA_DRIVER_SIW ||
	       net_eq(current->nsproxy->net_ns, ia->net);
}

static void ia_init(struct kdapl_ia *ia, const struct kdapl_ia_open *arg)
{
	ia->dev = ia->adapter->dev;
	ia->port = ia->adapter->port;
	ia->iwarp = rdma_protocol_iwarp(ia->dev, ia->port);
	ia->user = arg->user;
	ia->drop_async = arg->flags & KDAPL_IA_DROP_ASYNC;
	ia->tell_op = arg->flags & KDAPL_IA_TELL_OP;
	ia->relaxed = arg->flags & KDAPL_IA_RO_AWARE &&
		      kdapl_driver_relaxed(ia->dev);
	/* Memory of the kernel is registered in no other way. */
	ia->frwr = ia->kernel || frwr_only || !kdapl_driver_registers(ia->dev);
	ia->local_key = ia->kernel && kdapl_driver_local_key(ia->dev);
	ia->rmr_reuse = rmr_reuse || kdapl_driver_fences(ia->dev);
	ia->rmr_register = !ia->frwr && kdapl_driver_goes_on(ia->dev);
	ia->rmr_inv_first = kdapl_driver_repeats(ia->dev);
	init_rwsem(&ia->hw_lock);
	INIT_WORK(&ia->kill_work, ia_kill_work);
	mutex_init(&ia->join_lock);
	mutex_init(&ia->cq_lock);
	INIT_LIST_HEAD(&ia->cqs);
	INIT_LIST_HEAD(&ia->work_cqs);
	kdapl_reaper_init(&ia->reaper);
	xa_init_flags(&ia->windows, kdapl_xa_account(kdapl_ia_gfp(ia)));
	xa_init(&ia->fmrs);
	kdapl_obj_table_init(&ia->objs, kdapl_ia_gfp(ia));
}

/* What ia_new() has made. */
static void ia_free_new(struct kdapl_ia *ia)
{
	kdapl_sq_destroy(&ia->sq);
	kdapl_region_table_destroy(&ia->regions);
	kdapl_adapter_put(ia->adapter);
	put_net(ia->net);
	kfree(ia);
}

/* Everything but the device's: that is gone, or was never there. */
static void ia_free(struct kdapl_ia *ia)
{
	/* A read or a peer's message would find it there after its end. */
	kdapl_table_end(&ia->windows);
	kdapl_table_end(&ia->fmrs);
	kdapl_evd_give_back(ia);
	kdapl_obj_table_destroy(&ia->objs);
	ia_free_new(ia);
}

/* Caller holds the adapter's lock, and so keeps the device. */
static int ia_attach(struct kdapl_ia *ia)
{
	int ret;

	ret = ia_set_limits(ia);
	if (ret)
		return ret;
	ret = kdapl_ia_charge(ia, &ia->cg, RDMACG_RESOURCE_HCA_HANDLE);
	if (ret)
		return ret;
	list_add_tail(&ia->list, &ia->adapter->ias);
	return 0;
}

/*
 * What needs no device; so nobody waits for the adapter's lock while this program waits for
 * memory, as long as its control group likes.
 */
static struct kdapl_ia *ia_new(const struct kdapl_ia_open *arg, bool kernel)
{
	struct kdapl_ia *ia;
	int ret;

	ia = kzalloc(sizeof(*ia), kernel ? GFP_KERNEL : GFP_KERNEL_ACCOUNT);
	if (!ia)
		return ERR_PTR(-ENOMEM);
	ia_set_owner(ia, kernel);
	ia->adapter = kdapl_adapter_get(ia->net, arg->name, ia->name);
	if (!ia->adapter) {
		put_net(ia->net);
		kfree(ia);
		return ERR_PTR(-ENODEV);
	}
	kdapl_region_table_init(&ia->regions, kdapl_ia_gfp(ia));
	ret = kernel ? 0 : kdapl_sq_init(&ia->sq, ia, arg->sq_entries);
	if (ret) {
		ia_free_new(ia);
		return ERR_PTR(ret);
	}
	return ia;
}

static struct kdapl_ia *ia_open(const struct kdapl_ia_open *arg,
				struct kdapl_ia *owner, bool kernel)
{
	struct kdapl_ia *ia;
	int ret;

	if (arg->flags & ~(KDAPL_IA_RO_AWARE | KDAPL_IA_DROP_ASYNC |
			   KDAPL_IA_TELL_OP) ||
	    (arg->flags & KDAPL_IA_DROP_ASYNC && arg->async_evd) ||
	    strnlen(arg->name, sizeof(arg->name)) == sizeof(arg->name))
		return ERR_PTR(-EINVAL);

	ia = ia_new(arg, kernel);
	if (IS_ERR(ia))
		return ia;

	mutex_lock(&ia->adapter->lock);
	/* Only this lock, or being in the list, keeps the device. */
	if (ia->adapter->gone) {
		mutex_unlock(&ia->adapter->lock);
		ia_free_new(ia);
		return ERR_PTR(-ENODEV);
	}
	ia_init(ia, arg);
	ret = kdapl_evd_borrow(ia, owner, arg->async_evd);
	if (!ret)
		ret = ia_attach(ia);
	mutex_unlock(&ia->adapter->lock);
	if (ret) {
		ia_free(ia);
		return ERR_PTR(ret);
	}

	return ia;
}

struct kdapl_ia *kdapl_ia_open(struct kdapl_ia_open *arg,
			       struct kdapl_ia *owner)
{
	struct kdapl_ia *ia;

	if (arg->pad)
		return ERR_PTR(-EINVAL);
	ia = ia_open(arg, owner, false);
	if (IS_ERR(ia))
		return ia;
	arg->sq_entries = ia->sq.mask + 1;
	arg->sq = kdapl_region_map(ia->sq.region, 0);
	arg->sq_status = kdapl_slot_map(&ia->sq.status);
	return ia;
}

struct kdapl_ia *kdapl_ia_open_kernel(const struct kdapl_ia_open *arg,
				      struct kdapl_ia *owner)
{
	return ia_open(arg, owner, true);
}

/* ---- the ends ----------------------------------------------------------- */

void kdapl_ia_close(struct kdapl_ia *ia)
{
	kdapl_sq_stop(&ia->sq);

	kdapl_ia_enter_free(ia);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_PSP);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_RSP);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_CR);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_EP);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_SRQ);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_RMR);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_LMR);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_EVD);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_CNO);
	kdapl_obj_destroy_all(ia, KDAPL_OBJ_PZ);
	kdapl_cgroup_uncharge(ia->dev, &ia->cg, RDMACG_RESOURCE_HCA_HANDLE);
	kdapl_ia_leave(ia);

	/* A removal of the device that comes from now on finds nothing. */
	mutex_lock(&ia->adapter->lock);
	list_del(&ia->list);
	mutex_unlock(&ia->adapter->lock);
	/* One that has found it already ends first. */
	flush_work(&ia->kill_work);

	ia_free(ia);
}

/* The event has a record of its own for each EVD: it cannot be lost. */
static void tell_catastrophe(const struct kdapl_ia *ia, struct kdapl_evd *evd,
			     struct kdapl_evrec *rec)
{
	const struct kdapl_event event = {
		.user = ia->user,
		.type = DAT_ASYNC_ERROR_IA_CATASTROPHIC,
	};

	kdapl_evd_post(evd, &event, rec);
}

static void evd_tell(struct kdapl_evd *evd)
{
	if (evd->flags & DAT_EVD_ASYNC_FLAG)
		tell_catastrophe(evd->obj.ia, evd, &evd->catastrophe);
}

static void obj_kill(struct kdapl_obj *obj)
{
	switch (obj->ops->type) {
	case KDAPL_OBJ_PSP:
	case KDAPL_OBJ_RSP:
		kdapl_sp_kill(obj);
		break;
	case KDAPL_OBJ_CR:
		kdapl_cr_kill(obj);
		break;
	case KDAPL_OBJ_EP:
		kdapl_ep_kill(to_ep(obj));
		break;
	case KDAPL_OBJ_SRQ:
		kdapl_srq_kill(to_srq(obj));
		break;
	case KDAPL_OBJ_RMR:
		kdapl_rmr_kill(to_rmr(obj));
		break;
	case KDAPL_OBJ_LMR:
		kdapl_lmr_kill(to_lmr(obj));
		break;
	case KDAPL_OBJ_PZ:
		kdapl_pz_kill(to_pz(obj));
		break;
	case KDAPL_OBJ_EVD:
		evd_tell(to_evd(obj));
		break;
	case KDAPL_OBJ_CNO:
		/* Only memory. The device's end is an event like others. */
		break;
	}
}

static void objs_kill(struct kdapl_ia *ia, enum kdapl_obj_type type)
{
	struct kdapl_obj *obj;
	unsigned long id;

	xa_for_each(&ia->objs.xa, id, obj) {
		cond_resched();
		/* Connection requests come and go without the hw_lock. */
		obj = kdapl_obj_get(ia, id, type);
		if (!obj)
			continue;
		obj_kill(obj);
		kdapl_obj_put(obj);
	}
}

static void ia_end_waits(struct kdapl_ia *ia)
{
	struct kdapl_obj *obj;
	unsigned long id;

	xa_for_each(&ia->objs.xa, id, obj) {
		cond_resched();
		obj = kdapl_obj_get(ia, id, KDAPL_OBJ_EVD);
		if (!obj)
			continue;
		kdapl_evd_kill(to_evd(obj));
		kdapl_obj_put(obj);
	}
}

/* Caller holds the hw_lock. */
static void ia_kill_locked(struct kdapl_ia *ia)
{
	WRITE_ONCE(ia->dead, true);
	objs_kill(ia, KDAPL_OBJ_PSP);
	objs_kill(ia, KDAPL_OBJ_RSP);
	objs_kill(ia, KDAPL_OBJ_CR);
	objs_kill(ia, KDAPL_OBJ_EP);
	objs_kill(ia, KDAPL_OBJ_SRQ);
	objs_kill(ia, KDAPL_OBJ_RMR);
	objs_kill(ia, KDAPL_OBJ_LMR);
	objs_kill(ia, KDAPL_OBJ_PZ);
	objs_kill(ia, KDAPL_OBJ_EVD);
	if (ia->lent_evd) {
		tell_catastrophe(ia, ia->lent_evd, &ia->catastrophe);
		kdapl_evd_unlend(ia->lent_evd);
	}
	kdapl_cgroup_uncharge(ia->dev, &ia->cg, RDMACG_RESOURCE_HCA_HANDLE);
	/* Nothing more comes, but from an IA that was lent an EVD. */
	ia_end_waits(ia);
}

/* The device may go after its program, and the other way round. */
static void ia_kill(struct kdapl_ia *ia)
{
	down_write(&ia->hw_lock);
	if (!ia->dead)
		ia_kill_locked(ia);
	up_write(&ia->hw_lock);
}

static void ia_killed(struct kdapl_ia *ia)
{
	if (atomic_dec_and_test(&ia->adapter->dying))
		wake_up_var(&ia->adapter->dying);
}

static void ia_kill_work(struct work_struct *work)
{
	struct kdapl_ia *ia = container_of(work, struct kdapl_ia, kill_work);

	ia_kill(ia);
	ia_killed(ia);
}

void kdapl_ia_kill(struct kdapl_ia *ia)
{
	atomic_inc(&ia->adapter->dying);
	/* It counts once. */
	if (!queue_work(kdapl_removal_workqueue, &ia->kill_work))
		ia_killed(ia);
}

/* ---- query -------------------------------------------------------------- */

static void ia_query_names(struct kdapl_ia *ia, struct kdapl_ia_query *arg)
{
	char fw[IB_FW_VERSION_NAME_MAX] = "";

	strscpy(arg->name, ia->name, sizeof(arg->name));
	strscpy(arg->driver, kdapl_driver_name(ia->dev), sizeof(arg->driver));
	ib_get_device_fw_str(ia->dev, fw);
	strscpy(arg->fw_version, fw, sizeof(arg->fw_version));
	kdapl_adapter_netdev(ia->adapter, ia->net, arg->netdev);
}

static void ia_query_port(struct kdapl_ia *ia, struct kdapl_ia_query *arg)
{
	struct ib_port_attr port;
	int mtu;

	arg->node_guid = be64_to_cpu(ia->dev->node_guid);
	arg->port = ia->port;
	if (ib_query_port(ia->dev, ia->port, &port))
		return;
	arg->port_state = port.state;
	mtu = ib_mtu_enum_to_int(port.active_mtu);
	arg->mtu = mtu > 0 ? mtu : 0;
}

int kdapl_ia_query(struct kdapl_ia *ia, struct kdapl_ia_query *arg)
{
	const struct ib_device_attr *attrs = &ia->dev->attrs;

	*arg = (struct kdapl_ia_query){
		.size = arg->size,
		.transport = ia->iwarp ? KDAPL_TRANSPORT_IWARP :
					 KDAPL_TRANSPORT_IB,
		.vendor_id = attrs->vendor_id,
		.hw_version = attrs->hw_ver,
		.max_private_data = ia->max_private_data,
		.max_private_data_accept = ia->max_private_data_accept,
		.max_eps = attrs->max_qp,
		.max_requests = ia->max_requests,
		.max_recvs = ia->max_recvs,
		.max_iov = ia->max_iov,
		.max_iov_read = ia->max_iov_read,
		.max_rdma_read_in = ia->max_read_in,
		.max_rdma_read_out = ia->max_read_out,
		.max_evds = EVDS_MAX,
		.max_evd_qlen = KDAPL_EVD_QLEN_MAX,
		.max_lmrs = attrs->max_mr,
		.max_pzs = attrs->max_pd,
		.max_lmr_size = ia->max_lmr_size,
		.max_message = ia->max_message,
		.max_srqs = ia->max_srqs,
		.max_srq_recvs = ia->max_srqs ? KDAPL_SRQ_MAX : 0,
		.max_srq_iov = ia->max_srqs ? ia->max_srq_iov : 0,
		.max_rmr_size = ia->max_rmr_size,
	};
	if (ia->relaxed)
		arg->flags |= KDAPL_IA_RELAXED_ORDERING;
	if (ia->frwr)
		arg->flags |= KDAPL_IA_FRWR;
	if (ia->atomic)
		arg->flags |= KDAPL_IA_ATOMIC;
	if (ia->imm)
		arg->flags |= KDAPL_IA_IMM;
	if (ia->max_rmr_size)
		arg->flags |= KDAPL_IA_INV;
	ia_query_names(ia, arg);
	ia_query_port(ia, arg);
	arg->num_addrs = kdapl_ia_addrs(ia, NULL, arg->addrs,
					KDAPL_ADDRS_MAX);
	return 0;
}
