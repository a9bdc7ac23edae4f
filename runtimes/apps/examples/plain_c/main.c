// An application in C: reads a handwritten digit and returns 0 where it is the right one.

#include <stdio.h>

#include "model_c.h"
#include "runtimes/mcu/board_c.h"

enum { kDigit = 6 };
static const char kLevels[] = " .:+#";
static const char kPicture[] =
    "   +.   "
    "  :+    "
    "  +.    "
    " .+ ..  "
    " .##+#. "
    " .#: .+ "
    "  :+.+. "
    "   +#:  ";

static float brightness(char pixel) {
  int level = 0;
  while (kLevels[level] != pixel) ++level;
  return (float)level / 4;
}

int main(void) {
  opsmith_init();
  int8_t* image = digits_int8_input_image();
  for (int i = 0; i < digits_int8_elements_of_image; ++i) {
    image[i] = digits_int8_quantize_image(brightness(kPicture[i]));
  }
  digits_int8_invoke();
  const int8_t* scores = digits_int8_output_probabilities();
  int best = 0;
  for (int i = 1; i < digits_int8_elements_of_probabilities; ++i) {
    if (scores[i] > scores[best]) best = i;
  }
  printf("it is a %d\n", best);
  return best == kDigit ? 0 : 1;
}
