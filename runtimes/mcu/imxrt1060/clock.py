"""Core clock of an i.MX RT1060: its own PLL, from a crystal of 24 MHz."""

from opsmith.board.setup import Accesses

CRYSTAL_HZ = 24_000_000
_STEP_HZ, _TIMES, _DIVIDERS = CRYSTAL_HZ // 2, range(54, 109), range(1, 9)
_MOST_HZ = 600_000_000
_MOST_BUS_HZ = 150_000_000  # IPG
_MOST_WITHOUT_MORE = 528_000_000  # Hz at 1.15 V
_VOLTS = {False: 14, True: 19}  # TRG: 1.15 V, 1.275 V
_OF_CRYSTAL, _OF_PLL_ARM = 1, 3  # PERIPH_CLK2_SEL, PRE_PERIPH_CLK_SEL


def divide(core_hz: int) -> tuple[int, int] | None:
    """Multiplier of 12 MHz, and divider, for a core frequency; None where no pair gives it."""
    if core_hz > _MOST_HZ:
        return None
    every = ((times, by) for by in _DIVIDERS for times in _TIMES)
    return next((pair for pair in every if _STEP_HZ * pair[0] == core_hz * pair[1]), None)


def start_clock(steps: Accesses, core_hz: int, divided: tuple[int, int]) -> None:
    """Raise the core's voltage, run from the crystal while the PLL starts, and switch to it."""
    times, by = divided
    steps.change("CCM_CLPCR", LPM=0)  # WFI stops the core alone
    steps.change("CCM_CCGR6", CG3=3)  # DCDC
    steps.change("DCDC_REG3", TRG=_VOLTS[core_hz > _MOST_WITHOUT_MORE])
    steps.wait("DCDC_REG0", STS_DC_OK=1)
    undo_clock(steps)
    steps.write("CCM_ANALOG_PLL_ARM", POWERDOWN=1)
    steps.write("CCM_ANALOG_PLL_ARM", ENABLE=1, DIV_SELECT=times)
    steps.wait("CCM_ANALOG_PLL_ARM", LOCK=1)
    steps.write("CCM_CACRR", ARM_PODF=by - 1)
    steps.wait("CCM_CDHIPR", ARM_PODF_BUSY=0)
    steps.change("CCM_CBCDR", IPG_PODF=-(-core_hz // _MOST_BUS_HZ) - 1)
    steps.change("CCM_CBCMR", PRE_PERIPH_CLK_SEL=_OF_PLL_ARM)
    steps.change("CCM_CBCDR", PERIPH_CLK_SEL=0)
    steps.wait("CCM_CDHIPR", PERIPH_CLK_SEL_BUSY=0)


def undo_clock(steps: Accesses) -> None:
    """Switch to the crystal, which the boot ROM has started."""
    steps.change("CCM_CBCDR", PERIPH_CLK2_PODF=0)
    steps.change("CCM_CBCMR", PERIPH_CLK2_SEL=_OF_CRYSTAL)
    steps.change("CCM_CBCDR", PERIPH_CLK_SEL=1)
    steps.wait("CCM_CDHIPR", PERIPH_CLK_SEL_BUSY=0)
    steps.change("CCM_CBCDR", AHB_PODF=0)
    steps.wait("CCM_CDHIPR", AHB_PODF_BUSY=0)
