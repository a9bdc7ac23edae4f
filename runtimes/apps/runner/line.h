// The lines of the runner's protocol, "$BODY*CRC32\n": reading, writing and the words in them.
// README.md has the protocol.
#pragma once

#include <stdint.h>

#include "runtimes/apps/crc32.h"
#include "runtimes/apps/decimal.h"
#include "runtimes/apps/runner/base64.h"
#include "runtimes/mcu/board.h"

namespace opsmith::runner {

constexpr uint32_t kPayload = 384;  // bytes of a tensor in one line, at most
constexpr uint32_t kLongest = 560;  // body and checksum of any line

// Collects one line. What stands outside of '$' and '\n' is noise and dropped.
class LineReader {
 public:
  enum class State { kNothing, kLine, kBadChecksum, kTooLong };

  State take(char byte) {
    if (byte == '$') {
      inside_ = true;
      length_ = 0;
      return State::kNothing;
    }
    if (!inside_ || byte == '\r') return State::kNothing;
    if (byte == '\n') {
      inside_ = false;
      return check() ? State::kLine : State::kBadChecksum;
    }
    if (length_ == kLongest) {
      inside_ = false;
      return State::kTooLong;
    }
    text_[length_++] = byte;
    return State::kNothing;
  }

  // The body of the line that take() just returned kLine for, with a NUL after it.
  const char* body() const { return text_; }

 private:
  bool check() {
    if (length_ < 9 || text_[length_ - 9] != '*') return false;
    uint32_t said = 0;
    for (uint32_t i = length_ - 8; i < length_; ++i) {
      const char c = text_[i];
      const bool digit = c >= '0' && c <= '9', letter = c >= 'a' && c <= 'f';
      if (!digit && !letter) return false;
      said = said << 4 | static_cast<uint32_t>(digit ? c - '0' : c - 'a' + 10);
    }
    length_ -= 9;
    text_[length_] = 0;
    return said == crc32(0, reinterpret_cast<const uint8_t*>(text_), length_);
  }

  char text_[kLongest];
  uint32_t length_ = 0;
  bool inside_ = false;
};

#define OPSMITH_OUTLINE __attribute__((noinline))  // size counts here, speed does not

// Builds one line and sends it; one at a time, for they share the memory. What does not fit is
// dropped: no caller writes more than kPayload and a few words.
class LineWriter {
 public:
  explicit LineWriter(const char* word) {
    put('$');
    text(word);
  }

  LineWriter& word(const char* value) {
    put(' ');
    text(value);
    return *this;
  }

  OPSMITH_OUTLINE LineWriter& number(uint32_t value) {
    char digits[11];
    return word(decimal(value, digits));
  }

  OPSMITH_OUTLINE LineWriter& hex(const uint8_t* data, uint32_t bytes) {
    put(' ');
    for (uint32_t i = 0; i < bytes; ++i) byte(data[i]);
    return *this;
  }

  OPSMITH_OUTLINE LineWriter& base64(const uint8_t* data, uint32_t bytes) {
    put(' ');
    if (bytes <= kPayload) length_ += encode_base64(data, bytes, text_ + length_);
    return *this;
  }

  OPSMITH_OUTLINE void send() {
    const uint32_t crc = crc32(0, reinterpret_cast<const uint8_t*>(text_ + 1), length_ - 1);
    put('*');
    for (int shift = 24; shift >= 0; shift -= 8) byte(static_cast<uint8_t>(crc >> shift));
    put('\n');
    board::write(text_, length_);
  }

 private:
  void put(char c) {
    if (length_ < sizeof text_) text_[length_++] = c;
  }

  OPSMITH_OUTLINE void text(const char* value) {
    while (*value) put(*value++);
  }

  OPSMITH_OUTLINE void byte(uint8_t value) {
    put("0123456789abcdef"[value >> 4]);
    put("0123456789abcdef"[value & 15]);
  }

  static inline char text_[kLongest + 16];
  uint32_t length_ = 0;
};

// Takes the words of a body one by one.
class Words {
 public:
  explicit Words(const char* body) : rest_(body) {}

  // True when the next word is this one; then it is taken. Byte by byte: strlen() and strncmp()
  // take more flash than that.
  OPSMITH_OUTLINE bool is(const char* word) {
    const char* at = rest_;
    for (; *word; ++word, ++at) {
      if (*at != *word) return false;
    }
    if (*at != ' ' && *at != 0) return false;
    rest_ = at;
    skip_space();
    return true;
  }

  // True when the next word is a decimal number that fits; then it is taken.
  OPSMITH_OUTLINE bool number(uint32_t& value) {
    uint64_t read = 0;
    const char* at = rest_;
    while (*at >= '0' && *at <= '9' && read <= UINT32_MAX)
      read = read * 10 + static_cast<uint32_t>(*at++ - '0');
    if (at == rest_ || read > UINT32_MAX || (*at != ' ' && *at != 0)) return false;
    rest_ = at;
    skip_space();
    value = static_cast<uint32_t>(read);
    return true;
  }

  // All that is left.
  const char* rest() const { return rest_; }
  bool at_end() const { return *rest_ == 0; }

 private:
  void skip_space() {
    if (*rest_ == ' ') ++rest_;
  }

  const char* rest_;
};

}  // namespace opsmith::runner
