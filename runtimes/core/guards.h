// Debug builds (guards=1): finds nodes that write where they may not. Freestanding C++17.
#pragma once

#include <stdint.h>

namespace opsmith {

// Bytes that a node has to leave alone. Those that no tensor has are free.
struct Kept {
  uint8_t* data;
  uint32_t bytes;
  bool free;
};

// The first node that wrote where it must not: into which of its Kept.
struct Overrun {
  bool found;
  uint32_t node, range;
};

// Looks at the Kept of one node at a time, of which there are at most `most`.
template <uint32_t most>
class Guards {
 public:
  // Paints what is free and remembers a sum of what is not.
  template <uint32_t count>
  void before(const Kept (&kept)[count]) {
    static_assert(count <= most, "there is room for the sums of the longest list");
    for (uint32_t i = 0; i < count; ++i) {
      if (kept[i].free) {
        for (uint32_t at = 0; at < kept[i].bytes; ++at) kept[i].data[at] = kPaint;
      } else {
        sums_[i] = sum(kept[i]);
      }
    }
  }

  // Looks whether it all is as it was.
  template <uint32_t count>
  void after(uint32_t node, const Kept (&kept)[count]) {
    for (uint32_t i = 0; i < count && !overrun_.found; ++i) {
      const bool whole = kept[i].free ? painted(kept[i]) : sum(kept[i]) == sums_[i];
      if (!whole) overrun_ = {true, node, i};
    }
  }

  Overrun found() const { return overrun_; }

 private:
  static constexpr uint8_t kPaint = 0xA5;

  static bool painted(const Kept& kept) {
    for (uint32_t at = 0; at < kept.bytes; ++at) {
      if (kept.data[at] != kPaint) return false;
    }
    return true;
  }

  // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv): each step maps sums one to one, so that one
  // byte more or less always shows.
  static uint32_t sum(const Kept& kept) {
    uint32_t sum = 2166136261u;
    for (uint32_t at = 0; at < kept.bytes; ++at) sum = (sum ^ kept.data[at]) * 16777619u;
    return sum;
  }

  uint32_t sums_[most];
  Overrun overrun_;
};

}  // namespace opsmith
