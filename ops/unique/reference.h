// Unique, the definition: both outputs are known.
#pragma once

#include <string.h>

#include "unique.op.h"

namespace opsmith::unique {

template <class P>
void reference(const P& p, const In<void, void>&, const Out<void, void>& out,
               const Tables& tables) {
  memcpy(out.y, tables.y, static_cast<size_t>(p.bytes));
  memcpy(out.place, tables.place, static_cast<size_t>(p.place_bytes));
}

}  // namespace opsmith::unique
