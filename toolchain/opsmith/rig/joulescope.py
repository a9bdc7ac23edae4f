"""Jetperch's Joulescope JS110 and JS220: power, and their digital input 0."""

import threading
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from opsmith.rig.meter import PATIENCE, Meter, Recording, failed, package, refused

POWER, MARK = "s/p", "s/gpi/0"
RANGES = {"js110": "s/i/range/select", "js220": "s/i/range/mode"}
_PAUSE = 0.02


def meter(which: str, volts: float | None) -> Meter:
    """Joulescope of a serial number, or the only one that is attached. Raises RIG069."""
    library = package("pyjoulescope_driver", "pyjoulescope_driver")
    if volts is not None:
        raise refused("a Joulescope measures the voltage", "leave @VOLTS out")
    try:
        driver = library.Driver()
    except (OSError, RuntimeError) as error:
        raise failed("the Joulescope's driver did not start", error) from error
    found = [each for each in driver.device_paths() if each.endswith(which)]
    if len(found) != 1:
        driver.finalize()
        fix = "attach one, or name its serial number: joulescope:SERIAL"
        raise refused(f"{len(found)} Joulescopes fit", fix)
    return Joulescope(driver, found[0])


class Joulescope(Meter):
    """A Joulescope, whose recorded samples arrive in a thread of its driver."""

    def __init__(self, driver: Any, path: str) -> None:
        self.title = "Joulescope " + "-".join(path.split("/")[1:])
        self._driver, self._path = driver, path
        self._parts: dict[str, list[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        try:
            driver.open(path)
            model = path.split("/")[1]
            driver.publish(f"{path}/{RANGES.get(model, RANGES['js220'])}", "auto")
            for topic in (POWER, MARK):
                driver.subscribe(f"{path}/{topic}/!data", "pub", self._take)
        except (OSError, RuntimeError) as error:
            driver.finalize()
            raise failed(f"{path} cannot be opened", error) from error

    def start(self) -> None:
        """Start a recording."""
        with self._lock:
            self._parts = {POWER: [], MARK: []}
        self._switch(1)
        end = time.monotonic() + PATIENCE
        while not all(self._parts.values()):
            if time.monotonic() > end:
                raise refused(f"{self._path} sends no samples", "attach it again")
            time.sleep(_PAUSE)

    def stop(self) -> Recording:
        """End the recording and return it."""
        time.sleep(5 * _PAUSE)  # wait for samples on their way
        self._switch(0)
        with self._lock:
            first, watts, step, rate = _joined(self._parts[POWER])
            begin, mark, each, _ = _joined(self._parts[MARK], bits=True)
        count = min(len(watts), (begin + len(mark) * each - first) // step)
        at = (first + np.arange(count) * step - begin) // each
        at = at[at >= 0]
        return Recording(watts[count - len(at) : count], mark[at].astype(bool), step / rate)

    def close(self) -> None:
        """Release the instrument."""
        try:
            self._driver.close(self._path)
        finally:
            self._driver.finalize()

    def _switch(self, on: int) -> None:
        try:
            for topic in (POWER, MARK):
                self._driver.publish(f"{self._path}/{topic}/ctrl", on)
        except (OSError, RuntimeError) as error:
            raise failed(f"{self._path} does not answer", error) from error

    def _take(self, topic: str, value: dict[str, Any]) -> None:
        """Keep samples from the driver; runs in the driver's thread."""
        with self._lock:
            part = self._parts.get(topic.removeprefix(f"{self._path}/").removesuffix("/!data"))
            if part is not None:
                part.append(value)


def _joined(
    parts: list[dict[str, Any]], *, bits: bool = False
) -> tuple[int, npt.NDArray[Any], int, int]:
    """Number of the first sample, all samples, the step between their numbers, and the count of
    numbers per second. Raises RIG069 where samples are missing.
    """
    first, step, rate = (parts[0][key] for key in ("sample_id", "decimate_factor", "sample_rate"))
    found, at = [], first
    for part in parts:
        if part["sample_id"] != at:
            raise refused(f"lost {part['sample_id'] - at} samples", "use another USB port")
        data = np.unpackbits(part["data"], bitorder="little") if bits else part["data"]
        found.append(data)
        at += len(data) * step
    return first, np.concatenate(found), step, rate
