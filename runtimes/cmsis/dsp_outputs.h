// How kernels for the DSP extension turn sums into outputs: members of their Params, as types.
#pragma once

#include <stdint.h>

#include "runtimes/core/channel_constants.h"

namespace opsmith::dsp {

// Whether some weights of P fit in no pair.
template <class P>
constexpr auto has_unpaired(const P* p) -> decltype(p->unpaired, true) {
  return true;
}
constexpr bool has_unpaired(...) { return false; }

// Whether a Params, of which `member` is &P::member, is known at compile time.
constexpr bool is_known(const int32_t* /*member*/) { return true; }
template <class P>
constexpr bool is_known(int32_t P::* /*member*/) {
  return false;
}

// How a kernel turns sums into int8: `left_shift`, `right_shift`, `activation_min` and
// `activation_max` of its Params. Kernels whose code is shared by layers take these alone.
struct Outputs {
  int32_t left_shift;
  int32_t right_shift;
  int32_t activation_min;
  int32_t activation_max;
};

// The same, and the type of the elements: int8 or uint8.
template <class T>
struct OutputsOf : Outputs {};

// Those of int8 that are clamped to all of it, where shifts alone are read at run time.
struct SaturatedOutputs {
  int32_t left_shift;
  int32_t right_shift;
  static constexpr int32_t activation_min = -128;
  static constexpr int32_t activation_max = 127;
};

template <int32_t kLeft, int32_t kRight, int32_t kMin, int32_t kMax>
struct StaticOutputs {
  static constexpr int32_t left_shift = kLeft;
  static constexpr int32_t right_shift = kRight;
  static constexpr int32_t activation_min = kMin;
  static constexpr int32_t activation_max = kMax;
};

// Any of these where some channels round once.
template <class O>
struct OwnOutputs : O {
  static constexpr int32_t own = 1;
};

// Those of thresholds, among which some pairs of channels have LongThreshold.
template <class O>
struct LongOwnOutputs : O {};

template <class O>
constexpr const O& with_long(const O& o) {
  return o;
}
template <class O>
constexpr LongOwnOutputs<O> with_long(const OwnOutputs<O>& o) {
  return {static_cast<const O&>(o)};
}

// Those of a Params, where `member` is &P::left_shift: of a Params known at compile time, whose
// members are static, a type which is the same wherever they are equal.
template <class T, class P>
constexpr auto outputs_of(const P&, const int32_t* /*member*/) {
  using O = StaticOutputs<P::left_shift, P::right_shift, P::activation_min, P::activation_max>;
  if constexpr (has_own(static_cast<const P*>(nullptr))) {
    return OwnOutputs<O>{};
  } else {
    return O{};
  }
}
template <class T, class P>
constexpr auto outputs_of(const P& p, int32_t P::* /*member*/) {
  const Outputs o = {p.left_shift, p.right_shift, p.activation_min, p.activation_max};
  if constexpr (has_own(static_cast<const P*>(nullptr))) {
    return OwnOutputs<OutputsOf<T>>{{o}};
  } else {
    return OutputsOf<T>{o};
  }
}

// The same for kernels that clamp what goes beyond int8 and leave the rest to clamp_outputs.
template <int32_t kLeft, int32_t kRight, int32_t kMin, int32_t kMax>
constexpr auto saturated(const StaticOutputs<kLeft, kRight, kMin, kMax>& o) {
  return o;
}
constexpr SaturatedOutputs saturated(const OutputsOf<int8_t>& o) {
  return {o.left_shift, o.right_shift};
}
constexpr Outputs saturated(const OutputsOf<uint8_t>& o) { return o; }

template <class O>
constexpr auto saturated(const OwnOutputs<O>& o) {
  return OwnOutputs<decltype(saturated(O{}))>{saturated(static_cast<const O&>(o))};
}

// The same for kernels that leave all of int8 to clamp_image; those of uint8 clamp as they go.
template <class T, int32_t kLeft, int32_t kRight, int32_t kMin, int32_t kMax>
constexpr auto unclamped(const StaticOutputs<kLeft, kRight, kMin, kMax>& o) {
  if constexpr (T(-1) < T(0)) {
    return StaticOutputs<kLeft, kRight, -128, 127>{};
  } else {
    return o;
  }
}
template <class T>
constexpr auto unclamped(const OutputsOf<T>& o) {
  return saturated(o);
}
template <class T, class O>
constexpr auto unclamped(const OwnOutputs<O>& o) {
  return OwnOutputs<decltype(unclamped<T>(O{}))>{unclamped<T>(static_cast<const O&>(o))};
}

// The same for channels that do not round once.
template <class O>
constexpr O of_others(const O& o) {
  return o;
}
template <class O>
constexpr O of_others(const OwnOutputs<O>& o) {
  return o;
}

// Clamps N elements of y, a pitch apart, which `saturated` outputs are, unless they are clamped
// already because their bounds are constants.
template <class O>
void clamp_outputs(const O& /*outputs*/, int32_t /*size*/, int32_t /*pitch*/, int8_t* /*y*/) {
  static_assert(O::activation_min < O::activation_max,
                "bounds that are read have a form of theirs");
}
template <class T>
void clamp_outputs(const OutputsOf<T>& outputs, int32_t size, int32_t pitch, int8_t* y) {
  const int32_t low = outputs.activation_min, high = outputs.activation_max;
  if (high - low == 255) return;
  T* output = reinterpret_cast<T*>(y);
  for (; size > 0; --size, output += pitch) {
    const int32_t value = *output < low ? low : *output;
    *output = static_cast<T>(value > high ? high : value);
  }
}
template <class O>
void clamp_outputs(const OwnOutputs<O>& outputs, int32_t size, int32_t pitch, int8_t* y) {
  clamp_outputs(static_cast<const O&>(outputs), size, pitch, y);
}
template <class O>
void clamp_outputs(const LongOwnOutputs<O>& outputs, int32_t size, int32_t pitch, int8_t* y) {
  clamp_outputs(static_cast<const O&>(outputs), size, pitch, y);
}

}  // namespace opsmith::dsp
