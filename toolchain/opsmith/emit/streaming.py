"""Writes the functions of a streamed model: push_row() or push_frame(), and invoke(), which pushes
all rows; or, where rows are taken from tensors of the arena, invoke() alone, which makes all
passes.

Besides the kept rows, one counter of passes is the whole state: the passes in which a row of a
tensor is due follow from the counter and constants.
"""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import indent

from opsmith.emit.operands import called_as
from opsmith.ir import Held, Stream, Tensor, Timing
from opsmith.ir.program import Program


def push_name(stream: Stream) -> str:
    """Name of the function that takes a row: push_row or push_frame."""
    return "push_frame" if stream.frames else "push_row"


def declarations(program: Program) -> Iterator[str]:
    """Lines of model.h that declare how to push rows."""
    graph, stream = program.graph, _stream(program)
    row, ctype = graph.tensors[stream.row], stream.input.dtype.c
    count = stream.timing[stream.row].rows
    yield "// The input is pushed row by row."
    yield "namespace stream {"
    yield f"using Element = {ctype};"
    yield f"constexpr int32_t rows = {count};"
    yield f"constexpr int32_t row_elements = {row.elements};"
    yield "}  // namespace stream"
    yield ""
    if stream.frames:
        yield f"// Takes the next frame. Returns true from frame {stream.passes} on: the outputs"
        yield f"// are those of the newest {count} frames, until the next frame. Not re-entrant."
        yield f"bool push_frame(const {ctype}* frame);"
        yield "// Pushes all frames of a window, in any memory, and leaves its outputs."
        yield f"void invoke(const {ctype}* window);"
        yield "// Discards all frames."
    else:
        yield f"// Takes the next of {count} rows, from the top. Returns true after the last: the"
        yield "// outputs are valid until the next row is pushed. Not re-entrant."
        yield f"bool push_row(const {ctype}* row);"
        yield "// Pushes all rows of an image, in any memory, and leaves its outputs."
        yield f"void invoke(const {ctype}* image);"
        yield "// Makes the next row the first of an image."
    yield "void reset();"


def buffers(program: Program, address: Mapping[str, str]) -> Iterator[str]:
    """Definitions of pointers to kept rows; `address` has that of each buffer of the plan."""
    for held in _stream(program).held:
        name = _pointer(program, held).removeprefix("rows::")
        yield f"uint8_t* const {name} = {address[held.buffer]};"


def definitions(program: Program, calls: Sequence[str], first: Sequence[str] = ()) -> Iterator[str]:
    """Functions of model.cc except reset(), from inside its unnamed namespace on.

    `calls` run the nodes; the lines `first` precede each row.
    """
    stream = _stream(program)
    yield "int32_t pass = 0;  // passes completed"
    yield ""
    yield from passes(program, calls)
    yield "}  // namespace"
    yield ""
    push = _push_frame if stream.frames else _push_row
    yield from push(program, calls[stream.nodes :], first)
    yield ""
    yield from _invoke(program)


def passes(program: Program, calls: Sequence[str]) -> Iterator[str]:
    """Functions for nodes that run row by row: one that begins an image, if anything has to be
    done, and one that makes a pass.
    """
    stream = _stream(program)
    if _begins(program):
        yield from _begin(program)
    yield "// Runs the nodes that are due in this pass."
    yield f"void advance({'int32_t pass' if stream.taken else ''}) {{"
    for each in _pass(program, calls[stream.first : stream.end]):
        yield indent(each, "  ")
    if not stream.taken:
        yield f"  pass += pass < {stream.passes};" if stream.frames else "  ++pass;"
    yield "}"
    yield ""


def in_passes(program: Program, calls: Sequence[str]) -> Iterator[str]:
    """Lines of invoke() where rows are taken from tensors of the arena."""
    stream = _stream(program)
    yield from calls[: stream.first]
    if _begins(program):
        yield "  begin();"
    yield f"  for (int32_t pass = 0; pass < {stream.passes}; ++pass) advance(pass);"
    yield from calls[stream.end :]


