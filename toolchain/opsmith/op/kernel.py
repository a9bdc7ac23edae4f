"""Kernels, and how a kernel plans a node."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, get_type_hints

from opsmith.board.emitter import RUNTIME_FEATURE, Emitter
from opsmith.ir import DType, Numerics
from opsmith.op.overlap import Distance, Overlap
from opsmith.op.params import by_name
from opsmith.op.view import NodeView

MOST_SLOWDOWN = 1e6
REFERENCE_ONLY = frozenset({Numerics.REFERENCE})
ANY_RULE = frozenset(Numerics)
OTHER_RULES = ANY_RULE - REFERENCE_ONLY


@dataclass(frozen=True)
class Code:
    """Approximate size in bytes and speed of the machine code of a kernel."""

    instance: int = 430  # for one Params, beside others
    general: int = 1200  # for any Params, read at run time, with functions that it shares
    slowdown: float = 1.35  # cycles of the general form, of those of an instance
    # functions that an instance has in common with others, of any kernel, which name them alike
    shared: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Work:
    """Index space of work-items of a kernel that runs on a device."""

    items: tuple[int, ...]  # in each of one to three dimensions; rounded up to whole groups
    group: tuple[int, ...] = ()  # work-items that run together; as the emitter likes without it
    # memory that the work-items of a group share: name -> element type and number of elements
    local: Mapping[str, tuple[DType, int]] = field(default_factory=dict)
    # macros that the kernel's files have for this node; nodes with other ones include them again
    defines: Mapping[str, str] = field(default_factory=dict)
    # other groups that give the same bytes, which `tune` tries; none where its algorithm needs this
    others: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class Plan:
    """Way in which a kernel computes a node.

    `params` is a frozen dataclass of values that the kernel may know at compile time. `tables()`
    returns a dataclass of numpy arrays: constants that the kernel gets by pointer; it is called
    only for a chosen kernel. A member `reversed` of the params is set by the memory plan, if the
    kernel has to walk backward.
    """

    # of the kernel's class. A member `reversed` is set by the memory plan: to walk backward
    params: Any
    # () -> constants of the kernel's class, asked only where it is chosen, and again when large
    # ones are written
    tables: Callable[[], Any] | None = None
    # elements of each declared buffer; one without elements is nullptr
    scratch: Mapping[str, int] = field(default_factory=dict)
    # how far y may lie over inputs that are not read again, by input, `x[0]` where x is variadic;
    # without it: not at all
    overlap: Callable[[], Mapping[str, Distance]] | None = None
    # bytes that its tables grow by, over those of the smallest kernel: it has to be bought
    growth: int = 0
    # cycles that its constants take, more than the kernel's cost
    more: float = 0.0
    # size and speed of its code for this node, where they depend on the params; how large the
    # general form is, which serves all nodes, the kernel says
    code: Code | None = None
    # how its bytes for this node may differ from the reference's, "" where they cannot: then it is
    # taken only where prefer= names it
    inexact: str = ""
    # of a kernel whose calls an emitter writes, where that asks for it
    work: Work | None = None


@dataclass(frozen=True)
class Refused:
    """Reason why a kernel cannot compute a node, for the report: "filter is 5x5, not 3x3"."""

    reason: str


@dataclass(frozen=True)
class Kernel:
    """Implementation of a variant: a C++ header, and a function that plans it for a node.

    The file of kernel `dsp` is dsp.h in the folder of its variant, or of its op; its function there
    is an overload `opsmith::<op>::dsp(params, in, out, ...)`. The annotations of `params` and
    `tables` are the source of the C++ structs.
    """

    # of its header, its C++ function and its Python file; what `prefer=` takes and the report shows
    name: str
    # frozen dataclass of numbers, and tuples of them, that it may know at compile time; kernels may
    # share it
    params: type
    # node -> Plan, or Refused with the reason, in numbers. Asked where core and runtime have what
    # it requires; `-> Plan` promises that it takes every node, exactly and without growth
    plan: Callable[[NodeView], Plan | Refused]
    # frozen dataclass of constants that it gets by pointer: numpy arrays, and structs
    tables: type | None = None
    scratch: Mapping[str, DType] = field(default_factory=dict)  # buffers while it runs, by name
    requires: frozenset[str] | set[str] = frozenset()  # features of core and runtime
    excludes: frozenset[str] | set[str] = frozenset()  # features of cores that it is not for
    # rules of nodes that its plan knows; `ANY_RULE` where its constants follow from `evaluate`
    numerics: frozenset[Numerics] = REFERENCE_ONLY
    copies: tuple[str, ...] = ()  # which of memcpy, memmove and memset it calls for whole rows
    over_composite: bool = False  # taken even where the op could be decomposed
    cost: Callable[[NodeView], float] | None = None  # node -> cycles that it takes, about
    # feature of core and runtime -> factor of its cost there, relative to those of other kernels
    paces: Mapping[str, float] = field(default_factory=dict)
    code: Code = Code()  # for what instances cost and gain
    # pixels that it computes with a weight it has read, 0 for all: for what slow memories cost
    pixels: int = 1
    # C++ name of a function that exists already, in which `<T>` is replaced by the element type
    function: str = ""
    # expressions over in, out, p, tables, scratch and state that `function` is called with
    arguments: tuple[str, ...] = ()
    # files of the folder that are compiled with it: of C++, or, for an emitter, of its language
    sources: tuple[str, ...] = ()
    defines: Mapping[str, str] = field(default_factory=dict)  # for its header and sources
    libraries: tuple[str, ...] = ()  # that the firmware links: 'm'
    # functions that firmware has once, however many nodes call them: `show` counts them
    functions: tuple[str, ...] = ()
    # The backend whose emitter writes its calls: it is taken in builds with that runtime alone. Its
    # file may be in another language than C++, and ends in `.<language>`.
    runtime: str = ""
    language: str = "h"  # suffix of its file, where that is no C++
    # Where its C++ is, as it is included, when not in the folder of its variant or op: of a kernel
    # that a family or a backend brings, which says function= and arguments=, too.
    header: str = ""
    includes: tuple[str, ...] = ()  # further headers, for what `arguments` or `defines` name
    folder: str = ""  # within the op's; as its variant says
    backend: Path | None = None  # the folder of the backend that brings it; set when it is loaded
    registered: Path | None = None  # the file whose KERNELS have it; set likewise
    emitter: Emitter | None = None  # of that backend, or of its runtime; set likewise

    @property
    def path(self) -> str:
        """Name of the kernel in messages, after the folder of its variant: `i8/dsp`."""
        return f"{self.folder}/{self.name}" if self.folder else self.name

    @property
    def source(self) -> str:
        """Header of the kernel: as it is included, or as a path in the op's folder."""
        return self.header or f"{self.path}.{self.language}"

    @property
    def beside(self) -> bool:
        """True if the kernel's header lies with its registration, unlike a header of a family."""
        if self.backend is None:
            return not self.header
        return self.header.startswith(f"{self.backend.name}/")

    @property
    def home(self) -> tuple[str, str]:
        """Backend and folder, which distinguish the C++ namespaces of kernels with one name."""
        return str(self.backend or ""), self.folder

    def pace(self, features: frozenset[str]) -> float:
        """Factor of its cost where core and runtime have these features."""
        return math.prod(factor for name, factor in self.paces.items() if name in features)

    @property
    def takes_every_node(self) -> bool:
        """True if the kernel's plan never refuses a node, as its annotation `-> Plan` says."""
        return returns_plan(self.plan)


