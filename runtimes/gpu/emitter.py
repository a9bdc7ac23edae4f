"""Files of a program's GPU part: kernels.cl, and the tables that launch its kernels."""

from opsmith.op import BackendPart, Emitted
from runtimes.gpu.facts import facts
from runtimes.gpu.launches import calls_header, calls_source, check_reach
from runtimes.gpu.source import translation_unit


def emit(part: BackendPart) -> Emitted:
    """Files of kernels and tables, the call that runs each segment, and facts for the report."""
    unit = translation_unit(part)
    check_reach(part, unit)
    return Emitted(
        {
            "kernels.cl": unit.text,
            "calls.h": calls_header(part),
            "calls.cc": calls_source(part, unit),
        },
        tuple(f"gpu::run(arena, {number});" for number in range(len(part.segments))),
        facts(part, unit),
    )
