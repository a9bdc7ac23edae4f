"""Writes the sums of a program as one table, and the loop that runs a segment of it."""

from itertools import accumulate

from opsmith.op import BackendPart, Call, Emitted

HEADER = """\
// Runs the sums of {name}.
#pragma once

#include <stdint.h>

namespace {name}::queue {{

void run(uint8_t* arena, int segment);

}}  // namespace {name}::queue
"""
SOURCE = """\
// The sums of {name}, a row each.
#include "calls.h"

#include "queue/add.h"

namespace {name}::queue {{

void run(uint8_t* arena, int segment) {{
  static constexpr opsmith::add::queue::Job jobs[] = {{
{rows}
  }};
  static constexpr int first[] = {{{first}}};
  for (int i = first[segment]; i < first[segment + 1]; ++i) {{
    opsmith::add::queue::queued(arena, jobs[i]);
  }}
}}

}}  // namespace {name}::queue
"""
NONE = """\
// {name} has no sums that are computed from a table.
"""


def emit(part: BackendPart) -> Emitted:
    """The table, the loop, and for each segment the call of the loop."""
    name = part.program.graph.name
    calls = [call for segment in part.segments for call in segment]
    first = ", ".join(map(str, accumulate((len(each) for each in part.segments), initial=0)))
    rows = "\n".join(f"      {_row(part, call)}," for call in calls)
    source = (SOURCE if calls else NONE).format(name=name, rows=rows, first=first)
    listing = "".join(f"{call.step.node.name}\n" for call in calls)
    return Emitted(
        {"calls.cc": source, "calls.h": HEADER.format(name=name), "jobs.txt": listing.encode()},
        tuple(f"queue::run(arena, {number});" for number in range(len(part.segments))),
    )


def _row(part: BackendPart, call: Call) -> str:
    """The members of a Job."""
    plan, node = part.program.graph.plan, call.step.node
    assert plan is not None
    places = [plan.placements[each or ""].offset for each in (*node.inputs, *node.outputs)]
    return f"{{{', '.join(map(str, places))}, {call.params}}}"
