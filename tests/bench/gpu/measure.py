"""Measure what `python -m tests.bench.gpu` has built, on the device of this machine.

Needs Python alone, so that the folder can go to another machine: `python3 FOLDER/measure.py`. Where
they can be imported, LiteRT runs the same models on the CPU, and PyTorch a MobileNetV1 of float16.
"""

import importlib.util
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
STAGES = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1),) * 5,
    *((1024, 2), (1024, 1)),
)


def main(runs: int = 2000) -> int:
    """Print the times, without a device LiteRT's alone; 1 where bytes differ from LiteRT's."""
    device = shutil.which("nvidia-smi") is not None
    if device:
        print(_said(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"]))
    else:
        print("no times of GPUs: there is no NVIDIA device, and PoCL's say nothing about them")
    wrong = False
    for model in json.loads((HERE / "models.json").read_text(encoding="utf-8")):
        print(f"{model['name']}:")
        if device:
            wrong |= not _measured(HERE / model["name"], model["launches"], runs)
        print(f"  LiteRT with XNNPACK on the CPU: {_litert(HERE / model['name'] / 'model.tflite')}")
    if device:
        _torch()
    return int(wrong)


def _measured(folder: Path, launches: int, runs: int) -> bool:
    """Print times of the program and of equally many empty kernels; returns whether bytes are
    right.
    """
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch, "out.bin")
        ours = _said([folder / "firmware.elf", folder / "in.bin", output, str(runs)])
        equal = output.is_file() and output.read_bytes() == (folder / "want.bin").read_bytes()
    print(f"  {ours}; {'bytes equal' if equal else 'BYTES DIFFER'}")
    print(f"  {launches} empty kernels: {_said([HERE / 'floor', launches])}")
    return equal


def _said(command: list[Any]) -> str:
    """The last line that a program printed, or its error."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    lines = (done.stdout if done.returncode == 0 else done.stderr).strip().splitlines()
    return lines[-1] if lines else f"exit status {done.returncode}"


def _median(run: Callable[[], Any], runs: int = 300) -> str:
    times = []
    for _ in range(runs + runs // 10):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e6)
    kept = times[runs // 10 :]
    return f"median {statistics.median(kept):.2f} us, least {min(kept):.2f} us"


def _litert(model: Path) -> str:
    if importlib.util.find_spec("ai_edge_litert") is None:
        return "not installed"
    interpreter: Any = importlib.import_module("ai_edge_litert.interpreter")
    loaded = interpreter.Interpreter(str(model), num_threads=4)
    loaded.allocate_tensors()
    return _median(loaded.invoke, 50)


def _torch() -> None:
    """MobileNetV1 of float16 by PyTorch, whose int8 convolutions run on no GPU."""
    if importlib.util.find_spec("torch") is None:
        print("PyTorch: not installed")
        return
    torch: Any = importlib.import_module("torch")
    if not torch.cuda.is_available():
        print("PyTorch: without CUDA")
        return
    torch.backends.cudnn.benchmark = True
    network = _mobilenet(torch)
    x = torch.randn(1, 3, 224, 224, device="cuda", dtype=torch.float16)
    x = x.to(memory_format=torch.channels_last)

    def finished(run: Callable[[], Any]) -> Callable[[], None]:
        def waited() -> None:
            run()
            torch.cuda.synchronize()

        return waited

    with torch.inference_mode():
        print(f"PyTorch, eager: {_median(finished(lambda: network(x)))}")
        graph, stream = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        with torch.cuda.stream(stream):
            for _ in range(5):
                network(x)
        torch.cuda.synchronize()
        with torch.cuda.graph(graph):
            network(x)
        print(f"PyTorch, CUDA graph: {_median(finished(graph.replay))}")
        try:
            compiled = torch.compile(network, mode="reduce-overhead")
            print(f"PyTorch, torch.compile: {_median(finished(lambda: compiled(x)))}")
        except Exception as error:  # whatever its compilers lack here
            print(f"PyTorch, torch.compile: {str(error).splitlines()[0]}")


def _mobilenet(torch: Any) -> Any:
    nn = torch.nn
    layers, channels = [nn.Conv2d(3, 32, 3, 2, 1), nn.ReLU6()], 32
    for filters, stride in STAGES:
        layers += [nn.Conv2d(channels, channels, 3, stride, 1, groups=channels), nn.ReLU6()]
        layers += [nn.Conv2d(channels, filters, 1), nn.ReLU6()]
        channels = filters
    layers += [nn.AdaptiveAvgPool2d(1), nn.Conv2d(1024, 1000, 1), nn.Flatten(), nn.Softmax(1)]
    return nn.Sequential(*layers).eval().half().cuda().to(memory_format=torch.channels_last)


if __name__ == "__main__":
    sys.exit(main())
