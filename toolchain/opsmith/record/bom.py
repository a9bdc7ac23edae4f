"""Bill of materials of a firmware as CycloneDX 1.6, made by CycloneDX's library.

The library has no model cards, which are added to its output.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from opsmith.errors import ToolchainError
from opsmith.home import with_our_pip
from opsmith.record.facts import UNKNOWN, Facts
from opsmith.record.model_card import model_card


def bill_of_materials(facts: Facts) -> dict[str, Any]:
    """Bill of materials as data; equal facts give equal bills. Raises BLD119."""
    try:
        from cyclonedx.model.bom import Bom
        from cyclonedx.output.json import JsonV1Dot6
    except ImportError as error:
        what = "the package cyclonedx-python-lib is missing"
        fix = with_our_pip("pip install 'opsmith[record]'")
        raise ToolchainError.of("BLD119", what, where="opsmith record", fix=fix) from error
    firmware, parts = _firmware(facts), list(_parts(facts))
    bom = Bom(components=parts, serial_number=uuid5(NAMESPACE_URL, f"urn:opsmith:{facts.record}"))
    bom.metadata.component = firmware
    bom.metadata.timestamp = datetime.fromisoformat(facts.date or "1970-01-01T00:00:00Z")
    bom.register_dependency(firmware, parts)
    found: dict[str, Any] = json.loads(JsonV1Dot6(bom).output_as_string())
    if facts.date is None:
        del found["metadata"]["timestamp"]
    cards = {f"model:{each['model']}": model_card(each, facts) for each in facts.models}
    for component in found["components"]:
        if component["bom-ref"] in cards:
            component["modelCard"] = cards[component["bom-ref"]]
    return found


def _firmware(facts: Facts) -> Any:
    from cyclonedx.model import Property
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.model.contact import OrganizationalEntity

    settings = {**facts.info["variables"], "record": facts.record}
    named = facts.supplier != UNKNOWN
    return Component(
        name=facts.name,
        type=ComponentType.FIRMWARE,
        bom_ref="firmware",
        version=facts.version,
        supplier=OrganizationalEntity(name=facts.supplier) if named else None,
        hashes=[_hash(facts.info["products"]["firmware.elf"])],
        properties=[Property(name=f"opsmith:{n}", value=v) for n, v in settings.items()],
    )


def _parts(facts: Facts) -> Iterator[Any]:
    """Components: models, Opsmith, the compiler, and libraries."""
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression

    inputs = facts.info["inputs"]
    for model in facts.models:
        yield Component(
            name=str(model["model"]),
            type=ComponentType.MACHINE_LEARNING_MODEL,
            bom_ref=f"model:{model['model']}",
            hashes=[_hash(str(model["sha256"]))],
        )
    yield Component(
        name="opsmith",
        type=ComponentType.FRAMEWORK,
        bom_ref="opsmith",
        version=facts.opsmith,
        licenses=[DisjunctiveLicense(id="Apache-2.0")],
        hashes=[_hash(inputs["opsmith"])],
    )
    toolchain = inputs["toolchain"]
    yield Component(
        name=str(toolchain["compiler"]),
        type=ComponentType.APPLICATION,
        bom_ref="toolchain",
        hashes=[_hash(toolchain["sha256"])],
    )
    for each in facts.linked:
        known = each.licence != UNKNOWN
        yield Component(
            name=each.title if known else each.file,
            type=ComponentType.LIBRARY,
            bom_ref=f"library:{each.title}:{each.file}",
            description=each.file,
            licenses=[LicenseExpression(each.licence)] if known else [],
            hashes=[_hash(each.sha256)] if each.sha256 else [],
        )


def _hash(sha256: str) -> Any:
    from cyclonedx.model import HashAlgorithm, HashType

    return HashType(alg=HashAlgorithm.SHA_256, content=sha256)
