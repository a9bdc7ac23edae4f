"""Quantises a float model: `python quantizer.py MODEL.tflite RECIPE [SET.npz] OUT.tflite`.

RECIPE is a name, or a JSON file. Arrays of SET.npz are samples of the inputs, in order. The exit
status is 3 for an invalid recipe, 4 for any other error, which is on the last line.
"""

import json
import sys
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from ai_edge_quantizer import quantizer, recipe
from ai_edge_quantizer.utils import tfl_interpreter_utils as interpreters

NAMES = {"int8": "static_wi8_ai8", "int16x8": "static_wi8_ai16"}
NO_RECIPE, REFUSED = 3, 4
make_interpreter = interpreters.create_tfl_interpreter


def same_everywhere(model, **options):
    """Interpreter whose floats do not depend on the processor, as XNNPACK's do."""
    return make_interpreter(model, **{**options, "use_xnnpack": False})


def end(status, what):
    """Print on one line why there is no model, and exit with a status."""
    print("\n" + " ".join(str(what).split())[:500], file=sys.stderr)
    raise SystemExit(status)


def chosen(name):
    """Recipe of a name or a file, as data."""
    if name.endswith(".json"):
        return json.loads(Path(name).read_text(encoding="utf-8"))
    made = getattr(recipe, NAMES.get(name, name), None)
    if name.startswith("_") or not callable(made):
        found = (each for each in vars(recipe) if "_wi" in each and not each.startswith("_"))
        end(NO_RECIPE, f"there is none called {name}; there are {', '.join(sorted(found))}")
    found = made()
    if not isinstance(found, list):
        end(NO_RECIPE, f"{name} is for several models")
    return found


def samples(model, path):
    """Samples by the name of the first signature, each by the signature's names of inputs."""
    interpreter = Interpreter(model_content=model)
    signatures = interpreter._get_full_signature_list()
    key = next(iter(signatures))
    indices = [each["index"] for each in interpreter.get_input_details()]
    names = {index: name for name, index in signatures[key]["inputs"].items()}
    with np.load(path, allow_pickle=False) as arrays:
        columns = [arrays[name] for name in arrays.files]
    called = [names[index] for index in indices]
    return {key: [dict(zip(called, row, strict=True)) for row in zip(*columns, strict=True)]}


def main(model, name, out, path):
    """Write the quantised model to a file."""
    content = Path(model).read_bytes()
    made = quantizer.Quantizer(content)
    try:
        made.load_quantization_recipe(chosen(name))
    except Exception as error:
        end(NO_RECIPE, f"{type(error).__name__}: {error}")
    interpreters.create_tfl_interpreter = same_everywhere
    found = None
    if made.need_calibration:
        found = made.calibrate(samples(content, path), num_threads=1)
    done = made.quantize(found, enable_progress_bar=False, enable_progress_report=False)
    Path(out).write_bytes(bytes(done.quantized_model))


try:
    main(*sys.argv[1:])
except Exception as error:
    end(REFUSED, f"{type(error).__name__}: {error}")
