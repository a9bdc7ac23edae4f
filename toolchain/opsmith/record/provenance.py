"""Provenance of a firmware: an in-toto statement with SLSA's predicate, version 1."""

from collections.abc import Iterator, Mapping
from typing import Any

from opsmith.record.facts import Facts

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
BUILD_TYPE = "urn:opsmith:build:firmware:2"  # defines the meaning of `variables` and the settings


def provenance(facts: Facts) -> dict[str, Any]:
    """Provenance statement: its subjects are the products, its dependencies all inputs."""
    info, inputs = facts.info, facts.info["inputs"]
    products = [_file(name, digest) for name, digest in sorted(info["products"].items())]
    definition = {
        "buildType": BUILD_TYPE,
        "externalParameters": {"variables": info["variables"]},
        "internalParameters": {"settings": inputs["settings"], "flags": inputs["flags"]},
        "resolvedDependencies": list(dependencies(inputs)),
    }
    details: dict[str, Any] = {
        "builder": {"id": facts.builder, "version": {"opsmith": facts.opsmith}},
        "metadata": {"invocationId": f"urn:opsmith:record:{facts.record}"},
    }
    if facts.date:
        details["metadata"]["finishedOn"] = facts.date
    return {
        "_type": STATEMENT,
        "subject": products,
        "predicateType": PREDICATE,
        "predicate": {"buildDefinition": definition, "runDetails": details},
    }


def dependencies(inputs: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Inputs of a firmware with their digests."""
    for kind in ("models", "ops", "sources", "board", "libraries", "headers"):
        for name, digest in inputs[kind].items():
            yield {**_file(name, digest), "annotations": {"kind": kind}}
    toolchain = inputs["toolchain"]
    yield {**_file("opsmith", inputs["opsmith"]), "annotations": {"kind": "opsmith"}}
    compiler = _file(str(toolchain["compiler"]), toolchain["sha256"])
    yield {**compiler, "annotations": {"kind": "toolchain"}}


def _file(name: str, digest: str) -> dict[str, Any]:
    return {"name": name, "digest": {"sha256": digest}}
