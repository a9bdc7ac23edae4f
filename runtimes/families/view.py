"""Views: ops whose output has the bytes of x in another shape."""

from opsmith.op import *
from opsmith.op.overlap import Overlap
from runtimes.families.movement import EVERY_TYPE, HEADER, movement

Shape = Callable[[NodeView], tuple[int, ...]]  # of y


def view(name: str, source: Rename, shape: Shape, example: Example, **fields: Any) -> Op:
    """Op whose y is x in the shape `shape`.

    `fields` are further ones of `movement`, except evaluate and traits.
    """
    return movement(
        name,
        source,
        lambda node: [shape(node)],
        (copying(),),
        EVERY_TYPE,
        example,
        evaluate=_evaluate,
        kind=Kind("movement", "copy"),
        traits={"view"},
        **fields,
    )


def reshaped(name: str, source: Rename, shape: Shape, example: Example, **fields: Any) -> Op:
    """View op whose nodes become nodes of reshape, the op that the compiler knows best."""
    return view(name, source, shape, example, decompose=Decompose(_reshape), **fields)


def _reshape(node: NodeView, builder: GraphBuilder) -> None:
    sizes = node["y"].shape or (0,)  # (0,) is a scalar's shape for reshape
    builder.node("reshape", [node["x"]], [node["y"]], new_shape=sizes)


def _evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    return [inputs[0].reshape(node["y"].shape)]


@dataclass(frozen=True)
class CopyParams:
    """Size of the copy, in bytes."""

    bytes: int


def copying(overlap: Overlap | None = None) -> Kernel:
    """Kernel that copies the bytes of x."""
    return Kernel(
        "reference",
        CopyParams,
        every_node(lambda node: CopyParams(node["x"].bytes), overlap=overlap),
        header=HEADER,
        function="opsmith::movement::copy",
        arguments=("p", "in.x", "out.y"),
        code=Code(instance=14, general=12, slowdown=1.02),
    )
