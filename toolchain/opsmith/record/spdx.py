"""A firmware described in SPDX 3.0.1, with its build and its models: profiles Build and AI."""

from collections.abc import Iterable, Iterator
from typing import Any

from opsmith.record.facts import UNKNOWN, Facts
from opsmith.record.model_card import measures, properties
from opsmith.record.provenance import BUILD_TYPE

CONTEXT = "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"
CREATION = "_:creation"
PROFILES = ("core", "software", "simpleLicensing", "build", "ai")
Element = dict[str, Any]


def spdx_document(facts: Facts) -> Element:
    """SPDX document as JSON-LD; equal facts give equal documents."""
    found = [*_elements(facts)]
    ids = [each["spdxId"] for each in found]
    creation = {
        "type": "CreationInfo",
        "@id": CREATION,
        "specVersion": "3.0.1",
        "created": facts.date or "1970-01-01T00:00:00Z",
        "createdBy": [_id(facts, "opsmith")],
    }
    bom = _element(facts, "software_Sbom", "sbom", software_sbomType=["build"])
    bom |= {"rootElement": [_id(facts, "firmware")], "element": ids}
    document = _element(facts, "SpdxDocument", "document", name=facts.name)
    document |= {"rootElement": [bom["spdxId"]], "profileConformance": list(PROFILES)}
    return {"@context": CONTEXT, "@graph": [creation, *found, bom, document]}


def _elements(facts: Facts) -> Iterator[Element]:
    inputs, products = facts.info["inputs"], facts.info["products"]
    yield _element(facts, "SoftwareAgent", "opsmith", name=f"Opsmith {facts.opsmith}")
    yield _element(facts, "Organization", "supplier", name=facts.supplier)
    elf = {"verifiedUsing": [_hash(products["firmware.elf"])]}
    yield _package(facts, "firmware", facts.name, "firmware") | elf
    for name, digest in sorted(products.items()):
        yield _element(facts, "software_File", f"product/{name}", name=name) | {
            "software_primaryPurpose": "file",
            "verifiedUsing": [_hash(digest)],
        }
    for model in facts.models:
        yield from _model(facts, model)
    tool = _package(facts, "kernels", "Opsmith's kernels and generated code", "source")
    yield tool | {"verifiedUsing": [_hash(inputs["opsmith"])]}
    toolchain = inputs["toolchain"]
    compiler = _package(facts, "toolchain", str(toolchain["compiler"]), "application")
    yield compiler | {"verifiedUsing": [_hash(toolchain["sha256"])]}
    libraries = [f"library/{index}" for index in range(len(facts.linked))]
    for part, each in zip(libraries, facts.linked, strict=True):
        library = _package(facts, part, f"{each.title} ({each.file})", "library")
        yield library | ({"verifiedUsing": [_hash(each.sha256)]} if each.sha256 else {})
        yield from _licensed(facts, part, each.licence)
    yield from _licensed(facts, "kernels", "Apache-2.0")
    yield _build(facts)
    models = [f"model/{each['model']}" for each in facts.models]
    yield _related(facts, "build", "hasInput", [*models, "kernels", *libraries])
    yield _related(facts, "build", "hasOutput", ["firmware", *(f"product/{n}" for n in products)])
    yield _related(facts, "build", "usesTool", ["toolchain"])
    yield _related(facts, "firmware", "contains", [*models, "kernels", *libraries])


def _model(facts: Facts, model: Any) -> Iterator[Element]:
    part = f"model/{model['model']}"
    figures = [_entry(kind, f"{value} of {slice_}") for kind, value, slice_ in measures(facts)]
    found = _package(facts, part, str(model["model"]), "model") | {
        "type": "ai_AIPackage",
        "verifiedUsing": [_hash(str(model["sha256"]))],
        "ai_informationAboutApplication": f"compiled into firmware for {facts.board}",
        "ai_hyperparameter": [_entry(name, value) for name, value in properties(model)],
    }
    yield found | ({"ai_metric": figures} if figures else {})
    yield from _licensed(facts, part, UNKNOWN)


def _build(facts: Facts) -> Element:
    settings = {**facts.info["variables"], "settings": facts.info["inputs"]["settings"]}
    return _element(facts, "build_Build", "build") | {
        "build_buildType": BUILD_TYPE,
        "build_buildId": facts.record,
        "build_parameter": [_entry(name, value) for name, value in sorted(settings.items())],
    }


def _licensed(facts: Facts, part: str, licence: str) -> Iterator[Element]:
    """Licence expression of a part, and relations that the part declares and concludes it."""
    name = f"licence/{part}"
    expression = _element(facts, "simplelicensing_LicenseExpression", name)
    yield expression | {"simplelicensing_licenseExpression": licence}
    for kind in ("hasDeclaredLicense", "hasConcludedLicense"):
        yield _related(facts, part, kind, [name])


def _package(facts: Facts, part: str, name: str, purpose: str) -> Element:
    ours = part == "kernels"
    version = {"firmware": facts.version, "kernels": facts.opsmith}.get(part, UNKNOWN)
    return _element(facts, "software_Package", part, name=name) | {
        "software_primaryPurpose": purpose,
        "software_packageVersion": version,
        "software_downloadLocation": f"urn:opsmith:unpublished:{facts.record}",
        "suppliedBy": _id(facts, "opsmith" if ours else "supplier"),
    }


def _related(facts: Facts, start: str, kind: str, ends: Iterable[str]) -> Element:
    return _element(facts, "Relationship", f"relation/{start}/{kind}") | {
        "from": _id(facts, start),
        "relationshipType": kind,
        "to": [_id(facts, each) for each in ends],
    }


def _element(facts: Facts, kind: str, part: str, **more: Any) -> Element:
    return {"type": kind, "spdxId": _id(facts, part), "creationInfo": CREATION, **more}


def _id(facts: Facts, part: str) -> str:
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "./_-") else "_" for c in part)
    return f"urn:opsmith:spdx:{facts.record}:{kept}"


def _entry(key: str, value: str) -> Element:
    return {"type": "DictionaryEntry", "key": key, "value": value}


def _hash(sha256: str) -> Element:
    return {"type": "Hash", "algorithm": "sha256", "hashValue": sha256}
