// The calls of lines for programs in C.
#include "model_c.h"

#include "model.h"

bool lines_push_row(const int8_t* row) { return lines::push_row(row); }
void lines_invoke(const int8_t* image) { lines::invoke(image); }
void lines_reset(void) { lines::reset(); }

lines_buffer lines_output(int index) {
  const auto found = lines::output(index);
  return {found.data, found.bytes};
}

const int8_t* lines_output_t11(void) {
  return lines::outputs::t11.data();
}

int8_t lines_quantize_x(float value) { return lines::inputs::x.quantize(value); }
float lines_dequantize_x(int8_t element) { return lines::inputs::x.dequantize(element); }

int8_t lines_quantize_t11(float value) { return lines::outputs::t11.quantize(value); }
float lines_dequantize_t11(int8_t element) { return lines::outputs::t11.dequantize(element); }
