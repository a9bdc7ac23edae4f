"""LSTM: layouts, quantisations, coupled gates, and states that last."""

from dataclasses import dataclass

from opsmith.op.node import view
from opsmith.testing.batch_firmware import answers
from opsmith.testing.inputs import seeded_inputs
from opsmith.testing.known_ops import shipped_ops
from opsmith.testing.legal import legal
from opsmith.testing.op_tests import *

GATES = ("input", "forget", "cell", "output")


@dataclass(frozen=True)
class Lstm:
    """int8, int16 or float32 layer; calling it adds it to a model."""

    x: tuple[int, ...] = (1, 4, 5)
    cells: int = 3
    dtype: str = "int8"
    time_major: bool = False
    coupled: bool = False
    x_quantisation: tuple[float, int] = (0.05, 3)
    hidden: tuple[float, int] | None = (1 / 128, 0)  # how y is quantised; None: not said
    weight_scale: float = 0.01
    bias: int = 5000  # the largest
    cell_power: float = -11.0
    cell_clip: float = 0.0
    activation: str = "TANH"
    state: int | None = None  # elements of the cells; None: as they must be
    recurrent: int | None = None  # columns; None: as many as cells
    extra: tuple[int, ...] = ()  # inputs that are there by their numbers, of the shape of a bias
    absent: tuple[int, ...] = ()  # inputs that are not
    seed: int = 3
    least: int = -127  # weight
    dynamic: str = ""  # how x of float32 is quantised before weights of int8: "range" or "largest"

    @property
    def real(self) -> bool:
        """True for a layer of float32."""
        return self.dtype == "float32"

    def __call__(self, m: ModelWriter) -> None:
        batches = self.x[1 if self.time_major else 0]
        hidden = () if self.real else self.hidden or (1 / 128, 0)
        inputs: list[ModelTensor | None] = [None] * 24
        inputs[0] = m.input("x", self.x, self.dtype, *(() if self.real else self.x_quantisation))
        self._constants(m, inputs)
        inputs[18] = m.tensor("h", (batches, self.cells), self.dtype, *hidden, variable=True)
        cells = (self.state or batches * self.cells,)
        if self.real:
            inputs[19] = m.tensor("c", cells, self.dtype, variable=True)
        else:
            inputs[19] = m.tensor("c", cells, "int16", 2.0**self.cell_power, 0, variable=True)
        y = m.tensor("y", (*self.x[:-1], self.cells), self.dtype, *hidden)
        inner = [] if self.real else [(), (), (), (), self.hidden or ()]
        options: dict[str, OptionValue] = {
            "fused_activation_function": self.activation,
            "time_major": self.time_major,
            "cell_clip": self.cell_clip,
            "asymmetric_quantize_inputs": self.dynamic == "range",
        }
        m.node(
            "UNIDIRECTIONAL_SEQUENCE_LSTM",
            inputs,
            [y],
            options,
            version=3,
            intermediates=[m.tensor(f"i{i}", (0,), "int16", *q) for i, q in enumerate(inner)],
        )
        m.output(y)

    def _constants(self, m: ModelWriter, inputs: list[ModelTensor | None]) -> None:
        random = np.random.default_rng(self.seed)

        def weights(name: str, columns: int) -> ModelTensor:
            values = random.integers(self.least, 128, (self.cells, columns)).astype(np.int8)
            scale = self.weight_scale * (1 + random.random())
            if self.real and not self.dynamic:
                return m.constant(name, (values * scale).astype(np.float32))
            return m.constant(name, values, scale)

        wide = np.int64 if self.dtype == "int16" else np.int32

        def bias(name: str) -> ModelTensor:
            values = random.integers(-self.bias, self.bias + 1, self.cells)
            real = (values / 5000).astype(np.float32)
            return m.constant(name, real if self.real else values.astype(wide))

        for i, gate in list(enumerate(GATES))[1 if self.coupled else 0 :]:
            inputs[1 + i] = weights(f"{gate}_weights", self.x[-1])
            inputs[5 + i] = weights(f"{gate}_recurrent", self.recurrent or self.cells)
            inputs[12 + i] = bias(f"{gate}_bias")
        for number in self.absent:
            inputs[number] = None
        for number in self.extra:
            inputs[number] = m.constant(f"extra_{number}", np.ones(self.cells, np.int16), 0.01)


