"""C library that LiteRT calls for functions of floats, on which their last bits depend."""

from collections.abc import Iterator

OLDEST, NEWEST = "2.29", "2.40"  # versions of glibc whose results runtimes/core/real_*.h reproduce


def other_library(name: str, version: str, machine: str) -> Iterator[str]:
    """Warning where LiteRT's floats may differ, since the C library is no supported glibc."""
    known = name == "glibc" and machine == "x86_64"
    if known and _number(OLDEST) <= _number(version) <= _number(NEWEST):
        return
    here = " ".join(word for word in (name or "another C library", version, "on", machine) if word)
    yield (
        f"LiteRT computes exp, log, sin, cos and tanh of floats by {here} here; "
        f"kernels have the bits of glibc {OLDEST} to {NEWEST} on x86_64"
    )


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
