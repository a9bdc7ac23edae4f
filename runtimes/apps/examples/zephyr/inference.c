// Zephyr: a thread owns the model, and a message queue brings it inputs from interrupts or other
// threads. `opsmith export zephyr` makes the module that this includes; CONFIG_MODEL_DIGITS_INT8=y
// enables it.

#include <string.h>
#include <zephyr/kernel.h>

#include "digits_int8/digits_int8_c.h"

struct picture {
  int8_t pixels[digits_int8_elements_of_image];  // quantised where they were taken
};

K_MSGQ_DEFINE(pictures, sizeof(struct picture), 2, 4);

// Elsewhere in the application.
void digit_was_read(int digit);

static int read_digit(const struct picture* picture) {
  memcpy(digits_int8_input_image(), picture->pixels, sizeof picture->pixels);
  digits_int8_invoke();
  const int8_t* scores = digits_int8_output_probabilities();
  int best = 0;
  for (int i = 1; i < digits_int8_elements_of_probabilities; ++i) {
    if (scores[i] > scores[best]) best = i;
  }
  return best;
}

static void infer(void* first, void* second, void* third) {
  ARG_UNUSED(first);
  ARG_UNUSED(second);
  ARG_UNUSED(third);
  struct picture picture;
  while (k_msgq_get(&pictures, &picture, K_FOREVER) == 0) digit_was_read(read_digit(&picture));
}

// Also for interrupts; false where two pictures wait already.
bool picture_is_there(const struct picture* picture) {
  return k_msgq_put(&pictures, picture, K_NO_WAIT) == 0;
}

// The stack: what report.json has for the model, and what Zephyr takes itself.
K_THREAD_DEFINE(inference, 1024, infer, NULL, NULL, NULL, K_PRIO_PREEMPT(7), 0, 0);