I16 = Lstm(dtype="int16", x_quantisation=(1e-3, 0), hidden=(2.0**-15, 0), bias=500_000)
I16X8_CASES = cases(
    "i16x8",
    batch_major=replace(I16, x=(2, 3, 8), cells=4),
    time_major=replace(I16, x=(3, 2, 5), time_major=True, hidden=(1e-4, 0)),
    one_element=replace(I16, x=(1, 1, 1), cells=1, cell_power=-15.0),
    tails=replace(I16, x=(1, 4, 19), cells=11),
    full=replace(I16, x=(1, 4, 10), cells=6, bias=5_000_000, cell_power=-13.0),
    saturates=replace(I16, x=(1, 6, 9), bias=10**8, weight_scale=0.3, cell_power=-13.0),
    clipped=replace(I16, x=(1, 6, 5), cell_clip=0.3, cell_power=-9.0),
)
F32 = Lstm(dtype="float32")
F32X8 = replace(F32, dynamic="range")
F32X8_CASES = cases(
    "f32x8",
    # The first one: a simulated GPU runs no other, and takes seconds for a step of time.
    batch_major=replace(F32X8, x=(2, 2, 9), cells=5),
    time_major=replace(F32X8, x=(3, 2, 5), time_major=True),
    coupled=replace(F32X8, x=(2, 6, 5), coupled=True, cell_clip=0.3),
    symmetric=replace(F32X8, x=(2, 3, 18), cells=7, dynamic="largest"),
    one_element=replace(F32X8, x=(1, 1, 1), cells=1),
    subnormal=replace(F32X8, x=(1, 4, 14), cells=12, weight_scale=0.3),
    in_parts=replace(F32X8, x=(1, 2, 602), cells=3, weight_scale=0.001),
)
DEEP = replace(F32, x=(2, 5, 681), cells=9, time_major=True, weight_scale=0.001)
BEYOND_LITERT = (*I16X8_CASES, *cases("f32", deep=DEEP))


