// SoftGate with the DSP extension: the gate is one saturating instruction and one comparison.
#pragma once

#include <arm_acle.h>

#include "soft_gate.op.h"

namespace opsmith::soft_gate {

template <class P>
void soft_gate_cmsis_dsp(const P& p, const In& in, const Out& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const uint32_t x = static_cast<uint32_t>(in.x[i]);
    const int32_t moved = static_cast<int32_t>(x + static_cast<uint32_t>(p.offset));
    const uint32_t gate = __usat(moved, 3);
    out.y[i] = static_cast<int32_t>(x * (gate > 6 ? 6 : gate));
  }
}

}  // namespace opsmith::soft_gate
