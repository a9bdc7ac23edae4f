// Kernel instances and constants of awkward.
#pragma once

#include "add.op.h"
#include "pad.op.h"

namespace awkward {

void add_0(
    const opsmith::add::AffinePairs& params, const opsmith::add::In<int8_t>& in,
    const opsmith::add::Out<int8_t>& out);
void pad_0(
    const opsmith::pad::Params& params, const opsmith::pad::In<void>& in,
    const opsmith::pad::Out<void>& out);

extern const int8_t a_b_4[3] asm("awkward.a_b_4");

}  // namespace awkward
