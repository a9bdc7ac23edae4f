// What a channel's sums of products are requantised with, as runtimes/core/dsp_requantization.py
// packs and proves it. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// Where P's right_shift is 0.
struct Rounding {
  int32_t bias;        // twice
  int32_t multiplier;  // Q31
  int32_t rest;        // 2 * zero point + 1, and the shift in the lowest five bits

  constexpr int32_t shift() const { return rest & 31; }  // to the right, at least 1
  // Half of 2^shift, and the zero point times 2^shift.
  constexpr int32_t offset() const { return (rest >> 5) * (1 << (shift() - 1)); }

  // A channel whose multiplier is 1/2 or more, where P has `own`: it rounds once, and has in place
  // of a shift to the right one to the left, and the zero point.
  constexpr bool rounds_once() const { return shift() == 0; }
  constexpr int32_t left() const { return rest >> 5 & 31; }
  constexpr int32_t zero_point() const { return rest >> 10; }
};

struct LongThreshold;

// Where P's right_shift is not 0.
struct Threshold {
  int32_t multiplier;
  int32_t offset;

  // A channel of which the table has Rounding, where P has `own`.
  constexpr bool is_own() const { return multiplier < 0; }
  const Rounding& own() const {
    return *reinterpret_cast<const Rounding*>(reinterpret_cast<const char*>(this) + offset);
  }
  const LongThreshold& own_product() const { return reinterpret_cast<const LongThreshold&>(own()); }
};

// A sum whose output the thresholds of its channel miss by one, as runtimes/core/exceptions.py
// lists them, in rising order of channels. Behind the last follows one of a channel after all
// others.
struct Exception {
  int32_t sum;
  int32_t rest;  // the channel, eight bits of what the line gives, and 1 where the output is larger

  constexpr int32_t channel() const { return rest >> 9; }
  constexpr int8_t line() const { return static_cast<int8_t>(rest >> 1); }
  constexpr int32_t more() const { return ((rest & 1) << 1) - 1; }
  constexpr int8_t output() const { return static_cast<int8_t>(line() + more()); }
};

constexpr int32_t kAfterAll = 0x7fffffff >> 9;  // that channel

// Constants of a channel with exceptions.
struct Listed {
  Threshold line;
  const Exception* first;
  const Exception* end;

  // The output of a sum, of what the line gives.
  int8_t corrected(int32_t sum, int8_t y) const { return first == end ? y : found(sum, y); }

 private:
  __attribute__((noinline)) int8_t found(int32_t sum, int8_t y) const {
    for (const Exception* e = first; e != end; ++e) {
      if (e->sum == sum) return static_cast<int8_t>(y + e->more());
    }
    return y;
  }
};

// The constants of all channels; those that are asked for one after the other are near.
class ListedChannels {
 public:
  ListedChannels(const int32_t* table, int32_t first)
      : channels_(reinterpret_cast<const Threshold*>(table)),
        first_(reinterpret_cast<const Exception*>(table) + first),
        next_(first_) {}

  Listed operator[](int32_t c) {
    while (next_ != first_ && next_[-1].channel() >= c) --next_;
    while (next_->channel() < c) ++next_;
    const Exception* after = next_;
    while (after->channel() == c) ++after;
    return {channels_[c], next_, after};
  }

  const Threshold* lines() const { return channels_; }

  // Where exceptions of channels before `end` are left, calls f(the first), which returns the next.
  template <class F>
  void before(int32_t end, F f) {
    if (next_->channel() < end) next_ = f(next_);
  }

 private:
  const Threshold* channels_;
  const Exception* first_;
  const Exception* next_;
};

// The constants of each channel, by number, but for exceptions.
template <class C>
const C* lines_of(const C* constants) {
  return constants;
}
inline const Threshold* lines_of(const ListedChannels& constants) { return constants.lines(); }

// Calls f as ListedChannels does, for other constants never.
template <class C, class F>
void exceptions_before(const C* /*constants*/, int32_t /*end*/, F /*f*/) {}
template <class F>
void exceptions_before(ListedChannels& constants, int32_t end, F f) {
  constants.before(end, f);
}

// Leaves out exceptions of channels before `first`.
template <class C>
void skip_exceptions(const C* /*constants*/, int32_t /*first*/) {}
inline void skip_exceptions(ListedChannels& constants, int32_t first) {
  constants.before(first, [&](const Exception* e) {
    while (e->channel() < first) ++e;
    return e;
  });
}