def _stream(program: Program) -> Stream:
    assert program.graph.stream is not None
    return program.graph.stream


def _begins(program: Program) -> bool:
    """True if anything must be initialised before the first row of an image."""
    stream = _stream(program)
    return bool(stream.eager) or any(held.before for held in stream.held)


def _begin(program: Program) -> Iterator[str]:
    stream = _stream(program)
    yield "// Fills the padding rows above the image and clears running sums."
    yield "void begin() {"
    for step in program.steps:
        if step.node.name in stream.eager:
            for kept in step.states.values():
                size = kept.elements * kept.dtype.size if program.reentrant else None
                yield f"  memset({kept.symbol}, 0, {size or f'sizeof({kept.symbol})'});"
    for held in stream.held:
        if held.before:
            size = (held.depth - (held.last >= 0)) * held.row_bytes
            yield f"  memset({_pointer(program, held)}, {held.value}, {size});"
    yield "}"
    yield ""


def _pass(program: Program, calls: Sequence[str]) -> Iterator[str]:
    """Yield the steps of a pass: nodes in order; an oldest row is dropped after its last reader."""
    graph, stream = program.graph, _stream(program)
    drops: dict[int, list[Held]] = {}
    for held in stream.held:
        drops.setdefault(held.last, []).append(held)
    for row in stream.taken or [stream.row]:
        yield from _arrived(program, row, _taken(program, row))
    for i, call in enumerate(calls, stream.first):
        (name,) = graph.nodes[i].outputs
        eager = stream.eager.get(graph.nodes[i].name)
        if eager is not None:
            yield f"// {graph.nodes[i].op}: {_rhythm(stream, eager)}"
            yield f"if ({_due(stream, eager)}) {{\n{indent(call.strip(), '  ')}\n}}"
        yield from _arrived(program, name, "" if eager else call)
        for held in drops.get(i, ()):
            at = stream.timing[held.tensor]
            yield f"if ({_row(at)} >= 0) {{\n  {_drop(program, held)}\n}}"


def _taken(program: Program, row: str) -> str:
    """Statement that takes a row from the whole tensor; empty where rows are pushed."""
    tensor, whole = program.graph.tensors[row], _stream(program).taken.get(row)
    if whole is None:
        return ""
    return f"memcpy({row}, {whole} + row * {tensor.elements}, {tensor.bytes});"


def _arrived(program: Program, name: str, call: str) -> Iterator[str]:
    """Yield the code that makes a row and runs everything that depends on it."""
    graph, stream = program.graph, _stream(program)
    at, tensor = stream.timing[name], graph.tensors[name]
    pushed = name == stream.row and not stream.taken
    kept = [held for held in stream.held if held.tensor == name]
    whole = stream.gathered.get(name)
    made = [call.strip()] if call else []
    if whole is not None:
        made.append(f"memcpy({whole} + row * {tensor.elements}, {name}, {tensor.bytes});")
    below = "" if pushed else _below(kept, tensor)
    first = [_drop(program, held) for held in kept if held.last < 0 and held.depth > 1]
    first = [] if pushed else first  # push_frame() has made space already
    last = [_copy(program, held, tensor) for held in kept if held.copied]
    if not (made or first or last or below):
        return
    yield f"// {name}: {_rhythm(stream, at)}"
    if call and len(made) == 1 and name not in stream.taken and not (below or first or last):
        yield f"if ({_due(stream, at)}) {{\n{indent(made[0], '  ')}\n}}"
        return
    body = [*first, *_unless_below(stream, made, at, below), *last]
    yield f"if (const int32_t row = {_row(at)}; row >= 0) {{"
    yield indent("\n".join(body), "  ")
    yield "}"


def _below(kept: Sequence[Held], tensor: Tensor) -> str:
    """Statement that makes a padding row below the image, where such rows are read; else ""."""
    values = [held.value for held in kept if held.after]
    return f"memset({tensor.id}, {values[0]}, {tensor.bytes});" if values else ""


