"""Names for new ops, their tensors and attributes: identifiers in Python and C++ alike."""

import keyword
import re
from collections.abc import Iterable
from functools import cache

from opsmith.home import HOME
from opsmith.keywords import RESERVED

_OURS = frozenset(("l",))  # names that look like a digit
_BUILTIN = re.compile(r"int\d+_t|uint\d+_t")
_BRINGS = re.compile(r"^KERNELS\b", re.MULTILINE)
# Where a word begins: TopK is top_k, MaxPool3DGrad max_pool_3d_grad, XCPad xc_pad.
_WORD = re.compile(
    r"(?<=[a-z])(?=[A-Z]|\d+D(?![a-z]))|(?<=\d)(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])"
)
LONGEST = 60
SHARED = ("runtimes/core", "runtimes/families")  # headers whose functions are visible to ops


def name_problem(name: str) -> str:
    """Return the reason why a text cannot name an op, a tensor or an attribute; "" if it can."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or name.endswith("_") or "__" in name:
        return f"'{name}' is no lower-case identifier"
    if len(name) > LONGEST:
        return f"'{name}' is longer than {LONGEST} characters"
    if _taken(name):
        return f"'{name}' means something else in Python or C++"
    return ""


def op_name_problem(name: str) -> str:
    """Reason why a text cannot name an op, whose namespace is beside shared ones, or ""."""
    if name in _shared_names():
        return f"'{name}' is something that kernels share, in {' or '.join(SHARED)}"
    if name in _modules():
        return f"'{name}' is a module of a runtime, which would be taken for the op's kernels"
    return name_problem(name)


@cache
def _shared_names() -> frozenset[str]:
    headers = sorted(header for folder in SHARED for header in (HOME / folder).glob("*.h"))
    text = "".join(header.read_text(encoding="utf-8") for header in headers)
    return frozenset(re.findall(r"\b([a-z][a-z0-9_]*)[(<]", text))


@cache
def _modules() -> frozenset[str]:
    """Names of the modules of runtimes that bring no kernels for an op."""
    manifests = HOME.glob("runtimes/*/runtime.toml")
    found = (file for each in manifests for file in each.parent.glob("*.py"))
    return frozenset(f.stem for f in found if not _BRINGS.search(f.read_text(encoding="utf-8")))


def plain_name(text: str, taken: Iterable[str] = (), prefix: str = "op") -> str:
    """Return a lower-case identifier for a name in a model, different from those in `taken`."""
    spaced = text if text.isupper() else _WORD.sub("_", text)
    base = re.sub(r"[^a-z0-9]+", "_", spaced.lower()).strip("_")[: LONGEST - 8].strip("_")
    if not base or base[0].isdigit() or _taken(base):
        base = f"{prefix}_{base}".rstrip("_")
    name, number, known = base, 1, set(taken)
    if prefix != "option":
        known |= _shared_names()
    if prefix == "op":
        known |= _modules()
    while name in known:
        number += 1
        name = f"{base}_{number}"
    return name


def class_name(name: str) -> str:
    """Name of a class for an op: 'TopK' for 'top_k'."""
    return "".join(part.capitalize() for part in name.split("_"))


def _taken(name: str) -> bool:
    reserved = name in RESERVED and name not in ("input", "output", "index", "params", "model")
    return reserved or keyword.iskeyword(name) or name in _OURS or bool(_BUILTIN.fullmatch(name))
