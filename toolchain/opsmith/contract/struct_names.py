"""Names of kernels' structs in C++: classes of op.py, and generated structs."""

import re

from opsmith.op.kernel import Kernel

_CAP_WORDS = re.compile(r"[A-Z][A-Za-z0-9]*")
_CONTRACT = ("In", "Out", "State")  # of the op, for all of its kernels


def static_name(params: type) -> str:
    """Name of the struct of params known at compile time."""
    return f"Static{params.__name__.removesuffix('Params')}"


def scratch_name(kernel: Kernel) -> str:
    """Name of the struct of a kernel's scratch buffers."""
    return f"{''.join(part.capitalize() for part in kernel.name.split('_'))}Scratch"


def struct_name_problem(name: str) -> str:
    """Reason why a class of op.py cannot become a struct of its name, or ""."""
    if not _CAP_WORDS.fullmatch(name):
        return f"'{name}' is no name in CapWords, of letters and digits"
    return f"'{name}' is what the contract calls a struct of its own" if name in _CONTRACT else ""
