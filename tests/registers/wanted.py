"""Registers that families touch, by part: the file that has them, and patterns of names."""

from tests.registers.svd import Wanted

_NRF_UART = {
    r"TASKS_START[RT]X|EVENTS_(RX|TX)DRDY|TXD|RXD": "",
    r"INTENSET|INTEN": "RXDRDY|ENDRX",
    "ENABLE": "ENABLE",
    r"PSEL_?[RT]XD|PSEL_[RT]XD": "",
    "BAUDRATE": "",
    "CONFIG": "HWFC|PARITY",
}
_NRF_UARTE = {
    r"TASKS_START[RT]X|EVENTS_ENDTX|EVENTS_ENDRX|[RT]XD_(PTR|MAXCNT)": "",
    "SHORTS": "ENDRX_STARTRX",
    "INTENSET": "ENDRX",
    "ENABLE": "ENABLE",
    r"PSEL_[RT]XD": "",
    "BAUDRATE": "",
}
_NRF_GPIO = {r"OUTSET|OUTCLR|IN|PIN_CNF0": ""}
_NRF_CLOCK = {r"TASKS_HFCLKSTART|EVENTS_HFCLKSTARTED": "", "HFCLKCTRL": "HCLK"}
NRF51: Wanted = {
    "CLOCK": _NRF_CLOCK,
    "GPIO": _NRF_GPIO,
    "UART0": _NRF_UART,
    "TIMER0": {r"TASKS_START|TASKS_CAPTURE0|CC0": "", "BITMODE": "BITMODE", "PRESCALER": ".*"},
}
NRF52: Wanted = {
    "CLOCK": _NRF_CLOCK,
    r"P[01]": _NRF_GPIO,
    "UART0": _NRF_UART,
    "NVMC": {"ICACHECNF": "CACHEEN"},
}
NRF53: Wanted = {
    "CLOCK_S": _NRF_CLOCK,
    r"P[01]_S": _NRF_GPIO,
    "UARTE0_S": _NRF_UARTE,
    "CACHE_S": {"ENABLE": "ENABLE"},
}
NRF52_SMALL = {name: registers for name, registers in NRF52.items() if name != "NVMC"}
PARTS = {  # family and part -> file, what
    ("nrf5x", "nrf51"): ("Nordic/nrf51.svd", NRF51),
    ("nrf5x", "nrf52810"): ("Nordic/nrf52810.svd", NRF52_SMALL),
    ("nrf5x", "nrf52832"): ("Nordic/nrf52.svd", NRF52),
    ("nrf5x", "nrf52833"): ("Nordic/nrf52833.svd", NRF52),
    ("nrf5x", "nrf52840"): ("Nordic/nrf52840.svd", NRF52),
    ("nrf5x", "nrf5340"): ("Nordic/nrf5340_application.svd", NRF53),
}
_ESP_WATCHDOG = {"WDTCONFIG0": "WDT_EN|WDT_CONF_UPDATE_EN", "WDTWPROTECT": ""}
ESP32C3: Wanted = {
    "EXTMEM": {"ICACHE_CTRL1?": "ICACHE_ENABLE|ICACHE_SHUT_[ID]BUS"},
    "SYSTEM": {
        "CPU_PER_CONF": "CPUPERIOD_SEL|PLL_FREQ_SEL",
        "SYSCLK_CONF": "PRE_DIV_CNT|SOC_CLK_SEL",
        "PERIP_CLK_EN0": "UART1?_CLK_EN|UART_MEM_CLK_EN",
        "PERIP_RST_EN0": "UART1?_RST|UART_MEM_RST",
    },
    "TIMG[01]": _ESP_WATCHDOG,
    "RTC_CNTL": {
        **_ESP_WATCHDOG,
        "OPTIONS0": "BB_I2C_FORCE_PD|BBPLL_(I2C_)?FORCE_PD",
        "SWD_CONF": "SWD_AUTO_FEED_EN",
        "SWD_WPROTECT": "",
    },
    "UART[01]": {
        "FIFO": "",
        "CLKDIV": "CLKDIV|FRAG",
        "STATUS": "[RT]XFIFO_CNT",
        "CONF0": "PARITY_EN|BIT_NUM|STOP_BIT_NUM",
        "CLK_CONF": "SCLK_.*|([RT]X_)?(SCLK_EN|RST_CORE)",
        "ID": "REG_UPDATE",
    },
    "IO_MUX": {"GPIO0": "MCU_SEL|FUN_IE|FUN_WP[UD]"},
    "GPIO": {
        "FUNC0_OUT_SEL_CFG": "OUT_SEL",
        "FUNC0_IN_SEL_CFG": "IN_SEL|SEL",
        "ENABLE_W1TS|OUT_W1T[SC]|IN": "",
    },
}
ESPRESSIF = {("esp32c3", "esp32c3"): ("svd/esp32c3.svd", ESP32C3)}
