"""The collector of cyclic garbage during commands that make graphs."""

import gc

import pytest

from opsmith.commands.collector import without_collector


def test_it_rests_until_the_command_ends_however_it_does() -> None:
    assert gc.isenabled()
    with pytest.raises(KeyError), without_collector():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()