class TestUnidirectionalSequenceLstm(OpTests):
    cases = (
        *cases(
            batch_major=Lstm((2, 3, 8), 4, hidden=(0.006, -10)),
            time_major=Lstm((3, 2, 5), time_major=True),
            coupled=Lstm(coupled=True),
            tails=Lstm((2, 3, 18), 7, weight_scale=0.03, bias=2000),
            one_element=Lstm((1, 1, 1), 1, cell_power=-15.0),
            saturates=Lstm((1, 6, 9), cell_power=-15.0, bias=100_000, weight_scale=1.0),
            wide_cells=Lstm((1, 6, 5), cell_power=-9.0, hidden=(0.0005, 7), bias=50_000),
            clipped=Lstm((1, 6, 5), cell_clip=0.3, cell_power=-10.0),
            last_bits=Lstm((1, 9, 5), 14, bias=60, weight_scale=0.002, hidden=(2e-4, 0)),
            right_shifts=Lstm(
                (2, 2, 33), 13, bias=300, weight_scale=2e-4, x_quantisation=(0.02, -7)
            ),
            wide_sums=Lstm((2, 2, 5), bias=400_000_000),
            unpaired=Lstm((2, 3, 18), 7, least=-128, seed=2),
            zero_points=Lstm(x_quantisation=(0.02, -128), hidden=(1 / 256, 127)),
        ),
        *cases(
            "f32",
            # The first one: a simulated GPU runs no other, and this has most orders of sums.
            tiles=replace(F32, x=(2, 5, 18), cells=13, time_major=True),
            batch_major=replace(F32, x=(2, 3, 9), cells=5),
            time_major=replace(F32, x=(3, 2, 5), time_major=True),
            columns=replace(F32, x=(2, 2, 18), cells=1, time_major=True),
            coupled_batches=replace(F32, x=(2, 3, 5), cells=5, time_major=True, coupled=True),
            one_cell=replace(F32, x=(2, 1, 23), cells=1),
            coupled=replace(F32, x=(1, 6, 5), coupled=True, cell_clip=0.3),
            one_element=replace(F32, x=(1, 1, 1), cells=1),
            fours=replace(F32, x=(1, 3, 12), cells=16),
            tails=replace(F32, x=(2, 3, 15), cells=11, coupled=True, cell_clip=0.3),
            subnormal=replace(F32, x=(1, 4, 14), cells=12, weight_scale=0.3),
        ),
        *F32X8_CASES,
    )
    beyond_litert = BEYOND_LITERT
    rejected = (
        refused("i16x8_coupled", replace(I16, coupled=True), "the input gate must have weights"),
        refused("i16x8_relu", replace(I16, activation="RELU"), "activation RELU is not supported"),
        refused("i16x8_zero", replace(I16, hidden=(2.0**-15, 1)), "must have zero point 0"),
        refused("i16x8_overflow", replace(I16, bias=2**50), "a sum may overflow"),
        refused("rank", Lstm((4, 5)), "must have 3 dimensions"),
        refused("recurrent", Lstm(recurrent=4), "input_recurrent i8[3x4] is not 3x3"),
        refused("state", Lstm(state=4), "cell_state i16[4] has not 3 elements"),
        refused("scale", Lstm(cell_power=-10.5), "not a power of 2 from -15 to -9"),
        refused("hidden", Lstm(hidden=None), "the last of its five intermediate tensors must be"),
        refused("peephole", Lstm(extra=(9, 10, 11)), "peephole weights are not supported"),
        refused("half", Lstm(absent=(5,)), "the input gate must have weights, recurrent weights"),
        refused("float_half", replace(F32, absent=(12,)), "the input gate must have weights"),
        refused("tiny", Lstm(hidden=(1e-30, 0)), "is too large"),
        refused("norm", Lstm(extra=(21,)), "coefficients of layer normalisation are not"),
        refused("clip", replace(F32, cell_clip=-1.0), "cell_clip -1.0 is not 0 or more"),
        refused("activation", replace(F32, activation="RELU"), "activation RELU is not supported"),
        refused("f32x8_relu", replace(F32X8, activation="RELU"), "activation RELU is not"),
        refused("overflow", Lstm(bias=2**30), "may overflow 32 bits"),
    )

    @pytest.mark.slow
    def test_long_sums_are_as_near_litert_s_as_is_said(self) -> None:
        model = ModelWriter()
        DEEP(model)
        litert, numpy = Reference(model.bytes()), self.in_numpy(DEEP)
        bound = float(said(DEEP).split("by about ")[1].split()[0])
        assert bound < 1e-5
        for values in seeded_inputs(litert.inputs, 8):
            values = [np.clip(each, -3, 3) for each in values]
            largest = 3 * 2 * 127 * DEEP.weight_scale
            found, wanted = numpy.run(values)[0], litert.run(values)[0]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=bound * largest)

    @pytest.mark.slow
    @pytest.mark.parametrize(("by", "clip"), [("host", 0.0), ("host", 0.3), ("mps3_an547", 0.3)])
    def test_a_gate_that_is_not_a_number_stays_so(
        self, by: str, clip: float, tmp_path: Path
    ) -> None:
        # inf times a weight of 0 makes one gate NaN, and not those that would hide it; a bound of
        # cells replaces NaN
        layer = replace(F32, x=(3, 2, 1), cells=7, coupled=True, seed=39, cell_clip=clip)
        content = merged_model([Case("m", layer)])
        path = tmp_path / "m.tflite"
        path.write_bytes(content)
        x = np.full((3, 2, 1), 0.5, np.float32)
        x[0, 0, 0] = np.inf
        litert = Reference(content)
        (wanted,) = litert.run([x])
        assert (0 < np.isnan(wanted[0, 0]).sum() < wanted[0, 0].size) == (clip == 0)
        ((found,),) = answers(by, path, tmp_path, [[x]], litert.outputs)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(self.in_numpy(layer).run([x])[0], wanted)

    def test_long_sums_are_said_not_to_be_exact(self) -> None:
        assert "sums of more than 680 products" in said(DEEP)
        assert not said(replace(DEEP, x=(2, 5, 680)))
        assert not said(replace(DEEP, time_major=False))


def said(case: Lstm) -> str:
    """Remark that the variant makes about its error."""
    model = ModelWriter()
    case(model)
    ops = shipped_ops()
    graph = legal(model.bytes(), ops)
    (node,) = graph.nodes
    op = ops.of(graph, node)
    assert op.variant.inexact is not None
    return op.variant.inexact(view(graph, node, op))