def returns_plan(function: Callable[..., Any]) -> bool:
    """True if a function's annotation says that it returns a Plan, and never Refused."""
    return getattr(function, "__annotations__", {}).get("return") in (Plan, "Plan")


def every_node(
    params: Callable[[NodeView], Any],
    tables: Callable[[NodeView], Any] | None = None,
    overlap: Overlap | Mapping[str, Distance] | None = None,
    scratch: Mapping[str, Callable[[NodeView], int]] | None = None,
) -> Callable[[NodeView], Plan]:
    """Function that plans a kernel for every node, made of functions of the node; `overlap` may be
    equal distances for all nodes.
    """

    def plan(node: NodeView) -> Plan:
        return Plan(
            node.once(params),
            None if tables is None else partial(tables, node),
            {name: elements(node) for name, elements in (scratch or {}).items()},
            _distances(overlap, node),
        )

    return plan


def _distances(
    overlap: Overlap | Mapping[str, Distance] | None, node: NodeView
) -> Callable[[], Mapping[str, Distance]] | None:
    if overlap is None or callable(overlap):
        return None if overlap is None else partial(overlap, node)
    return lambda: overlap


def reference(
    params: type | Callable[[NodeView], Any],
    tables: Callable[[NodeView], Any] | None = None,
    overlap: Overlap | Mapping[str, Distance] | None = None,
    scratch: Mapping[str, tuple[DType, Callable[[NodeView], int]]] | None = None,
    **fields: Any,
) -> Kernel:
    """Kernel of reference.h that takes every node, with the structs that `params` and `tables` are
    annotated to return.

    A dataclass in place of `params` is filled `by_name`. `scratch` has the type and the number of
    elements of each buffer; `fields` are further ones of Kernel.
    """
    fill, buffers = by_name(params) if isinstance(params, type) else params, scratch or {}
    return Kernel(
        "reference",
        _returned(fill),
        every_node(fill, tables, overlap, {name: count for name, (_, count) in buffers.items()}),
        None if tables is None else _returned(tables),
        {name: dtype for name, (dtype, _) in buffers.items()},
        **fields,
    )