// Corrects outputs of kChannels channels from c on, by their sums [pixel][channel]; `pitch` is the
// number of elements of y from a pixel to the next. Returns the first exception of a later channel.
// Shared by all layers.
template <int32_t kChannels>
__attribute__((noinline)) const Exception* corrected_block(const Exception* e, int32_t c,
                                                           const int32_t* sums, int8_t* y,
                                                           int32_t pixels, int32_t pitch) {
  for (; e->channel() < c + kChannels; ++e) {
    const int32_t channel = e->channel();
    for (int32_t k = 0; k < pixels; ++k) {
      int8_t& found = y[k * pitch + channel];
      if (sums[k * kChannels + channel - c] == e->sum) {
        found = static_cast<int8_t>(found + e->more());
      }
    }
  }
  return e;
}

// Where the product and the offset have 64 bits, as runtimes/core/long_product.py proves them.
struct LongThreshold {
  int32_t multiplier;
  uint32_t offset_low;
  int32_t offset_high;

  // To the right, in a layer whose channels have their own; the next byte is the one to the left.
  constexpr int32_t own_shift() const { return static_cast<int32_t>(offset_low & 31); }
  constexpr int32_t own_left() const { return static_cast<int32_t>(offset_low >> 8 & 31); }
  constexpr int64_t offset() const {
    return static_cast<int64_t>(static_cast<uint64_t>(static_cast<uint32_t>(offset_high)) << 32 |
                                offset_low);
  }
};

// Where P has `single`: a sum and its bias are multiplied in single precision, and rounded to the
// nearest integer, halves to even.
struct Single {
  int32_t bias;
  float factor;
  int32_t zero_point;
};
template <class P>
constexpr auto is_single(const P* p) -> decltype(p->single, true) {
  return true;
}
constexpr bool is_single(...) { return false; }

// Whether all channels of P, which has `own`, have Rounding.
template <class P>
constexpr auto is_rounded(const P* p) -> decltype(p->rounded, true) {
  return true;
}
constexpr bool is_rounded(...) { return false; }

// The constants of all channels: Single or Rounding where P says so, else of type C.
template <class C, class P>
auto rule_or(const P& /*p*/, const int32_t* table) {
  if constexpr (is_single(static_cast<const P*>(nullptr))) {
    return reinterpret_cast<const Single*>(table);
  } else if constexpr (is_rounded(static_cast<const P*>(nullptr))) {
    return reinterpret_cast<const Rounding*>(table);
  } else {
    return reinterpret_cast<const C*>(table);
  }
}

// Twice a sum whose output is beyond int8, where multipliers are 1/2 or more.
constexpr int32_t kCertainTwice = 1 << 16;

// Whether some channels of P have constants unlike the others'.
template <class P>
constexpr auto has_own(const P* p) -> decltype(p->own, true) {
  return true;
}
constexpr bool has_own(...) { return false; }

// The Rounding of channel c of P, which has `own`, where it is unlike the others: among thresholds,
// or as one that rounds once.
template <class P>
const Rounding* own_of(const P& p, const int32_t* table, int32_t c) {
  if (p.right_shift != 0) {
    const Threshold& channel = reinterpret_cast<const Threshold*>(table)[c];
    return channel.is_own() ? &channel.own() : nullptr;
  }
  const Rounding& channel = reinterpret_cast<const Rounding*>(table)[c];
  return channel.rounds_once() ? &channel : nullptr;
}

// Whether the constants of P have exceptions.
template <class P>
constexpr auto is_listed(const P* p) -> decltype(p->exceptions_at, true) {
  return true;
}
constexpr bool is_listed(...) { return false; }

// The first of the exceptions where the constants of P have some; else nothing that is of use.
template <class P>
auto exceptions_of(const P& p, const int32_t* table)
    -> decltype(p.exceptions_at, table, static_cast<const Exception*>(nullptr)) {
  return reinterpret_cast<const Exception*>(table) + p.exceptions_at;
}
constexpr const Exception* exceptions_of(...) { return nullptr; }

// The constants of channel c where those of P have exceptions; else nothing that is of use.
template <class P>
auto listed_of(const P& p, const int32_t* table, int32_t c) -> decltype(p.exceptions_at, Listed()) {
  return ListedChannels(table, p.exceptions_at)[c];
}
constexpr int32_t listed_of(...) { return 0; }

// Calls f with the constants of all channels, of the kind that P says, which [c] gives those of a
// channel of.
template <class P, class F>
void with_constants(const P& p, const int32_t* table, F f) {
  if constexpr (is_listed(static_cast<const P*>(nullptr))) {
    f(ListedChannels(table, p.exceptions_at));
  } else if constexpr (is_single(static_cast<const P*>(nullptr))) {
    f(reinterpret_cast<const Single*>(table));
  } else if (p.right_shift != 0) {
    f(reinterpret_cast<const Threshold*>(table));
  } else {
    f(reinterpret_cast<const Rounding*>(table));
  }
}

}  // namespace opsmith
