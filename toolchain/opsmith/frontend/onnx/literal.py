"""Choice of operators of quantised tensors that are computed in float32, as the file says.

An operator between DequantizeLinear and QuantizeLinear is computed in integers, if an op can do
that. Where its output stays float32, or no such op exists, its operands are dequantised first.
"""

from opsmith.frontend.onnx.file import Operator
from opsmith.frontend.onnx.integers import INTEGERS
from opsmith.frontend.onnx.reader import Reader
from opsmith.frontend.onnx.relations import RELATIONS
from opsmith.ir import Quantization

# operators that no op computes with integers
FLOATS = {*RELATIONS} | set(
    "Attention BatchNormalization CumSum Einsum GRU GroupNormalization InstanceNormalization LRN"
    " LSTM LayerNormalization LogSoftmax LpNormalization MeanVarianceNormalization Pow"
    " RMSNormalization RNN ReduceProd ScatterElements ScatterND".split()
)
# operators that pass elements and quantisation on, or read neither
PASSING = (
    "ArgMax ArgMin AveragePool DepthToSpace DequantizeLinear Dropout Expand Flatten Gather"
    " GatherElements GatherND GlobalMaxPool Identity MaxPool Pad QuantizeLinear ReduceMax ReduceMin"
    " Reshape Resize Shape Size Slice SpaceToDepth Split Squeeze Tile TopK Transpose Trilu"
    " Unsqueeze".split()
)
FUSING = ("Conv", "ConvTranspose", "Gemm", "MatMul", "Add", "Sub", "Mul", "Div")
SHARES = Quantization((1 / 256,), (-128,))  # of a SOFTMAX of int8


def is_literal(reader: Reader, operator: Operator) -> bool:
    """True if an operator reads quantised tensors, but is computed in float32."""
    if INTEGERS in operator.attributes:
        return False
    names = [name for name in operator.inputs if name]
    computed = [name for name in names if name in reader.values and name not in reader.weights]
    kinds = {reader.quantised(reader.values[name]) for name in computed}
    if True not in kinds or operator.made is not None:
        return True in kinds
    wanted = _wanted(reader, operator)
    if operator.type in PASSING:
        averages = operator.type in ("AveragePool", "Resize") and wanted is not None
        return averages and wanted != reader.tensors[reader.values[names[0]].tensor].quantization
    if operator.type in FLOATS or wanted is None or False in kinds:
        return True
    match operator.type:
        case "Softmax":
            return wanted != SHARES
        case "Conv" | "ConvTranspose" | "Gemm" | "MatMul":
            weights = reader.weights.get(names[1])
            return weights is not None and weights.quantization is None
        case "PRelu":
            return reader.real(operator, 1).size != 1
        case "Max" | "Min":
            values = [reader.tensors[reader.values[name].tensor] for name in computed]
            arrays = [reader.weights[name] for name in names if name in reader.weights]
            scales = {each.quantization for each in values}
            scales |= {each.quantization for each in arrays if each.array.size > 1}
            return scales != {wanted}
        case "Add" | "Sub" | "Mul" | "Div":
            arrays = [reader.weights[name] for name in names if name in reader.weights]
            return any(each.quantization is None for each in arrays)
    return False


def _wanted(reader: Reader, operator: Operator) -> Quantization | None:
    """Quantisation of an operator's output; None for a float32 output."""
    last = reader.activation(operator) if operator.type in FUSING else None
    after = reader.only((last or operator).outputs[0])
    if after is None or after.type != "QuantizeLinear":
        return None
    return reader.parameters(after)
