// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that minds its own business while another one misbehaves. */
#pragma once

#include "play.hpp"

#include <functional>

namespace suite {

/**
 * Runs a hostile program while another process keeps moving data over a
 * connection of its own and checks every byte. That one must get on before,
 * during and after the attack.
 */
void play_hostile(const std::function<void()> &attack);

} // namespace suite
