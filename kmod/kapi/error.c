// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The core's results in the API's words. */

#include "kapi.h"

static const struct {
	int err;
	u32 type, subtype;
} kapi_errors[] = {
	{ ENOMEM, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY },
	{ ENOSPC, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE },
	{ EDQUOT, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE },
	{ EINVAL, DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE },
	{ EMSGSIZE, DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE },
	{ EFAULT, DAT_INVALID_PARAMETER, DAT_NO_SUBTYPE },
	{ ENOENT, DAT_INVALID_HANDLE, DAT_NO_SUBTYPE },
	{ EBADFD, DAT_INVALID_STATE, DAT_NO_SUBTYPE },
	{ EBUSY, DAT_INVALID_STATE, DAT_NO_SUBTYPE },
	{ EPERM, DAT_PROTECTION_VIOLATION, DAT_NO_SUBTYPE },
	{ EACCES, DAT_PRIVILEGES_VIOLATION, DAT_NO_SUBTYPE },
	{ ENODEV, DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE },
	{ EOPNOTSUPP, DAT_MODEL_NOT_SUPPORTED, DAT_NO_SUBTYPE },
	{ EPROTONOSUPPORT, DAT_COMM_NOT_SUPPORTED, DAT_NO_SUBTYPE },
	{ EADDRINUSE, DAT_CONN_QUAL_IN_USE, DAT_NO_SUBTYPE },
	{ EADDRNOTAVAIL, DAT_INVALID_ADDRESS, DAT_INVALID_ADDRESS_UNREACHABLE },
	{ ENOBUFS, DAT_QUEUE_FULL, DAT_NO_SUBTYPE },
	{ EINTR, DAT_INTERRUPTED_CALL, DAT_SUB_INTERRUPTED },
};

DAT_RETURN kapi_error(int err)
{
	unsigned int i;

	if (!err)
		return DAT_SUCCESS;
	for (i = 0; i < ARRAY_SIZE(kapi_errors); i++)
		if (kapi_errors[i].err == -err)
			return DAT_ERROR(kapi_errors[i].type,
					 kapi_errors[i].subtype);
	return DAT_ERROR(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
}

DAT_RETURN kapi_lack(int err, u32 resource)
{
	if (err == -ENOSPC || err == -EDQUOT)
		return DAT_ERROR(DAT_INSUFFICIENT_RESOURCES, resource);
	return kapi_error(err);
}

DAT_RETURN kapi_lmr_error(int err)
{
	switch (err) {
	case -EIO:
	case -EAGAIN:
		/* No room to map it. */
		return kapi_error(-ENOMEM);
	case -EREMOTEIO:
		/* Another device's, which this one does not reach. */
		return kapi_error(-EINVAL);
	default:
		return kapi_lack(err, DAT_RESOURCE_MEMORY_REGION);
	}
}
