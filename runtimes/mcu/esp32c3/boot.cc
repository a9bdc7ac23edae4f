// What the boot ROM of the ESP32-C3 looks for: with these two words at the begin of flash, it maps
// flash for instructions and for data, and starts the program after them
// (github.com/espressif/esp32c3-direct-boot-example 3cd353ce).

#include <stdint.h>

namespace opsmith::mcu {
namespace {

extern const uint32_t opsmith_boot[2];
__attribute__((section(".boot"), used)) constexpr uint32_t opsmith_boot[2] = {0xAEDB041D,
                                                                              0xAEDB041D};

}  // namespace
}  // namespace opsmith::mcu
