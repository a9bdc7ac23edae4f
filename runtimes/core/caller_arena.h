// The arena of a model that the application passes to it. Freestanding C++17.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace opsmith {

// Why a model cannot use an arena.
enum class ArenaFault : uint8_t { none, too_small, misaligned };

// What is wrong with these bytes, of which `needed` are, and at such an alignment. Null has none.
inline ArenaFault arena_fault(const void* arena, size_t bytes, size_t needed, size_t alignment) {
  if (bytes < needed || (arena == nullptr && needed > 0)) return ArenaFault::too_small;
  const bool aligned = reinterpret_cast<uintptr_t>(arena) % alignment == 0;
  return aligned ? ArenaFault::none : ArenaFault::misaligned;
}

// The elements of an input or output tensor in an arena, accessed as through std::span.
template <class T, size_t N>
struct ElementsAt {
  T* first;

  static constexpr size_t size() { return N; }
  T* data() const { return first; }
  T* begin() const { return first; }
  T* end() const { return first + N; }
  T& operator[](size_t i) const { return first[i]; }
};

}  // namespace opsmith
