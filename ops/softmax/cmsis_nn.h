// Needs CMSIS-NN (cmsis_nn=PREFIX). Smaller than the reference, which has a table of exponentials;
// slower, since it computes each twice.
#pragma once

#include "runtimes/cmsis/nn.h"
#include "softmax.op.h"

namespace opsmith::softmax {

template <class P>
void cmsis_nn(const P& p, const In<int8_t>& in, const Out<int8_t>& out, const NnTables& tables) {
  arm_softmax_s8(in.x, p.rows, p.depth, tables.scaling[0], tables.scaling[1], tables.scaling[2],
                 out.y);
}

}  // namespace opsmith::softmax
