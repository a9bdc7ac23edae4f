// The image that the boot ROM of the ESP32-C3 loads, as image.py makes it.

#include "board_setup.h"

namespace opsmith::mcu {
namespace {

extern const uint32_t opsmith_boot[];
__attribute__((section(".boot"), used)) constexpr uint32_t opsmith_boot[] = {OPSMITH_BOOT};

}  // namespace
}  // namespace opsmith::mcu
