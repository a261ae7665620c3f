// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What dat_ia_query() tells. */
#pragma once

#include "face.hpp"
#include "named_attribute.hpp"

#include "engine/ia.hpp"

#include <vector>

namespace face {

/** What of them the engine does not know or DAT has no field for. They live with the IA. */
class IaAttributes final : public kdapl::FaceData {
public:
	IaAttributes(const kdapl::Ia &ia, bool thread_safe);

	/** Whether its provider was registered so. */
	bool thread_safe() const noexcept { return thread_safe_; }

	DAT_NAMED_ATTR *list() noexcept { return list_.data(); }
	DAT_COUNT count() const noexcept { return to_count(list_.size()); }

private:
	bool thread_safe_;
	std::vector<NamedAttribute> attributes_;
	std::vector<DAT_NAMED_ATTR> list_; /**< points to them */
};

void fill(const kdapl::Ia &ia, DAT_IA_ATTR &attr) noexcept;
void fill(const kdapl::Ia &ia, DAT_PROVIDER_ATTR &attr) noexcept;

} // namespace face
