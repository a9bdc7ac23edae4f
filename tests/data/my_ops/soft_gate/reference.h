// SoftGate, the definition.
#pragma once

#include "soft_gate.op.h"

namespace opsmith::soft_gate {

// Sums and products wrap, as those of the shipped ops do.
template <class P>
void soft_gate_reference(const P& p, const In& in, const Out& out) {
  for (int32_t i = 0; i < p.elements; ++i) {
    const uint32_t x = static_cast<uint32_t>(in.x[i]);
    const int32_t moved = static_cast<int32_t>(x + static_cast<uint32_t>(p.offset));
    const uint32_t gate = static_cast<uint32_t>(moved < 0 ? 0 : moved > 6 ? 6 : moved);
    out.y[i] = static_cast<int32_t>(x * gate);
  }
}

}  // namespace opsmith::soft_gate