def _unless_below(stream: Stream, made: Sequence[str], at: Timing, below: str) -> Iterator[str]:
    """Code that makes a row of a tensor or, after its last row, a padding row below it."""
    if stream.frames:
        yield from made
        return
    if made:
        yield f"if (row < {at.rows}) {{"
        yield from (indent(each, "  ") for each in made)
        yield from ("} else {", f"  {below}") if below else ()
        yield "}"
    elif below:
        yield f"if (row >= {at.rows}) {{\n  {below}\n}}"


def _rhythm(stream: Stream, at: Timing) -> str:
    if at.rows == 1 and not stream.frames:
        return f"one row, in pass {at.first}"
    every = "in every pass" if at.every == 1 else f"in every {_ordinal(at.every)} pass"
    return ("" if stream.frames else f"{at.rows} rows, ") + f"{every} from pass {at.first} on"


def _ordinal(number: int) -> str:
    teen = 10 <= number % 100 < 20
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _row(at: Timing) -> str:
    return f"opsmith::row_in_pass(pass, {at.first}, {at.every})"


def _due(stream: Stream, at: Timing) -> str:
    if stream.frames:
        return f"pass >= {at.first}"
    if at.rows == 1:
        return f"pass == {at.first}"
    return f"opsmith::row_due(pass, {at.first}, {at.every}, {at.rows})"


def _pointer(program: Program, held: Held) -> str:
    return called_as(program, "rows", held.buffer.replace(".", "_"))


def _drop(program: Program, held: Held) -> str:
    size = (held.depth - 1) * held.row_bytes
    return f"opsmith::drop_oldest_row({_pointer(program, held)}, {held.row_bytes}, {size});"


def _copy(program: Program, held: Held, tensor: Tensor) -> str:
    offset = (held.depth - 1) * held.row_bytes
    return f"memcpy({_pointer(program, held)} + {offset}, {tensor.id}, {tensor.bytes});"


def _push_row(program: Program, calls: Sequence[str], first: Sequence[str]) -> Iterator[str]:
    graph, stream = program.graph, _stream(program)
    row, count = graph.tensors[stream.row], stream.timing[stream.row].rows
    below = _below([held for held in stream.held if held.tensor == stream.row], row)
    yield f"bool push_row(const {row.dtype.c}* row) {{"
    yield from first
    if _begins(program):
        yield "  if (pass == 0) begin();"
    yield f"  memcpy({row.id}, row, {row.bytes});"
    yield "  advance();"
    yield f"  if (pass < {count}) return false;"
    if stream.passes > count:
        yield f"  while (pass < {stream.passes}) {{"
        yield from [f"    {below}"] if below else []
        yield "    advance();"
        yield "  }"
    yield "  pass = 0;"
    yield from calls
    yield "  return true;"
    yield "}"


def _push_frame(program: Program, calls: Sequence[str], first: Sequence[str]) -> Iterator[str]:
    graph, stream = program.graph, _stream(program)
    row = graph.tensors[stream.row]
    yield f"bool push_frame(const {row.dtype.c}* frame) {{"
    yield from first
    for held in stream.held:
        if held.tensor == stream.row and held.last < 0:
            yield f"  {_drop(program, held)}"
    yield f"  memcpy({row.id}, frame, {row.bytes});"
    yield "  advance();"
    yield f"  if (pass < {stream.passes}) return false;"
    yield from calls
    yield "  return true;"
    yield "}"


def _invoke(program: Program) -> Iterator[str]:
    stream = _stream(program)
    ctype, whole = stream.input.dtype.c, "window" if stream.frames else "image"
    yield f"void invoke(const {ctype}* {whole}) {{"
    if not stream.frames:
        yield "  pass = 0;"
    yield "  for (int32_t i = 0; i < stream::rows; ++i) {"
    yield f"    {push_name(stream)}({whole} + i * stream::row_elements);"
    yield "  }"
    yield "}"
