"""Nordic's Power Profiler Kit II as an ampere meter: 100,000 samples a second, and input D0."""

import threading
import time
from typing import Any

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.rig.meter import PATIENCE, Meter, Recording, failed, package, refused

SECONDS = 1e-5  # a sample
VOLTS = 3.3
LOWEST, HIGHEST = 0.8, 5.0
D0 = 1
_PAUSE = 0.002


def meter(which: str, volts: float | None) -> Meter:
    """PPK2 at a port, or the only one that is attached. Raises RIG069."""
    library = package("ppk2_api.ppk2_api", "ppk2-api").PPK2_API
    volts = VOLTS if volts is None else volts
    if not LOWEST <= volts <= HIGHEST:
        raise refused(f"no board runs at {volts:g} V", f"give {LOWEST} to {HIGHEST}, like @3.3")
    ports = [which] if which else library.list_devices()
    if len(ports) != 1:
        raise refused(f"{len(ports)} PPK2 are attached", "attach one, or name its port: ppk2:PORT")
    try:
        return Ppk2(library(ports[0], timeout=1, write_timeout=1, exclusive=True), ports[0], volts)
    except (OSError, ValueError) as error:  # pyserial's errors are OSErrors
        raise failed(f"{ports[0]} cannot be opened", error) from error


class Ppk2(Meter):
    """A PPK2, whose samples a thread collects during a recording."""

    def __init__(self, api: Any, port: str, volts: float) -> None:
        self.title = f"PPK2 at {volts:g} V"
        self._api, self._port, self._volts = api, port, volts
        self._chunks: list[bytes] = []
        self._thread: threading.Thread | None = None
        self._ends = threading.Event()
        self._error: OSError | None = None
        if not api.get_modifiers():
            self.close()
            raise refused(
                f"{port} is no PPK2: it sent no calibration", "name the PPK2's first port"
            )
        api.use_ampere_meter()
        api.set_source_voltage(round(volts * 1000))  # the calibration needs it, too
        api.toggle_DUT_power("ON")

    def start(self) -> None:
        """Start a recording."""
        self._chunks, self._error = [], None
        self._ends.clear()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._api.start_measuring()
        self._thread.start()
        end = time.monotonic() + PATIENCE
        while not self._chunks and time.monotonic() < end and self._thread.is_alive():
            time.sleep(_PAUSE)
        if not self._chunks:
            raise self._silent()

    def stop(self) -> Recording:
        """End the recording and return it."""
        time.sleep(10 * _PAUSE)  # wait for samples on their way
        self._end()
        self._api.stop_measuring()
        if self._error is not None:
            raise self._silent()
        self._api.remainder = {"sequence": b"", "len": 0}
        microamps, pins = self._api.get_samples(b"".join(self._chunks))
        watts = np.array(microamps, np.float64) * self._volts * 1e-6
        return Recording(watts, (np.array(pins, np.uint8) & D0).astype(bool), SECONDS)

    def close(self) -> None:
        """Release the port; the board keeps its power."""
        self._end()
        self._api.ser.close()

    def _end(self) -> None:
        self._ends.set()
        if self._thread:
            self._thread.join()

    def _read(self) -> None:
        try:
            while not self._ends.is_set():
                if chunk := self._api.get_data():
                    self._chunks.append(chunk)
                else:
                    time.sleep(_PAUSE)
        except OSError as error:
            self._error = error

    def _silent(self) -> ToolchainError:
        if self._error is not None:
            return failed(f"{self._port} went away", self._error)
        return refused(f"{self._port} sends no samples", "attach it again")
