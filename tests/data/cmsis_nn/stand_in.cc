// A stand-in for libcmsis-nn.a: the functions of the header beside it, computed plainly. Scratch is
// filled with junk, as far as tests say that it is wanted, so that calls with too little fail.

#include <math.h>
#include <string.h>

#include "arm_nnfunctions.h"
#include "runtimes/core/fixed_point.h"

namespace {

using opsmith::multiply_by_quantized_multiplier;

struct Window {
  cmsis_nn_dims input, filter, output;
  cmsis_nn_tile stride, padding, dilation;
};

int8_t clamped(int32_t value, const cmsis_nn_activation& activation) {
  if (value < activation.min) return static_cast<int8_t>(activation.min);
  return static_cast<int8_t>(value > activation.max ? activation.max : value);
}

// Calls place(output pixel), then tap(filter place, input pixel) for each pixel inside the image.
template <class Place, class Tap, class Done>
void for_each_window(const Window& w, Place place, Tap tap, Done done) {
  for (int32_t b = 0, pixel = 0; b < w.output.n; ++b) {
    for (int32_t i = 0; i < w.output.h * w.output.w; ++i, ++pixel) {
      place(pixel);
      for (int32_t j = 0; j < w.filter.h * w.filter.w; ++j) {
        const int32_t y = i / w.output.w * w.stride.h - w.padding.h + j / w.filter.w * w.dilation.h;
        const int32_t x = i % w.output.w * w.stride.w - w.padding.w + j % w.filter.w * w.dilation.w;
        if (y < 0 || y >= w.input.h || x < 0 || x >= w.input.w) continue;
        tap(j, (b * w.input.h + y) * w.input.w + x);
      }
      done(pixel);
    }
  }
}

// One output channel after the other; `inputs` channels of x from `first` on are its own.
template <class First, class Weight>
void convolve(const Window& w, int32_t input_offset, int32_t output_offset,
              const cmsis_nn_per_channel_quant_params& scales,
              const cmsis_nn_activation& activation, const int8_t* x, int32_t inputs, First first,
              Weight weight, const int32_t* bias, int8_t* y) {
  for (int32_t c = 0; c < w.output.c; ++c) {
    int32_t sum = 0;
    for_each_window(
        w, [&](int32_t) { sum = bias[c]; },
        [&](int32_t tap, int32_t pixel) {
          for (int32_t i = 0; i < inputs; ++i) {
            const int32_t value = x[pixel * w.input.c + first(c) + i] + input_offset;
            sum += value * weight(c, tap, i);
          }
        },
        [&](int32_t pixel) {
          sum = multiply_by_quantized_multiplier(sum, scales.multiplier[c], scales.shift[c]);
          y[pixel * w.output.c + c] = clamped(sum + output_offset, activation);
        });
  }
}

}  // namespace

