// Runs the model on the inputs of one file again and again, writes its outputs to another, and
// prints how long a run takes: firmware INPUTS OUTPUTS RUNS

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model.h"

namespace model = OPSMITH_MODEL;

namespace {

double microseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

int compare(const void* a, const void* b) {
  const double x = *static_cast<const double*>(a);
  const double y = *static_cast<const double*>(b);
  return (x > y) - (x < y);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  FILE* const inputs = fopen(arguments[1], "rb");
  FILE* const outputs = fopen(arguments[2], "wb");
  const int runs = atoi(arguments[3]);
  if (inputs == nullptr || outputs == nullptr || runs < 1) return 2;
  uint8_t* given[model::input_count + 1] = {};
  for (int i = 0; i < model::input_count; ++i) {
    const opsmith::Buffer input = model::input(i);
    given[i] = static_cast<uint8_t*>(malloc(input.bytes));
    if (fread(given[i], 1, input.bytes, inputs) != input.bytes) return 2;
  }
  double* const times = static_cast<double*>(malloc(sizeof(double) * static_cast<size_t>(runs)));
  for (int run = -1; run < runs; ++run) {  // the first one opens the device
    for (int i = 0; i < model::input_count; ++i) {
      memcpy(model::input(i).data, given[i], model::input(i).bytes);
    }
    const double begin = microseconds();
    model::invoke();
    if (run >= 0)
      times[run] = microseconds() - begin;
    else
      printf("first %.0f us\n", microseconds() - begin);
  }
  for (int i = 0; i < model::output_count; ++i) {
    fwrite(model::output(i).data, 1, model::output(i).bytes, outputs);
  }
  fclose(outputs);
  qsort(times, static_cast<size_t>(runs), sizeof(double), compare);
  printf("median %.2f us, least %.2f us, of %d runs\n", times[runs / 2], times[0], runs);
  return 0;
}
