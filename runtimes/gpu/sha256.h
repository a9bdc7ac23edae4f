// SHA-256 (FIPS 180-4).
#pragma once

#include <stdint.h>
#include <string.h>

namespace opsmith::gpu {

struct Digest {
  uint8_t bytes[32];
};

// The digest of all that was added.
class Sha256 {
 public:
  void add(const void* data, size_t bytes) {
    const uint8_t* const from = static_cast<const uint8_t*>(data);
    for (size_t i = 0; i < bytes; ++i) {
      block_[added_++ % sizeof(block_)] = from[i];
      if (added_ % sizeof(block_) == 0) mix();
    }
  }
  void add(const char* text) { add(text, strlen(text) + 1); }

  // Nothing may be added afterwards.
  Digest digest() {
    const uint64_t bits = 8 * added_;
    const uint8_t one = 0x80, zero = 0;
    add(&one, 1);
    while (added_ % sizeof(block_) != sizeof(block_) - sizeof(bits)) add(&zero, 1);
    for (int shift = 56; shift >= 0; shift -= 8) {
      const uint8_t byte = static_cast<uint8_t>(bits >> shift);
      add(&byte, 1);
    }
    Digest made;
    for (int i = 0; i < 32; ++i) {
      made.bytes[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - i % 4 * 8));
    }
    return made;
  }

 private:
  static uint32_t rotated(uint32_t x, int by) { return x >> by | x << (32 - by); }

  void mix() {
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; ++i) {
      const uint8_t* const at = block_ + 4 * i;
      w[i] = uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
    }
    for (int i = 16; i < 64; ++i) {
      const uint32_t x = w[i - 15], y = w[i - 2];
      w[i] = w[i - 16] + w[i - 7] + (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3) +
             (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
    }
    memcpy(s, state_, sizeof(s));
    for (int i = 0; i < 64; ++i) {
      const uint32_t a = s[0], e = s[4];
      const uint32_t first = s[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) +
                             ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
      const uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) +
                              ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      memmove(s + 1, s, 7 * sizeof(s[0]));
      s[4] += first;
      s[0] = first + second;
    }
    for (int i = 0; i < 8; ++i) state_[i] += s[i];
  }

  static constexpr uint32_t constants[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
      0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
      0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
      0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
      0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
      0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2};

  uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t block_[64];
  uint64_t added_ = 0;
};

}  // namespace opsmith::gpu
