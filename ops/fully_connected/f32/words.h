// Fast as runtimes/families/weight_words.h says, and in less flash than floats take.
#pragma once

#include "fully_connected.op.h"
#include "runtimes/families/weight_words.h"

namespace opsmith::fully_connected::f32 {

template <class P>
void words(const P& p, const In<float>& in, const Out<float>& out, const WordTables& tables) {
  weight_words::multiply(p, in.x, tables, out.y);
}

}  // namespace opsmith::fully_connected::f32
