// Features of the streaming wake word: loudness of Mel bands as in the benchmark's training
// (get_dataset.py of mlcommons/tiny).
#pragma once

#include <math.h>
#include <stdint.h>

namespace mlperf {

constexpr int kWindow = 1024, kStride = 512;  // samples, at 16 kHz
constexpr int kBins = kWindow / 2 + 1;
constexpr int kBands = 40;

class Features {
 public:
  // Fills the tables.
  void begin() {
    constexpr float turn = 6.28318531f;
    for (int i = 0; i < kWindow / 2; ++i) {
      cosine_[i] = cosf(turn * static_cast<float>(i) / kWindow);
      sine_[i] = sinf(turn * static_cast<float>(i) / kWindow);
      hamming_[i] = 0.54f - 0.46f * cosf(turn * static_cast<float>(i) / (kWindow - 1));
    }
    const float widest = log1pf(8000.0f / 700);
    for (int i = 0; i < kBins; ++i) {
      const float hertz = static_cast<float>(i) * 8000 / (kBins - 1);
      place_[i] = log1pf(hertz / 700) / widest * (kBands + 1);
    }
    forget();
  }

  void forget() {
    for (int16_t& sample : samples_) sample = 0;
    before_ = 0;
  }

  // Takes the next kStride samples, little-endian; writes kBands values from 0 to 1.
  void operator()(const uint8_t* bytes, float* bands) {
    for (int i = 0; i < kWindow - kStride; ++i) samples_[i] = samples_[i + kStride];
    for (int i = 0; i < kStride; ++i) {
      const uint32_t bits = bytes[2 * i] | static_cast<uint32_t>(bytes[2 * i + 1]) << 8;
      samples_[kWindow - kStride + i] = static_cast<int16_t>(bits);
    }
    shape();
    transform();
    gather(bands);
  }

 private:
  // Raises high frequencies, fades both ends, and stores the values in bit-reversed order.
  void shape() {
    float before = before_;
    for (int i = 0; i < kWindow; ++i) {
      const float sample = static_cast<float>(samples_[i]) / 32768;
      const float factor = hamming_[i < kWindow / 2 ? i : kWindow - 1 - i];
      const int at = reversed(i);
      real_[at] = (sample - 0.96875f * before) * factor;
      imaginary_[at] = 0;
      before = sample;
    }
    before_ = static_cast<float>(samples_[kStride - 1]) / 32768;
  }

  static int reversed(int i) {
    int result = 0;
    for (int bit = 1; bit < kWindow; bit *= 2, i /= 2) result = 2 * result + (i & 1);
    return result;
  }

  // The Fourier transform, in place.
  void transform() {
    for (int half = 1; half < kWindow; half *= 2) {
      for (int i = 0; i < kWindow; i += 2 * half) {
        for (int j = 0; j < half; ++j) turn(i + j, i + j + half, j * (kWindow / 2 / half));
      }
    }
  }

  void turn(int a, int b, int angle) {
    const float c = cosine_[angle], s = sine_[angle];
    const float re = real_[b] * c + imaginary_[b] * s, im = imaginary_[b] * c - real_[b] * s;
    real_[b] = real_[a] - re;
    imaginary_[b] = imaginary_[a] - im;
    real_[a] += re;
    imaginary_[a] += im;
  }

  // Triangles of equal width on the Mel scale: a bin belongs to at most two, in parts.
  void gather(float* bands) const {
    for (int i = 0; i < kBands; ++i) bands[i] = 0;
    for (int i = 1; i < kBins; ++i) {
      const float power = (real_[i] * real_[i] + imaginary_[i] * imaginary_[i]) / kWindow;
      const int band = static_cast<int>(place_[i]);
      const float part = place_[i] - static_cast<float>(band);
      if (band < kBands) bands[band] += part * power;
      if (band > 0 && band <= kBands) bands[band - 1] += (1 - part) * power;
    }
    for (int i = 0; i < kBands; ++i) {
      const float decibels = 10 * log10f(bands[i] > 1e-30f ? bands[i] : 1e-30f);
      const float value = (decibels + 52) / 64;
      bands[i] = value < 0 ? 0 : value > 1 ? 1 : value;
    }
  }

  int16_t samples_[kWindow];
  float before_;  // the sample before them
  float cosine_[kWindow / 2], sine_[kWindow / 2], hamming_[kWindow / 2];
  float place_[kBins];  // of a bin among the edges of the bands
  float real_[kWindow], imaginary_[kWindow];
};

}  // namespace mlperf
