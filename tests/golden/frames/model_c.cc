// The calls of frames for programs in C.
#include "model_c.h"

#include "model.h"

bool frames_push_frame(const int8_t* frame) { return frames::push_frame(frame); }
void frames_invoke(const int8_t* window) { frames::invoke(window); }
void frames_reset(void) { frames::reset(); }

frames_buffer frames_output(int index) {
  const auto found = frames::output(index);
  return {found.data, found.bytes};
}

const int8_t* frames_output_t7(void) {
  return frames::outputs::t7.data();
}

int8_t frames_quantize_x(float value) { return frames::inputs::x.quantize(value); }
float frames_dequantize_x(int8_t element) { return frames::inputs::x.dequantize(element); }

int8_t frames_quantize_t7(float value) { return frames::outputs::t7.quantize(value); }
float frames_dequantize_t7(int8_t element) { return frames::outputs::t7.dequantize(element); }
