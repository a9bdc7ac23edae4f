"""Bad ends of a build: one line when it is interrupted, a coded error for any unforeseen exception
in any thread, and never a traceback. A terminal shows a line of progress.
"""

import atexit
import os
import sys
import threading

import SCons.Taskmaster.Job
from SCons.Errors import BuildError, UserError, convert_to_BuildError
from SCons.Script import Main, _SConscript

from opsmith.guard import FAILED, coded
from opsmith.guard import tell as say
from opsmith.progress import over_line
from opsmith.scons.progress import BuildProgress
from opsmith.steps.programs import Builds, handle_signals_of_threads


def end_well(builds: Builds) -> None:
    """Install handlers of interruptions, failures and progress in SCons, before it builds."""

    progress = BuildProgress()
    atexit.register(progress.end)

    class Interrupt(SCons.Taskmaster.Job.InterruptState):  # type: ignore[misc]
        """State of interruption that SCons's handler of SIGINT, SIGTERM and SIGHUP sets."""

        def set(self) -> None:
            if not builds.interrupted:
                os.write(2, b"interrupted\n")  # in a signal handler, which may interrupt print
            builds.interrupted = True
            super().set()

    class SilentTask(Main.BuildTask):  # type: ignore[misc]
        """A build step that updates progress, and reports its failure if no program has."""

        def executed(self) -> None:
            super().executed()
            if not builds.silent:
                progress.show(self.tm.original_top)

        def failed(self) -> None:
            error = _cause(self.exc_info()[1])
            if not builds.interrupted and isinstance(error, (BuildError, UserError)):
                super().failed()
                return
            if not builds.interrupted:
                tell(error)
            built = convert_to_BuildError(error)
            self.exception = (error, built, None)
            self.do_failed(FAILED)
            self.exc_clear()

    SCons.Taskmaster.Job.InterruptState = Interrupt
    Main.BuildTask = SilentTask
    _SConscript.SConscript_exception = lambda *_: tell(sys.exc_info()[1])
    threading.excepthook = _end
    handle_signals_of_threads()


def _cause(error: BaseException) -> BaseException:
    """Exception that SCons wrapped, or the error itself where there is none."""
    inner = error.exc_info[1] if isinstance(error, BuildError) else None
    return error if inner is None else inner


def _end(failure: threading.ExceptHookArgs) -> None:
    """End the process after a thread failed, since the other threads would wait for it for ever."""
    tell(failure.exc_value)
    sys.stdout.flush()
    os._exit(FAILED)


def tell(error: BaseException | None) -> None:
    """Print an exception as an error with a code."""
    if error is not None:
        say(f"{over_line(sys.stderr)}{coded(error)}")
