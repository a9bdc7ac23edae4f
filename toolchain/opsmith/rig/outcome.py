"""Outcomes of a run: pass, fail, rig error or no board, with their exit statuses."""

from opsmith.errors import Stopped, ToolchainError
from opsmith.guard import FAILED, tell
from opsmith.rig.phases import COMPARE, RUN

PASS, FAIL, RIG_ERROR, NO_BOARD = "pass", "fail", "rig error", "no board"
OUTCOMES = (PASS, FAIL, RIG_ERROR, NO_BOARD)
OF_RIG, OF_BOARD, OF_BUILD = 3, 4, 5
OF_RUNS = (1, OF_RIG, OF_BOARD, OF_BUILD)  # exit statuses besides 0
MEANING = {
    0: "the outputs are right",
    1: "the firmware is wrong: other bytes, a fault, a hang",
    FAILED: "the command, its files or the reference are wrong; scons ends so for all of these",
    OF_RIG: "the rig failed: flash tool, console, emulator, lines that came through damaged",
    OF_BOARD: "no board: none is attached, or another program has it",
    OF_BUILD: "another build answers than that of the folder, or the folder has none",
}  # of each exit status
_NO_BOARD = {"RIG003", "RIG014", "RIG048"}
_OTHER_BUILD = {"RIG001", "RIG002", "RIG010", "RIG045", "RIG046"}
_OF_FIRMWARE = {"RIG007", "RIG018"}  # in any phase
_OF_FIRMWARE_RUNNING = {"RIG008", "RIG040", "RIG041"}  # in other phases the line may be at fault
_GONE = "RIG011"
_OF_RIG = {"RIG004", "RIG005", "RIG006", "RIG008", "RIG009", "RIG011", "RIG015"}
_OF_RIG |= {"RIG040", "RIG041", "RIG042", "RIG043", "RIG047"}


def outcome_of(error: BaseException, phase: str, attached: bool) -> tuple[str, int]:
    """Outcome and exit status of a run that an error ended during a phase, "" for none.

    A program that ends has failed; a board whose port ends has lost its cable.
    """
    if isinstance(error, Stopped):
        return RIG_ERROR, 128 + error.number
    if not isinstance(error, ToolchainError):
        return RIG_ERROR, FAILED
    code = error.problems[0].code
    gone = code == _GONE and not attached
    if code in _OF_FIRMWARE or (phase == RUN and (gone or code in _OF_FIRMWARE_RUNNING)):
        return FAIL, 1
    if code in _NO_BOARD:
        return NO_BOARD, OF_BOARD
    if code in _OTHER_BUILD:
        return RIG_ERROR, OF_BUILD
    return RIG_ERROR, OF_RIG if code in _OF_RIG and phase != COMPARE else FAILED


def refused(error: ToolchainError) -> int:
    """Exit status after an error before a run, which is printed. Raises an error that has none."""
    _, status = outcome_of(error, "", attached=False)
    if status not in OF_RUNS:
        raise error
    tell(str(error))
    return status
