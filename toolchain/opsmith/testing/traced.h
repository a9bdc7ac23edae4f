// Forced into a host build in front of everything: int8_t becomes a class that reports every read
// and write, and shadow memory remembers which byte of which tensor was last written where. A read
// that finds another byte than its tensor's ends the program. Of elements of other types only those
// are seen that are copied or filled as bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

namespace traced {

// What a node reads or writes: bytes of the arena, and the number of the first of them.
struct Region {
  uint32_t node;
  uint32_t offset;
  uint32_t bytes;
  uint32_t number;
  uint32_t phase;  // of the first byte in rows of `period` bytes, whose numbers begin again
  uint32_t period;
  bool output;  // or scratch
  bool seen;    // its elements are int8_t
  bool whole;   // every byte has to be written
};

inline const unsigned char* arena = nullptr;
inline uint32_t arena_size = 0;
inline uint32_t* shadow = nullptr;     // for each byte of the arena: its number, or 0
inline const Region* first = nullptr;  // of the node that runs
inline const Region* last = nullptr;

[[noreturn]] inline void fail(const char* what, uint32_t offset) {
  fprintf(stderr, "node %u %s at arena + %u\n", first == last ? 0 : first->node, what, offset);
  exit(3);
}

// The arena that is checked from now on, of which nothing was written yet if it is another one.
inline void watch(const void* memory, uint32_t bytes) {
  if (memory == arena && bytes == arena_size) return;
  free(shadow);
  shadow = static_cast<uint32_t*>(calloc(bytes, sizeof(uint32_t)));
  if (shadow == nullptr) fail("has no memory to check an arena", bytes);
  arena = static_cast<const unsigned char*>(memory);
  arena_size = bytes;
}

// The shadows of these bytes, all of which must be in the arena.
inline uint32_t* shadows(uint32_t offset, uint32_t bytes) {
  if (offset > arena_size || bytes > arena_size - offset) fail("leaves the arena", offset);
  return shadow + offset;
}

inline bool inside(const void* at, uint32_t* offset) {
  const uintptr_t distance = reinterpret_cast<uintptr_t>(at) - reinterpret_cast<uintptr_t>(arena);
  *offset = static_cast<uint32_t>(distance);
  return first != last && distance < arena_size;
}

// What shadow memory holds of a byte that is as it should be.
inline uint32_t expected(const Region& r, uint32_t offset) {
  return r.number + (offset - r.offset + r.phase) % r.period;
}

inline bool covers(const Region& r, uint32_t offset) { return offset - r.offset < r.bytes; }

inline void read(const void* at) {
  uint32_t offset;
  if (!inside(at, &offset)) return;
  bool input = false;
  bool own = false;
  for (const Region* r = first; r != last; ++r) {
    if (!covers(*r, offset)) continue;
    const bool found = shadow[offset] == expected(*r, offset);
    if (!r->output && found) return;
    input |= !r->output;
    own |= found || !r->seen;
  }
  if (input || !own) fail("reads what is no longer there", offset);
}

inline void write(const void* at) {
  uint32_t offset;
  if (!inside(at, &offset)) return;
  for (const Region* r = first; r != last; ++r) {
    if (r->output && covers(*r, offset)) {
      shadow[offset] = expected(*r, offset);
      return;
    }
  }
  fail("writes what is not its own", offset);
}

inline void put(const Region& r) {
  uint32_t* const held = shadows(r.offset, r.bytes);
  for (uint32_t i = 0; i < r.bytes; ++i) held[i] = expected(r, r.offset + i);
}

inline void expect(const Region& r, const char* otherwise) {
  const uint32_t* const held = shadows(r.offset, r.bytes);
  for (uint32_t i = 0; i < r.bytes; ++i) {
    if (held[i] != expected(r, r.offset + i)) fail(otherwise, r.offset + i);
  }
}

// Ends the node that ran: what follows is no node's.
inline void leave(const void* memory, uint32_t bytes) {
  watch(memory, bytes);
  for (const Region* r = first; r != last; ++r) {
    if (r->output && r->seen && r->whole) expect(*r, "left a byte of its output unwritten");
    if (r->output && !r->seen) put(*r);
  }
  first = last;
}

// Ends the node that ran and begins another; its inputs must be there as a whole. The regions end
// with one of node UINT32_MAX.
inline void enter(const Region* regions, uint32_t node, const void* memory, uint32_t bytes) {
  leave(memory, bytes);
  first = regions;
  while (first->node != UINT32_MAX && first->node != node) ++first;
  last = first;
  while (last->node == node) ++last;
  for (const Region* r = first; r != last; ++r) {
    shadows(r->offset, r->bytes);  // of outputs, too, before anything is written
    if (!r->output) expect(*r, "finds an input overwritten");
  }
}

struct Byte {
  signed char value;
  Byte() = default;
  constexpr Byte(int v) : value(static_cast<signed char>(v)) {}
  constexpr Byte(const Byte& other) : value(other.get()) {}
  Byte& operator=(const Byte& other) {
    const signed char v = other.get();
    write(this);
    value = v;
    return *this;
  }
  constexpr operator int() const { return get(); }
  constexpr signed char get() const {
    if (!__builtin_is_constant_evaluated()) read(this);
    return value;
  }
};

inline void* copy(void* to, const void* from, size_t bytes) {
  const unsigned char* source = static_cast<const unsigned char*>(from);
  unsigned char* target = static_cast<unsigned char*>(to);
  uint32_t offset = 0;
  if (source < target + bytes && target < source + bytes && inside(to, &offset)) {
    fail("copies onto what it copies", offset);
  }
  for (size_t i = 0; i < bytes; ++i) read(source + i);
  for (size_t i = 0; i < bytes; ++i) write(target + i);
  return memmove(to, from, bytes);
}

inline void* fill(void* to, int value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) write(static_cast<unsigned char*>(to) + i);
  return memset(to, value, bytes);
}

