// Keyword spotting without end: each block of sound is a frame, and the model computes only what
// the frame changes. scons … stream=frames; the model's input is 1 x TIME x 1 x BANDS.

#include <stdio.h>

#include "features.h"
#include "microphone.h"
#include "model.h"
#include "runtimes/mcu/board.h"

namespace model = OPSMITH_MODEL;

namespace {

constexpr int kAgree = 3;    // frames in a row that must hear a word
constexpr int kNothing = 0;  // the class of silence and other sounds

void make_frame(const int16_t* samples, model::stream::Element* frame) {
  constexpr int bands = model::stream::row_elements;
  for (int i = 0; i < bands; ++i) {
    frame[i] = model::first_input.quantize(loudness(samples, i, bands));
  }
}

int best_class() {
  const auto& scores = model::first_output;
  int best = 0;
  for (uint32_t i = 1; i < scores.size(); ++i) {
    if (scores[i] > scores[best]) best = static_cast<int>(i);
  }
  return best;
}

// Says each word once, when enough frames agree.
void listen(int word, int milliseconds) {
  static int last = kNothing, times = 0;
  times = word == last ? times + 1 : 1;
  last = word;
  if (word != kNothing && times == kAgree) printf("word %d at %d ms\n", word, milliseconds);
}

}  // namespace

int main() {
  opsmith::board::init();
  microphone::start();
  static model::stream::Element frame[model::stream::row_elements];
  int milliseconds = 0;
  do {
    const int16_t* samples = microphone::block();
    if (!samples) continue;
    milliseconds += 1000 * microphone::kBlock / microphone::kRate;
    make_frame(samples, frame);
    if (model::push_frame(frame)) listen(best_class(), milliseconds);
  } while (microphone::wait());
  printf("%u blocks were lost\n", static_cast<unsigned>(microphone::lost()));
  return 0;
}
