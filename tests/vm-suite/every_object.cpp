// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

#include "every_object.hpp"

#include <algorithm>

namespace suite {

namespace {

DAT_EP_HANDLE make_ep(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, DAT_EVD_HANDLE evd)
{
	DAT_EP_HANDLE ep;

	ok(dat_ep_create(ia, pz, evd, evd, evd, nullptr, &ep));
	return ep;
}

} // namespace

EveryObject::EveryObject() : pages_(4096)
{
	DAT_EVD_HANDLE async = DAT_HANDLE_NULL;
	DAT_CNO_HANDLE cno;
	DAT_IA_ATTR attributes;

	ok(dat_ia_open(adapter_name().data(), 1, &async, &ia_));
	ok(dat_ia_query(ia_, nullptr, DAT_IA_FIELD_IA_ADDRESS_PTR, &attributes, 0, nullptr));
	address_ = attributes.ia_address_ptr;
	ok(dat_pz_create(ia_, &pz_));
	ok(dat_evd_create(ia_, 64, DAT_HANDLE_NULL, any_stream, &evd_));
	ok(dat_cno_create(ia_, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno));
	list_ = { { ia_, DAT_HANDLE_TYPE_IA },
		  { pz_, DAT_HANDLE_TYPE_PZ },
		  { evd_, DAT_HANDLE_TYPE_EVD },
		  { cno, DAT_HANDLE_TYPE_CNO } };
	make_memory();
	make_service_points();
	std::sort(list_.begin(), list_.end(),
		  [](const Object &a, const Object &b) { return a.type < b.type; });
}

void EveryObject::make_memory()
{
	DAT_REGION_DESCRIPTION region{ .for_va = pages_.data() };
	DAT_SRQ_ATTR attributes = { 4, 1, DAT_SRQ_LW_DEFAULT };
	DAT_LMR_HANDLE lmr;
	DAT_RMR_HANDLE rmr;
	DAT_SRQ_HANDLE srq;

	ok(dat_lmr_create(ia_, DAT_MEM_TYPE_VIRTUAL, region, pages_.size(), pz_,
			  DAT_MEM_PRIV_ALL_FLAG, &lmr, nullptr, nullptr, nullptr, nullptr));
	ok(dat_rmr_create(pz_, &rmr));
	ok(dat_srq_create(ia_, pz_, &attributes, &srq));
	list_.push_back({ lmr, DAT_HANDLE_TYPE_LMR });
	list_.push_back({ rmr, DAT_HANDLE_TYPE_RMR });
	list_.push_back({ srq, DAT_HANDLE_TYPE_SRQ });
}

/** A PSP with a request from an EP, and an RSP with an EP beside it. */
void EveryObject::make_service_points()
{
	const DAT_EP_HANDLE ep = make_ep(ia_, pz_, evd_);
	DAT_CONN_QUAL qual, other;
	DAT_PSP_HANDLE psp, gone;
	DAT_RSP_HANDLE rsp;
	DAT_EVENT event;
	DAT_COUNT more;

	ok(dat_psp_create_any(ia_, &qual, evd_, DAT_PSP_CONSUMER_FLAG, &psp));
	ok(dat_psp_create_any(ia_, &other, evd_, DAT_PSP_CONSUMER_FLAG, &gone));
	ok(dat_psp_free(gone));
	reserved_ = make_ep(ia_, pz_, evd_);
	ok(dat_rsp_create(ia_, other, reserved_, evd_, &rsp));
	ok(dat_ep_connect(ep, address_, qual, DAT_TIMEOUT_INFINITE, 0, nullptr, DAT_QOS_BEST_EFFORT,
			  DAT_CONNECT_DEFAULT_FLAG));
	ok(dat_evd_wait(evd_, 20'000'000, 1, &event, &more));
	require(event.event_number == DAT_CONNECTION_REQUEST_EVENT, "another event");
	list_.push_back({ ep, DAT_HANDLE_TYPE_EP });
	list_.push_back({ psp, DAT_HANDLE_TYPE_PSP });
	list_.push_back({ rsp, DAT_HANDLE_TYPE_RSP });
	list_.push_back({ event.event_data.cr_arrival_event_data.cr_handle, DAT_HANDLE_TYPE_CR });
}

EveryObject::~EveryObject()
{
	if (open_)
		dat_ia_close(ia_, DAT_CLOSE_ABRUPT_FLAG);
}

void EveryObject::close(DAT_CLOSE_FLAGS flags)
{
	ok(dat_ia_close(ia_, flags));
	open_ = false;
}

} // namespace suite
