// The calls of awkward for programs in C.
#include "model_c.h"

#include "model.h"

void awkward_invoke(void) { awkward::invoke(); }

awkward_buffer awkward_input(int index) {
  const auto found = awkward::input(index);
  return {found.data, found.bytes};
}

awkward_buffer awkward_output(int index) {
  const auto found = awkward::output(index);
  return {found.data, found.bytes};
}

int8_t* awkward_input_int_(void) {
  return awkward::inputs::int_.data();
}

int8_t* awkward_input_t(void) {
  return awkward::inputs::t.data();
}

const int8_t* awkward_output_t_2(void) {
  return awkward::outputs::t_2.data();
}

const int8_t* awkward_output_a_b(void) {
  return awkward::outputs::a_b.data();
}

const int8_t* awkward_output_a_b_4(void) {
  return awkward::outputs::a_b_4.data();
}

int8_t awkward_quantize_int_(float value) { return awkward::inputs::int_.quantize(value); }
float awkward_dequantize_int_(int8_t element) { return awkward::inputs::int_.dequantize(element); }

int8_t awkward_quantize_t(float value) { return awkward::inputs::t.quantize(value); }
float awkward_dequantize_t(int8_t element) { return awkward::inputs::t.dequantize(element); }

int8_t awkward_quantize_t_2(float value) { return awkward::outputs::t_2.quantize(value); }
float awkward_dequantize_t_2(int8_t element) { return awkward::outputs::t_2.dequantize(element); }

int8_t awkward_quantize_a_b(float value) { return awkward::outputs::a_b.quantize(value); }
float awkward_dequantize_a_b(int8_t element) { return awkward::outputs::a_b.dequantize(element); }

int8_t awkward_quantize_a_b_4(float value) { return awkward::outputs::a_b_4.quantize(value); }
float awkward_dequantize_a_b_4(int8_t element) {
  return awkward::outputs::a_b_4.dequantize(element);
}
