// FreeRTOS: one task owns the model, and an interrupt hands it a full buffer. The model has one
// arena, so that no other task may call it. Link the archive of `scons … library`.

#include "FreeRTOS.h"
#include "digits_int8/digits_int8.h"
#include "task.h"

namespace model = digits_int8;

constexpr configSTACK_DEPTH_TYPE kStackWords = 256;  // report.json has what the model takes

static TaskHandle_t inference;
static const float* volatile picture;

// Elsewhere in the application.
extern "C" void digit_was_read(int digit);

static int read_digit(const float* pixels) {
  for (int8_t& element : model::inputs::image) element = model::inputs::image.quantize(*pixels++);
  model::invoke();
  const auto& scores = model::outputs::probabilities;
  int best = 0;
  for (size_t i = 1; i < scores.size(); ++i) {
    if (scores[i] > scores[best]) best = static_cast<int>(i);
  }
  return best;
}

static void infer(void*) {
  for (;;) {
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);  // sleeps: the idle task has the core, or WFI
    digit_was_read(read_digit(picture));
  }
}

// Before vTaskStartScheduler().
extern "C" bool start_inference() {
  return xTaskCreate(infer, "inference", kStackWords, nullptr, tskIDLE_PRIORITY + 1, &inference) ==
         pdPASS;
}

// For the interrupt of the camera: the pixels stay until digit_was_read() is called.
extern "C" void picture_is_there(const float* pixels) {
  BaseType_t woken = pdFALSE;
  picture = pixels;
  vTaskNotifyGiveFromISR(inference, &woken);
  portYIELD_FROM_ISR(woken);
}
