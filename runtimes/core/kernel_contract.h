// Whether a function is what its op.py says. Generated code asserts it of every kernel it calls.
#pragma once

#include "runtimes/core/arithmetic.h"

namespace opsmith {

struct Declared {
  static constexpr bool value = true;
};

// decltype(is_as_declared<Type>(function))::value; nothing is instantiated for it. The function may
// be overloaded: the type says which overload is meant.
template <class Type>
Declared is_as_declared(Type*);

}  // namespace opsmith
