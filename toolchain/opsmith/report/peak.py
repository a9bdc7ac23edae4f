"""Peak of each memory: the tensors in use at it, and ways to lower it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

OWNERS = 8  # tensors that are named at the peak
Data = Mapping[str, Any]


@dataclass(frozen=True)
class Peak:
    """The node at which most bytes of a memory are in use, with the tensors in use at it."""

    memory: str
    node: Data
    owners: Sequence[Data]  # the largest tensors in use at the node
    lowering: Sequence[str]  # sentences on ways to lower the peak
    used: Sequence[int]  # bytes in use at each node


def peaks(model: Data) -> Iterator[Peak]:
    """Peak of each arena of a model."""
    for memory, arena in model["arena"].items():
        tensors = [t for t in model["tensors"] if t["memory"] == memory and t["bytes"]]
        used = used_bytes(tensors, len(model["nodes"]))
        if any(used):
            at = used.index(max(used))
            alive = [t for t in tensors if t["first"] <= at <= t["last"]]
            largest = sorted(alive, key=lambda each: -each["bytes"])[:OWNERS]
            lowering = list(_lowering(model, arena, alive, used, at))
            yield Peak(memory, model["nodes"][at], largest, lowering, used)


def used_bytes(tensors: Sequence[Data], nodes: int) -> list[int]:
    """Bytes of addresses in use at each node; an output may overlap an input."""
    alive: list[list[Data]] = [[] for _ in range(nodes)]
    for each in tensors:
        for i in range(max(each["first"], 0), min(each["last"] + 1, nodes)):
            alive[i].append(each)
    return [_covered(each) for each in alive]


def _covered(tensors: Sequence[Data]) -> int:
    total = end = 0
    for each in sorted(tensors, key=lambda each: int(each["offset"])):
        last = each["offset"] + each["bytes"]
        total += max(last - max(each["offset"], end), 0)
        end = max(end, last)
    return total


def _lowering(
    model: Data, arena: Data, alive: Sequence[Data], used: Sequence[int], at: int
) -> Iterator[str]:
    node = model["nodes"][at]
    if (lost := arena["bytes"] - arena["lower_bound"]) > 0:
        yield f"{lost:,} bytes lie between tensors: no order of addresses was found without them."
    scratch = sum(each["bytes"] for each in alive if _is_scratch(each, node))
    if scratch:
        yield (
            f"{scratch:,} bytes are scratch of kernel {node['kernel']}: "
            "prefer= names another kernel, which may need less."
        )
    waiting = [
        each
        for each in alive
        if each["id"] not in (*node["inputs"], *node["outputs"]) and not _is_scratch(each, node)
    ]
    if waiting:
        longest = max(waiting, key=lambda each: each["bytes"])
        total, reader = sum(each["bytes"] for each in waiting), _last(model, longest)
        yield (
            f"{total:,} bytes wait for later nodes, most of them {longest['id']}, "
            f"which {reader['name']} reads last."
        )
    others = [bytes for i, bytes in enumerate(used) if i != at]
    if others:
        following = next(i for i, bytes in enumerate(used) if i != at and bytes == max(others))
        yield (
            f"Whatever is changed about {node['name']} alone saves at most "
            f"{used[at] - max(others):,} bytes: {model['nodes'][following]['name']} "
            f"needs {max(others):,}."
        )
    if not model.get("stream"):
        yield "ram_budget=BYTES runs layers around the peak row by row, where that takes less."


def _is_scratch(tensor: Data, node: Data) -> bool:
    return str(tensor["id"]).startswith(f"{node['name']}.")


def _last(model: Data, tensor: Data) -> Data:
    nodes: Sequence[Data] = model["nodes"]
    last: int = tensor["last"]
    return nodes[min(last, len(nodes) - 1)]
