// Base64 (RFC 4648, padded): four characters for three bytes, where hex needs six.
#pragma once

#include <stdint.h>

namespace opsmith::runner {

constexpr int32_t kNotBase64 = -1;

// Writes the text of these bytes, no NUL; returns its length.
__attribute__((noinline)) inline uint32_t encode_base64(const uint8_t* data, uint32_t bytes,
                                                        char* text) {
  static constexpr char kAlphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char* const begin = text;
  for (uint32_t i = 0; i < bytes; i += 3) {
    const uint32_t left = bytes - i;
    const uint32_t group = static_cast<uint32_t>(data[i]) << 16 |
                           (left > 1 ? static_cast<uint32_t>(data[i + 1]) << 8 : 0) |
                           (left > 2 ? data[i + 2] : 0);
    *text++ = kAlphabet[group >> 18];
    *text++ = kAlphabet[group >> 12 & 63];
    *text++ = left > 1 ? kAlphabet[group >> 6 & 63] : '=';
    *text++ = left > 2 ? kAlphabet[group & 63] : '=';
  }
  return static_cast<uint32_t>(text - begin);
}

inline int32_t base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : kNotBase64;
}

// How many bytes the text stands for, kNotBase64 when it is none; with `take`, also hands each to
// it, in order.
template <class Take>
__attribute__((noinline)) int32_t decode_base64(const char* text, Take* take) {
  int32_t bytes = 0;
  for (; *text; text += 4) {
    uint32_t group = 0;
    int32_t digits = 0;
    for (int i = 0; i < 4; ++i) {
      if (text[i] == '=' && i >= 2) {
        if (i == 2 && text[3] != '=') return kNotBase64;
        group <<= 6 * (4 - i);
        break;
      }
      const int32_t digit = base64_digit(text[i]);
      if (digit < 0) return kNotBase64;
      group = group << 6 | static_cast<uint32_t>(digit);
      ++digits;
    }
    for (int32_t i = 0; i < digits - 1; ++i, ++bytes) {
      if (take) (*take)(static_cast<uint8_t>(group >> (16 - 8 * i)));
    }
    if (digits < 4) return text[4] == 0 ? bytes : kNotBase64;
  }
  return bytes;
}

}  // namespace opsmith::runner
