// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How many RDMA reads an endpoint may have outstanding. */
#pragma once

#include "failure.hpp"

#include <dat/udat.h>

namespace suite {

/** Sets how many there may be to it, and from it. */
inline void set_depths(DAT_EP_HANDLE ep, DAT_COUNT in, DAT_COUNT out,
		       Location where = Location::current())
{
	DAT_EP_PARAM param{};

	param.ep_attr.max_rdma_read_in = in;
	param.ep_attr.max_rdma_read_out = out;
	ok(dat_ep_modify(ep,
			 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN |
				 DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT,
			 &param),
	   where);
}

} // namespace suite
