"""Ask LiteRT what a mutant computes; each is run in a process of its own, for LiteRT may crash."""

import faulthandler
import importlib
import os
import pickle
import select
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from opsmith.errors import ToolchainError
from opsmith.ir import Array
from opsmith.oracle.litert import Reference
from opsmith.oracle.rules import by_tflm
from tests.fuzz.models.child import SECONDS, Answer

Results = list[list[Array]]  # by set of inputs, by output
Question = tuple[bytes, Results, Mapping[str, Any]]  # with options of litert.Reference, or micro


@dataclass(frozen=True)
class Ran:
    """Results that LiteRT computed."""

    results: Results


@dataclass(frozen=True)
class NotRun:
    """Reason why LiteRT has no answer."""

    how: str  # 'refuses', 'crashes' or 'hangs'
    text: str


def oracle() -> Answer:
    """Answers a model's bytes, sets of inputs and options with Ran or NotRun."""
    importlib.import_module("ai_edge_litert.interpreter")
    return _forked


def _forked(question: Question) -> Ran | NotRun:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run(question, writer)
    os.close(writer)
    answer = _read(reader, time.monotonic() + SECONDS * 0.9)
    os.close(reader)
    if answer is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if answer is None:
        return NotRun("hangs", "")
    if not answer:
        return NotRun("crashes", f"status {status}")
    made: Ran | NotRun = pickle.loads(answer)
    return made


def _read(reader: int, end: float) -> bytes | None:
    """Bytes that the child process writes; None when its time is over."""
    found = b""
    while True:
        ready, _, _ = select.select([reader], [], [], max(end - time.monotonic(), 0))
        if not ready:
            return None
        part = os.read(reader, 1 << 16)
        if not part:
            return found
        found += part


def _run(question: Question, writer: int) -> NoReturn:
    answer: Any
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    content, sets, options = question
    shapes = [np.shape(each) for each in sets[0]] if sets else []
    try:
        if outputs := options.get("micro"):
            answer = Ran([by_tflm(content, each, outputs) for each in sets])
        else:
            reference = Reference(content, shapes=shapes, **options)
            answer = Ran([reference.run(each) for each in sets])
    except ToolchainError as error:
        answer = NotRun("refuses", error.problems[0].what)
    except BaseException as error:
        answer = NotRun("refuses", f"{type(error).__name__}: {error}")
    with os.fdopen(writer, "wb") as file:
        file.write(pickle.dumps(answer))
    os._exit(0)
