// The calls of classifier for programs in C.
#include "model_c.h"

#include "model.h"

void classifier_invoke(void) { classifier::invoke(); }

classifier_buffer classifier_input(int index) {
  const auto found = classifier::input(index);
  return {found.data, found.bytes};
}

classifier_buffer classifier_output(int index) {
  const auto found = classifier::output(index);
  return {found.data, found.bytes};
}

float* classifier_input_image(void) {
  return classifier::inputs::image.data();
}

const float* classifier_output_StatefulPartitionedCall(void) {
  return classifier::outputs::StatefulPartitionedCall.data();
}
