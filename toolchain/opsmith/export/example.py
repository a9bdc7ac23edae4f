"""Example program for a model: fill inputs, run it, print outputs."""

from opsmith.package.description import Package


def example(package: Package) -> dict[str, str | list[str]]:
    """Values of templates: names of tensors as expressions of C++, and calls."""
    name, owns = package.name, package.arena != "caller"
    passed = "" if owns else "arena"
    outputs: dict[bool, list[str]] = {True: [], False: []}  # whether they are floats
    for tensor in package.outputs:
        elements = f"{name}::outputs::{tensor.id}" + ("" if owns else f"({passed})")
        outputs[tensor.dtype.startswith("float")].append(elements)
    globals_, filled, given = [], [], passed
    for tensor in package.inputs:
        of = f"{name}::inputs::{tensor.id}"
        if package.streams:
            globals_.append(f"static const {_c(tensor.dtype)} input[{of}.size()] = {{}};\n")
            given = "input"
        else:
            filled.append(of if owns else f"{of}({passed})")
    if not owns:
        aligned = f"alignas({name}::arena_alignment)"
        globals_.append(f"{aligned} static unsigned char arena[{name}::arena_bytes];\n")
    return {
        "global": globals_,
        "start": [] if owns else [f"{name}::start(arena, sizeof arena);"],
        "input": filled,
        "invoke": f"{name}::invoke({given});",
        "integers": outputs[False],
        "floats": outputs[True],
    }


def _c(dtype: str) -> str:
    """An element type in C."""
    return {"float32": "float", "float64": "double", "bool": "bool"}.get(dtype, f"{dtype}_t")