extern "C" {

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context* ctx,
                                            const cmsis_nn_conv_params* p,
                                            const cmsis_nn_per_channel_quant_params* scales,
                                            const cmsis_nn_dims* input, const int8_t* x,
                                            const cmsis_nn_dims* filter, const int8_t* weights,
                                            const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                            const cmsis_nn_dims* output, int8_t* y) {
  if (bias_dims->c != output->c || filter->n != output->c) return ARM_CMSIS_NN_ARG_ERROR;
  const int32_t taps = filter->h * filter->w;
  const bool point = taps == 1 && !p->padding.h && !p->padding.w;
  if (!point) memset(ctx->buf, 0x55, 4 * ((taps * filter->c + 3) / 4 * 4));
  const Window window = {*input, *filter, *output, p->stride, p->padding, p->dilation};
  convolve(
      window, p->input_offset, p->output_offset, *scales, p->activation, x, filter->c,
      [](int32_t) { return 0; },
      [&](int32_t c, int32_t tap, int32_t i) { return weights[(c * taps + tap) * filter->c + i]; },
      bias, y);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context* ctx, const cmsis_nn_dw_conv_params* p,
    const cmsis_nn_per_channel_quant_params* scales, const cmsis_nn_dims* input, const int8_t* x,
    const cmsis_nn_dims* filter, const int8_t* weights, const cmsis_nn_dims* bias_dims,
    const int32_t* bias, const cmsis_nn_dims* output, int8_t* y) {
  if (bias_dims->c != output->c || p->ch_mult * input->c != output->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const bool three = filter->h == 3 && filter->w == 3 && p->padding.h <= 1 && p->padding.w <= 1;
  const bool plain = p->dilation.h == 1 && p->dilation.w == 1 && input->n == 1;
  if (!three && plain && p->ch_mult == 1) {
    memset(ctx->buf, 0x55, 2 * input->c * filter->h * filter->w);
  }
  const Window window = {*input, *filter, *output, p->stride, p->padding, p->dilation};
  convolve(
      window, p->input_offset, p->output_offset, *scales, p->activation, x, 1,
      [&](int32_t c) { return c / p->ch_mult; },
      [&](int32_t c, int32_t tap, int32_t) { return weights[tap * output->c + c]; }, bias, y);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_fully_connected_wrapper_s8(
    const cmsis_nn_context* ctx, const cmsis_nn_fc_params* p, const cmsis_nn_quant_params* scales,
    const cmsis_nn_dims* input, const int8_t* x, const cmsis_nn_dims* filter, const int8_t* weights,
    const cmsis_nn_dims* bias_dims, const int32_t* bias, const cmsis_nn_dims* output, int8_t* y) {
  if (bias_dims->c != output->c || input->c != filter->n) return ARM_CMSIS_NN_ARG_ERROR;
  const int32_t* sums = static_cast<const int32_t*>(ctx->buf);
  for (int32_t row = 0; row < input->n; ++row) {
    for (int32_t c = 0; c < output->c; ++c) {
      int32_t sum = bias[c], folded = sums[c];
      for (int32_t i = 0; i < filter->n; ++i) {
        const int32_t value = x[row * filter->n + i], weight = weights[c * filter->n + i];
        sum += (value + p->input_offset) * (weight + p->filter_offset);
        folded += value * weight;
      }
      if (sum != folded) return ARM_CMSIS_NN_ARG_ERROR;
      const int32_t k = scales->is_per_channel ? c : 0;
      sum = multiply_by_quantized_multiplier(sum, scales->multiplier[k], scales->shift[k]);
      y[row * output->c + c] = clamped(sum + p->output_offset, p->activation);
    }
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context* ctx, const cmsis_nn_pool_params* p,
                                   const cmsis_nn_dims* input, const int8_t* x,
                                   const cmsis_nn_dims* filter, const cmsis_nn_dims* output,
                                   int8_t* y) {
  memset(ctx->buf, 0x55, 4 * input->c);
  const Window window = {*input, *filter, *output, p->stride, p->padding, {1, 1}};
  for (int32_t c = 0; c < output->c; ++c) {
    int32_t sum = 0, count = 0;
    for_each_window(
        window, [&](int32_t) { sum = count = 0; },
        [&](int32_t, int32_t pixel) {
          sum += x[pixel * input->c + c];
          ++count;
        },
        [&](int32_t pixel) {
          const int32_t mean = (sum > 0 ? sum + count / 2 : sum - count / 2) / count;
          y[pixel * output->c + c] = clamped(mean, p->activation);
        });
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context*, const cmsis_nn_pool_params* p,
                                    const cmsis_nn_dims* input, const int8_t* x,
                                    const cmsis_nn_dims* filter, const cmsis_nn_dims* output,
                                    int8_t* y) {
  const Window window = {*input, *filter, *output, p->stride, p->padding, {1, 1}};
  for (int32_t c = 0; c < output->c; ++c) {
    int32_t most = 0;
    for_each_window(
        window, [&](int32_t) { most = INT8_MIN; },
        [&](int32_t, int32_t pixel) {
          const int32_t value = x[pixel * input->c + c];
          most = value > most ? value : most;
        },
        [&](int32_t pixel) { y[pixel * output->c + c] = clamped(most, p->activation); });
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t* a, const int8_t* b, const int32_t a_offset,
                                           const int32_t a_mult, const int32_t a_shift,
                                           const int32_t b_offset, const int32_t b_mult,
                                           const int32_t b_shift, const int32_t left_shift,
                                           int8_t* y, const int32_t y_offset, const int32_t y_mult,
                                           const int32_t y_shift, const int32_t low,
                                           const int32_t high, const int32_t elements) {
  for (int32_t i = 0; i < elements; ++i) {
    const int32_t one =
        multiply_by_quantized_multiplier((a[i] + a_offset) * (1 << left_shift), a_mult, a_shift);
    const int32_t other =
        multiply_by_quantized_multiplier((b[i] + b_offset) * (1 << left_shift), b_mult, b_shift);
    const int32_t sum = multiply_by_quantized_multiplier(one + other, y_mult, y_shift);
    y[i] = clamped(sum + y_offset, {low, high});
  }
  return ARM_CMSIS_NN_SUCCESS;
}

// In floating point, so that results may differ by 1.
void arm_softmax_s8(const int8_t* x, const int32_t rows, const int32_t depth, const int32_t mult,
                    const int32_t shift, const int32_t diff_min, int8_t* y) {
  const double scale = ldexp(mult, shift - 31 - 26);
  for (int32_t row = 0; row < rows; ++row, x += depth, y += depth) {
    int32_t most = INT8_MIN;
    for (int32_t i = 0; i < depth; ++i) most = x[i] > most ? x[i] : most;
    double sum = 0;
    for (int32_t i = 0; i < depth; ++i) {
      if (x[i] - most >= diff_min) sum += exp((x[i] - most) * scale);
    }
    for (int32_t i = 0; i < depth; ++i) {
      const double share = x[i] - most >= diff_min ? exp((x[i] - most) * scale) / sum : 0;
      y[i] = clamped(static_cast<int32_t>(floor(share * 256 + 0.5)) - 128, {-128, 127});
    }
  }
}

}  // extern "C"
