"""The error that a call ends with, for tests of what is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from opsmith.errors import ToolchainError


def refusal(call: Callable[..., object], *arguments: Any, **options: Any) -> ToolchainError:
    """The error of a call, which must end with one."""
    with pytest.raises(ToolchainError) as caught:
        call(*arguments, **options)
    return caught.value
