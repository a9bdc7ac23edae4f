"""RNN over a sequence: the output of a step is that of a layer of the input and the last output.

The state is a variable tensor of the model: a sequence goes on where the last one ended.
"""

from opsmith.op import *
from runtimes.core.lane_dot import lane_dot
from runtimes.core.real_bounds import ACTIVATIONS, Bounded, bounded
from runtimes.core.real_bounds import FACTS as BOUNDS
from runtimes.core.vector_functions import vector_hyperbolic_tangent


@dataclass(frozen=True, kw_only=True)
class Params(Bounded):
    """Sizes, layout of x in memory, and the activation: tanh, or bounds."""

    steps: int
    batches: int
    time_major: bool
    depth: int  # elements of x in a step
    units: int  # elements of y in a step
    tanh: bool


@dataclass(frozen=True)
class Tables:
    """Weights and biases in the model's order."""

    weights: NDArray[np.float32]  # [units][depth]
    recurrent: NDArray[np.float32]  # [units][units]
    bias: NDArray[np.float32]  # [units]


def infer(node: NodeView) -> Sequence[TensorType]:
    """Type of y: x with the units along its last axis."""
    x, weights = node["x"], node["weights"]
    units, batches = weights.shape[0], FACTS["batches"](node)
    wanted = {
        "weights": (units, x.shape[2]),
        "recurrent": (units, units),
        "bias": (units,),
        "state": (batches, units),
    }
    for name, shape in wanted.items():
        if node[name].shape != shape:
            raise OpError(f"{name} {node[name].type} is not {'x'.join(map(str, shape))}")
    return [TensorType(x.dtype, (*x.shape[:2], units))]


def check(node: NodeView) -> Iterator[str]:
    """Sentence about an activation that is not supported."""
    known = (*ACTIVATIONS, "TANH")
    if node.attributes["activation"] not in known:
        yield f"activation {node.attributes['activation']} is not one of {', '.join(known)}"


FACTS: Facts = {
    **BOUNDS,
    "steps": lambda node: node["x"].shape[0 if node.attributes["time_major"] else 1],
    "batches": lambda node: node["x"].shape[1 if node.attributes["time_major"] else 0],
    "depth": lambda node: node["x"].shape[2],
    "units": lambda node: node["weights"].shape[0],
    "tanh": lambda node: node.attributes["activation"] == "TANH",
    "weights": lambda node: node["weights"].data,
    "recurrent": lambda node: node["recurrent"].data,
    "bias": lambda node: node["bias"].data,
}
params = partial(of_facts, Params, facts=FACTS)
constants = partial(of_facts, Tables, facts=FACTS)


def evaluate(node: NodeView, inputs: Sequence[Array]) -> Sequence[Array]:
    """y in numpy; the state is updated."""
    p, tables, x, h = params(node), constants(node), inputs[0], inputs[4]
    y = np.empty(node["y"].shape, np.float32)
    time = 0 if p.time_major else 1
    for row_of_x, row_of_y in zip(np.moveaxis(x, time, 0), np.moveaxis(y, time, 0), strict=True):
        of_x = lane_dot(tables.bias, row_of_x[:, None], tables.weights)
        sums = lane_dot(of_x, h[:, None], tables.recurrent)
        h[:] = vector_hyperbolic_tangent(sums) if p.tanh else bounded(p, sums)
        row_of_y[:] = h
    return [y]


def macs(node: NodeView) -> int:
    """Number of multiplications with weights, of x and of the previous output."""
    rows = node["x"].elements // node["x"].shape[2]
    return rows * (node["weights"].elements + node["recurrent"].elements)


REFERENCE = Kernel("reference", Params, every_node(params, constants), Tables)


EXAMPLE = Example.of(
    {"activation": "TANH"},
    x=(1, 3, 5),
    weights=ExampleTensor(f32, (4, 5), data=np.arange(20) / 20),
    recurrent=ExampleTensor(f32, (4, 4), data=np.arange(16) / 16),
    bias=ExampleTensor(f32, (4,), data=np.arange(4)),
    state=(1, 4),
)
OP = Op(
    "unidirectional_sequence_rnn",
    legalize=(
        Rename(
            "tflite.UNIDIRECTIONAL_SEQUENCE_RNN",
            versions=range(1, 5),
            attributes=FUSED,
            ignore=("asymmetric_quantize_inputs",),  # of other element types
        ),
    ),
    inputs=(
        Input("x", f32, rank=3),
        Input("weights", f32, constant=True, rank=2),
        Input("recurrent", f32, constant=True),
        Input("bias", f32, constant=True),
        Input("state", f32, state=True),
    ),
    outputs=(Output("y", f32),),
    attributes=(
        Attribute("activation", str, default="NONE"),
        Attribute("time_major", bool, default=False),
    ),
    infer=infer,
    check=check,
    evaluate=evaluate,
    hooks=Hooks(macs=macs),
    examples=(EXAMPLE,),
    variants=(Variant({}, (REFERENCE,)),),
)
