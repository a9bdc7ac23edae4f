// The streaming wake word: commands of mlcommons/tiny's sww_ref_l4r5zi, which hears I2S or, as
// here, what `db` loaded.
#pragma once

#include "answers.h"
#include "features.h"
#include "tensors.h"

namespace mlperf {

// `kExists` keeps it, and its memory, from the firmware of other models.
template <bool kExists>
class Streaming {
 public:
  void begin() { features_.begin(); }

  // start: forgets what was heard. The first frame counts as a detection, which tells its time.
  void start() {
    if (listening_) return put("I2S Rx currently in progress. Ignoring request\r\n");
    listening_ = first_ = true;
    frames_ = 0;
    for (int8_t& each : heard_) each = 0;
    features_.forget();
    put("Listening for I2S data ... \r\n");
    timestamp();
  }

  // stop: how sure the model was after each frame.
  void stop() {
    if (!listening_) return put("I2S is already idle.  Ignoring stop request\r\n");
    listening_ = false;
    timestamp();
    put("Streaming stopped.\r\ntarget activations: \r\n[");
    const uint32_t logged = frames_ < kLogged ? frames_ : kLogged;
    for (uint32_t i = 0; i < logged; ++i) {
      put(static_cast<int32_t>(log_[i]));
      put(i + 1 == logged ? " \r\n" : i % 16 == 15 ? ", \r\n" : ", ");
    }
    put("]\r\n");
  }

  // extract_uart_stream: a stride of samples; between its two timestamps, all that is computed.
  void take(const uint8_t* samples) {
    lap();
    hear(samples);
    const bool detected = listening_ && (first_ || activation(0) > kDetected);
    lap();
    if (detected) put("m-detected\r\n");
    first_ = first_ && !listening_;
    if (listening_ && frames_ < kLogged) log_[frames_] = static_cast<int8_t>(activation(0));
    if (listening_) ++frames_;
    put("m-features-[");
    for (int i = 0; i < kBands; ++i) {
      if (i) put(", ");
      put(int32_t{heard_[kHeard - kBands + i]});
    }
    put("]\r\nm-activations-[");
    for (uint32_t i = 0; i < y.size(); ++i) {
      if (i) put(", ");
      put(activation(i));
    }
    put("]\r\n");
  }

 private:
  static_assert(x.kLow < 0, "the streaming wake word takes int8");
  static constexpr uint32_t kHeard = x.size();
  static constexpr uint32_t kLogged = 4096;  // frames: 131 seconds
  static constexpr int32_t kDetected = 115;  // of -128 to 127

  void hear(const uint8_t* samples) {
    float bands[kBands];
    features_(samples, bands);
    for (uint32_t i = 0; i + kBands < kHeard; ++i) heard_[i] = heard_[i + kBands];
    for (int i = 0; i < kBands; ++i) {  // rounded towards zero, as the reference firmware does
      const float steps = bands[i] / x.scale + static_cast<float>(x.zero_point);
      heard_[kHeard - kBands + i] = static_cast<int8_t>(steps > 127 ? 127 : steps);
    }
    for (uint32_t i = 0; i < kHeard; ++i) x[i] = heard_[i];
    model::invoke();
    now();
  }

  // A probability as int8.
  static int32_t activation(uint32_t i) { return static_cast<int32_t>(real(y, i, 0) * 256) - 128; }

  Features features_;
  int8_t heard_[kHeard];
  int8_t log_[kLogged];
  uint32_t frames_;
  bool listening_, first_;
};

template <bool kExists>
inline Streaming<kExists> streaming;

}  // namespace mlperf
