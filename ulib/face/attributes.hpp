// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What dat_ia_query() tells. */
#pragma once

#include "face.hpp"

#include "engine/ia.hpp"

#include <array>
#include <memory>
#include <string>

namespace face {

/** Attributes that DAT has no field for; as long-lived as the IA. */
class NamedAttributes final : public kdapl::FaceData {
public:
	explicit NamedAttributes(const kdapl::Ia &ia);

	DAT_NAMED_ATTR *list() noexcept { return list_.data(); }
	DAT_COUNT count() const noexcept { return to_count(list_.size()); }

private:
	static constexpr std::size_t number = 11;

	std::array<std::string, number> values_;
	std::array<DAT_NAMED_ATTR, number> list_;
};

void fill(const kdapl::Ia &ia, DAT_IA_ATTR &attr) noexcept;
void fill(const kdapl::Ia &ia, DAT_PROVIDER_ATTR &attr) noexcept;

} // namespace face