def _returned(function: Callable[..., Any]) -> type:
    found = get_type_hints(function).get("return")
    if not isinstance(found, type):
        raise TypeError(f"{function.__name__}() must say which dataclass it returns")
    return found


def refusing(
    plan: Callable[[NodeView], Plan | Refused], *problems: Callable[[NodeView], str]
) -> Callable[[NodeView], Plan | Refused]:
    """Plan that refuses nodes with a problem: each of `problems` gives a sentence or ""."""

    def guarded(node: NodeView) -> Plan | Refused:
        found = next(filter(None, (problem(node) for problem in problems)), "")
        return Refused(found) if found else plan(node)

    return guarded if problems else plan


def of_other_runtime(kernel: Kernel, features: frozenset[str]) -> bool:
    """True if a kernel requires another runtime than that of the build."""
    lacks = (each for each in kernel.requires if each not in features)
    return any(each.startswith(RUNTIME_FEATURE) for each in lacks)


def planned(seen: NodeView, kernel: Kernel, features: frozenset[str]) -> Plan | Refused:
    """Plan of a kernel for a node, or the reason why there is none.

    The plan function, which may be slow, is called only where the core and the runtime have the
    features that the kernel requires.
    """
    return unavailable(kernel, features) or plan_of(kernel, seen)


def plan_of(kernel: Kernel, seen: NodeView) -> Plan | Refused:
    """Plan of a kernel for a node; Refused where the kernel lacks the node's rule of numerics."""
    if seen.numerics in kernel.numerics:
        return kernel.plan(seen)
    return Refused(f"does not know numerics={seen.numerics}")


def unavailable(kernel: Kernel, features: frozenset[str]) -> Refused | None:
    """Reason why a core and runtime of these features cannot have a kernel; None if they can."""
    return _unavailable(frozenset(kernel.requires), frozenset(kernel.excludes), features)


@lru_cache(maxsize=4096)  # called for each node
def _unavailable(
    requires: frozenset[str], excludes: frozenset[str], features: frozenset[str]
) -> Refused | None:
    missing, unwanted = requires - features, excludes & features
    if missing:
        return Refused(f"needs {', '.join(sorted(missing))}")
    if unwanted:
        return Refused(f"not for cores with {', '.join(sorted(unwanted))}")
    return None
