// ExpandDims, the definition: a copy. The plan makes views of most.
#pragma once

#include <string.h>

#include "expand_dims.op.h"

namespace opsmith::expand_dims {

// y never overlaps x: the plan puts it either at x, and no kernel is called, or elsewhere.
template <class P, class T>
void copy(const P& p, const T* x, T* y) {
  memcpy(y, x, static_cast<size_t>(p.elements) * sizeof(T));
}

}  // namespace opsmith::expand_dims
