"""Parts of the good op.py, which mistakes replace."""

X = 'Input("x", "T")'
Y = 'Output("y", "T")'
KEEP = "hooks=Hooks(channels=Channels(keep=lambda node, live, ranges: None))"
REORDER = "hooks=Hooks(permutations=Permutations(reorder=lambda node, order: None))"
ABSORBS = "hooks=Hooks(affine=Affine(absorbs=lambda node, affine, exactly: None))"
K = 'Attribute("k", int, default=1)'
TWICE = 'Rename("tflite.CUSTOM.Twice")'
TAIL = "infer=infer,"
TYPES = '{"T": i8}'
VARIANT = 'Variant({"T": i8}, kernels=(REFERENCE,))'
REFERENCE = 'Kernel("reference", Params, every_node(params))'


def kernel(options: str) -> tuple[str, str]:
    """Replacement in op.py that gives the reference kernel further options."""
    return REFERENCE, REFERENCE.replace("(params))", f"(params), {options})")


def before(options: str, name: str = "reference") -> tuple[str, str]:
    """Replacement in op.py that puts a kernel with the given options before the reference."""
    return "kernels=(", f'kernels=(Kernel("{name}", Params, every_node(params), {options}), '


# (text in the good op.py, what replaces it, code, the whole sentence)