// Rows between nodes: a new one, with numbers from `number` on; one that is copied; the oldest
// goes.
inline void new_rows(uint32_t number, uint32_t row_bytes, const void* to, uint32_t bytes) {
  const uint32_t offset = static_cast<uint32_t>(static_cast<const unsigned char*>(to) - arena);
  uint32_t* const held = shadows(offset, bytes);
  for (uint32_t i = 0; i < bytes; ++i) held[i] = number + i % row_bytes;
}

inline void copy_row(void* to, const void* from, uint32_t bytes) {
  const uint32_t source = static_cast<uint32_t>(static_cast<const unsigned char*>(from) - arena);
  const uint32_t target = static_cast<uint32_t>(static_cast<unsigned char*>(to) - arena);
  memmove(to, from, bytes);
  memmove(shadows(target, bytes), shadows(source, bytes), bytes * sizeof(uint32_t));
}

// Takes a row from a whole tensor, which must still be there.
inline void take_row(const Region& whole, const Region& row, void* to, const void* from,
                     uint32_t bytes) {
  const uint32_t source = static_cast<uint32_t>(static_cast<const unsigned char*>(from) - arena);
  const uint32_t target = static_cast<uint32_t>(static_cast<unsigned char*>(to) - arena);
  const uint32_t* const there = shadows(source, bytes);
  for (uint32_t i = 0; i < bytes; ++i) {
    if (there[i] != expected(whole, source + i)) fail("takes a row that is gone", source + i);
  }
  memmove(to, from, bytes);
  uint32_t* const held = shadows(target, bytes);
  for (uint32_t i = 0; i < bytes; ++i) held[i] = expected(row, target + i);
}

inline void drop_oldest_row(unsigned char* rows, uint32_t row_bytes, uint32_t bytes) {
  copy_row(rows, rows + row_bytes, bytes);
}

}  // namespace traced

#define int8_t traced::Byte
#define memcpy traced::copy
#define memset traced::fill
