// A button and a LED: each press runs the model, and the LED shows whether class 1 had the highest
// score. board.toml names the pins.

#include <stdint.h>

#include "model.h"
#include "runtimes/mcu/board.h"

namespace model = OPSMITH_MODEL;
namespace board = opsmith::board;

namespace {

constexpr int kWanted = 1;

// In place of a sensor.
void read_sensor() {
  for (auto& element : model::first_input) element = model::first_input.quantize(0.5f);
}

int best_class() {
  const auto& scores = model::first_output;
  int best = 0;
  for (uint32_t i = 1; i < scores.size(); ++i) {
    if (scores[i] > scores[best]) best = static_cast<int>(i);
  }
  return best;
}

// Contacts bounce: what the button says counts once it has said so for 10 ms.
bool settled_button() {
  const uint32_t enough = board::clock_hz() / 100;
  bool pressed = board::button();
  for (uint32_t since = board::cycles(); board::cycles() - since < enough;) {
    if (board::button() == pressed) continue;
    pressed = !pressed;
    since = board::cycles();
  }
  return pressed;
}

}  // namespace

int main() {
  board::init();
  bool before = false;
  for (;;) {
    const bool pressed = settled_button();
    if (pressed && !before) {
      read_sensor();
      model::invoke();
      board::led(best_class() == kWanted);
    }
    before = pressed;
  }
}
