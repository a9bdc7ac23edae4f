"""Contents of model.json: how models became programs, the programs, and where constants lie."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opsmith.emit.emitters import NOTHING, Written
from opsmith.emit.files import Source
from opsmith.emit.joined import Joined, shared_arenas
from opsmith.emit.manifest import manifest
from opsmith.op.index import OpIndex


@dataclass(frozen=True)
class ModelFacts:
    """Facts of the way from a model to a program. model.json has the fields under their names."""

    model: str  # name of the model file
    sha256: str
    subgraphs: Sequence[str]  # names that `signature` could have
    signature: str
    numerics: str
    input_shape: Sequence[str]
    assumed: Sequence[str]  # remarks on facts that the file leaves open
    board: str
    runtime: str
    opt: str
    prefer: str
    tune: Mapping[str, str] | None  # file and unit of measurements
    flash_budget: Mapping[str, int | bool | None]  # bytes, and whether they were spent
    ram_budget: Mapping[str, int | bool | None]  # bytes, and whether a user gave them
    estimated_code_bytes: int
    libraries: Mapping[str, str]  # their revisions, by name
    model_macs: int | None  # of the file as it is; "macs" is what remains after rewrites
    asked_outputs: Sequence[str]
    kernel_sources: Mapping[str, str] | None = None  # digests of kernels' files, for measurements

    @property
    def source(self) -> Source:
        """Name and digest of the model file."""
        return Source(self.model, self.sha256)

    @property
    def target(self) -> str:
        """Board and runtime, for comments of generated files."""
        return f"{self.board}, runtime {self.runtime}, opt {self.opt}"


@dataclass(frozen=True)
class FirmwareFacts:
    """Facts about all models of a firmware, and about the files emitted for them."""

    models: Sequence[ModelFacts]
    written: Written = NOTHING  # output of emitters
    constants: Mapping[str, Any] | None = None  # their memories, on a board with rules for them
    placement: Mapping[str, Any] | None = None  # sides of nodes, if the runtime has a device
    packages: Sequence[Mapping[str, Any]] = ()  # packages installed for the ops


def model_json(joined: Joined, ops: OpIndex, facts: FirmwareFacts) -> str:
    """Text of model.json, in one line."""
    models = [
        _given(vars(each)) | manifest(program, ops, facts.written)
        for each, program in zip(facts.models, joined.programs, strict=True)
    ]
    found = models[0] if joined.alone else _of_several(joined, models)
    more: dict[str, object] = {"constants": facts.constants, "placement": facts.placement}
    more["packages"] = facts.packages or None
    return json.dumps(found | _given(more)) + "\n"


_OPTIONAL = ("kernel_sources", "constants", "placement", "packages")


def _given(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts without optional ones that are None."""
    return {k: value for k, value in facts.items() if value is not None or k not in _OPTIONAL}


def _of_several(joined: Joined, models: Sequence[dict[str, Any]]) -> dict[str, Any]:
    shared = {
        memory: {"bytes": size, "alignment": alignment, "lower_bound": size}
        for memory, (_, size, alignment) in shared_arenas(joined).items()
    }
    return {
        "name": ",".join(program.graph.name for program in joined.programs),
        **{key: models[0][key] for key in ("board", "runtime", "opt", "guards", "libraries")},
        "assumed": [*dict.fromkeys(line for each in models for line in each["assumed"])],
        "arena": shared,
        "constant_bytes": models[-1]["constant_bytes"],
        "space": joined.common.graph.name,
        "models": models,
    }
