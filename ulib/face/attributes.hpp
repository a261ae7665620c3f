// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What dat_ia_query() tells. */
#pragma once

#include "face.hpp"

#include "engine/ia.hpp"

#include <array>
#include <memory>
#include <string>

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
	static constexpr std::size_t number = 11;

	bool thread_safe_;
	std::array<std::string, number> values_;
	std::array<DAT_NAMED_ATTR, number> list_;
};

void fill(const kdapl::Ia &ia, DAT_IA_ATTR &attr) noexcept;
void fill(const kdapl::Ia &ia, DAT_PROVIDER_ATTR &attr) noexcept;

} // namespace face
