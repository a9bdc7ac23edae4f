"""Tests that times of nodes on a device are read from the file that the program writes."""

import pytest

from opsmith.errors import ToolchainError
from opsmith.rig.device_times import device_times


def test_launches_of_a_node_add_up_until_they_are_taken() -> None:
    with device_times("VENDOR_TIMES") as times:
        assert times is not None
        assert times.environment == {"VENDOR_TIMES": str(times.file)}
        times.file.write_text("5 conv\n7 add\n2 conv\n", encoding="utf-8")
        assert times.take() == {"conv": 7, "add": 7}
        assert times.take() == {}
        times.file.write_text("no number\n", encoding="utf-8")
        with pytest.raises(ToolchainError, match="RIG017.*the times of the device cannot be read"):
            times.take()
    assert not times.file.exists()


def test_a_runtime_without_a_clock_has_no_file() -> None:
    with device_times("") as times:
        assert times is None
