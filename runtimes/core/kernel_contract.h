// Whether a function is what its op.py says. Generated code asserts it of every kernel it calls.
#pragma once

namespace opsmith {

struct Fits {
  static constexpr bool value = true;
};
struct DoesNotFit {
  static constexpr bool value = false;
};

// decltype(fits<Type>(function))::value; nothing is instantiated for it.
template <class Type>
Fits fits(Type*);
template <class Type>
DoesNotFit fits(...);

}  // namespace opsmith
