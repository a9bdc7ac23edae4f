"""The PLL of an ESP32-C3, of 480 MHz from its crystal of 40 MHz, and the core voltage that it
needs.

Registers of both lie on an internal bus, which functions of the boot ROM write. Names, functions
and order are those of esp-idf 10212290: rtc_init.c and rtc_clk.c of esp_hw_support/port/esp32c3,
regi2c_bbpll.h and regi2c_dig_reg.h of soc/esp32c3, rom.regi2c.ld of esp_hal_regi2c/esp32c3. The
clock of flash follows the peripherals' bus, which the PLL raises from 40 to 80 MHz.
"""

from opsmith.board.registers import Register
from opsmith.board.setup import Accesses, RomCall

PLL_HZ = (160_000_000, 80_000_000)  # by CPUPERIOD_SEL 1 and 0
_WRITE, _WRITE_MASK = 0x4000_195C, 0x4000_1960  # _regi2c_impl_write, _regi2c_impl_write_mask
_BBPLL, _DIG_REG = 0x66, 0x6D  # I2C_BBPLL, I2C_DIG_REG
_ANALOG_MASTER = 0x6000_E040  # I2C_MST_ANA_CONF0, with ANA_CONFIG after it
_VOLTAGE = 28  # of parts that have none of their own in eFuses, which are not read here
_SETTLED = 4_000  # cycles of the crystal: 100 us


def start_pll(steps: Accesses, core_hz: int) -> None:
    """Add the steps from the crystal's clock to the PLL's, at `core_hz`."""
    _change(steps, "I2C_DIG_REG_XPD_DIG_REG", (_DIG_REG, 13), 3, 1, 0)
    _change(steps, "I2C_DIG_REG_XPD_RTC_REG", (_DIG_REG, 13), 2, 1, 0)
    _change(steps, "I2C_DIG_REG_EXT_RTC_DREG", (_DIG_REG, 4), 0, 5, _VOLTAGE)
    _change(steps, "I2C_DIG_REG_EXT_DIG_DREG", (_DIG_REG, 6), 0, 5, _VOLTAGE)
    steps.pause(_SETTLED)
    steps.change("RTC_CNTL_OPTIONS0", BB_I2C_FORCE_PD=0, BBPLL_I2C_FORCE_PD=0, BBPLL_FORCE_PD=0)
    config = Register("ANA_CONFIG", _ANALOG_MASTER + 4, {})
    steps.bits("change", config, 1 << 17, 0, "ANA_I2C_BBPLL_M 0")
    steps.change("SYSTEM_CPU_PER_CONF", PLL_FREQ_SEL=1)
    calibrate = Register("I2C_MST_ANA_CONF0", _ANALOG_MASTER, {})
    meaning = "I2C_MST_BBPLL_STOP_FORCE_HIGH 0, I2C_MST_BBPLL_STOP_FORCE_LOW 1"
    steps.bits("change", calibrate, 3 << 2, 1 << 3, meaning)
    _write(steps, "I2C_BBPLL_MODE_HF", 4, 0x6B, "480 MHz")
    _write(steps, "I2C_BBPLL_OC_REF_DIV", 2, 5 << 4, "OC_DCHGP 5, OC_REF_DIV 0")
    _write(steps, "I2C_BBPLL_OC_DIV_7_0", 3, 8, "OC_DIV_7_0 8: 12 times")
    _change(steps, "I2C_BBPLL_OC_DR1", (_BBPLL, 5), 0, 3, 0)
    _change(steps, "I2C_BBPLL_OC_DR3", (_BBPLL, 5), 4, 3, 0)
    dcur = 2 << 6 | 1 << 4 | 3
    _write(steps, "I2C_BBPLL_OC_DCUR", 6, dcur, "OC_DLREF_SEL 2, OC_DHREF_SEL 1, OC_DCUR 3")
    _change(steps, "I2C_BBPLL_OC_VCO_DBIAS", (_BBPLL, 9), 0, 2, 2)
    _change(steps, "I2C_BBPLL_OC_DHREF_SEL", (_BBPLL, 6), 4, 2, 2)
    _change(steps, "I2C_BBPLL_OC_DLREF_SEL", (_BBPLL, 6), 6, 2, 1)
    steps.pause(_SETTLED)
    steps.change("SYSTEM_CPU_PER_CONF", CPUPERIOD_SEL=int(core_hz == PLL_HZ[0]))
    steps.change("SYSTEM_SYSCLK_CONF", PRE_DIV_CNT=0, SOC_CLK_SEL=1)


def _write(steps: Accesses, name: str, at: int, value: int, meaning: str) -> None:
    """Add a write of a whole register of the PLL."""
    call = RomCall(_WRITE, (_BBPLL, 0, at), (value, 0, 0))
    steps.call("write", Register(name, _BBPLL << 8 | at, {}), 0xFFFF_FFFF, value, meaning, call)


def _change(
    steps: Accesses, name: str, at: tuple[int, int], bit: int, bits: int, value: int
) -> None:
    """Add a write of bits of a register on the internal bus; `at` addresses slave and register."""
    (slave, register), last = at, bit + bits - 1
    call = RomCall(_WRITE_MASK, (slave, 0, register), (last, bit, value))
    mask, meaning = ((1 << bits) - 1) << bit, f"{name.removeprefix('I2C_')} {value}"
    where = Register(name, slave << 8 | register, {})
    steps.call("change", where, mask, value << bit, meaning, call)
