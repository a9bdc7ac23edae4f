"""EmbeddingLookupSparse: every combiner, known and computed ids, and places without a lookup."""

from opsmith.testing.op_tests import *
from runtimes.families.indices_cases import index_tensor

IDS = (1, 2, 0, 1, 2)
WEIGHTS = (0.5, 1.7, -0.3, 2.0, 1.1)
PLACES = ((0, 0), (0, 2), (2, 1), (1, 0), (0, 1))


def lookup(
    combiner: str = "MEAN",
    ids: Sequence[int] = IDS,
    places: Sequence[Sequence[int]] = PLACES,
    shape: Sequence[int] = (4, 3),
    table: Sequence[int] = (4, 6),
    weights: Sequence[float] = WEIGHTS,
    computed: str = "",
) -> Build:
    """EMBEDDING_LOOKUP_SPARSE to build; ids or places are `computed`: these numbers, or each plus
    one.

    Weights are an input unless they are given.
    """

    def build(m: ModelWriter) -> None:
        given = {"ids": np.array(ids, np.int32), "places": np.array(places, np.int32)}
        found = [
            index_tensor(m, each, "int32", computed=True)
            if computed == name
            else m.constant(name, each)
            for name, each in given.items()
        ]
        found.append(m.constant("shape", np.array(shape, np.int32)))
        known = np.array(weights, np.float32)
        weight = (
            m.input("weights", (len(ids),), "float32") if not weights else m.constant("w", known)
        )
        y = m.tensor("y", (*shape[:-1], *table[1:]), "float32")
        found += [weight, m.input("table", table, "float32")]
        m.node("EMBEDDING_LOOKUP_SPARSE", found, [y], {"combiner": combiner})
        m.output(y)

    return build


class TestEmbeddingLookupSparse(OpTests):
    cases = (
        *(Case(each.lower(), lookup(each)) for each in ("SUM", "MEAN", "SQRTN")),
        Case("computed_ids", lookup("SQRTN", computed="ids")),
        Case("computed_places", lookup("MEAN", computed="places")),
        Case("computed_weights", lookup("SUM", weights=())),
        Case("images", lookup("MEAN", table=(4, 2, 3))),
        Case("deep", lookup("SUM", places=[(1, *each) for each in PLACES], shape=(2, 4, 3))),
        Case("vector", lookup("SQRTN", places=[(each,) for each in range(5)], shape=(5,))),
        Case("one_element", lookup("MEAN", (0,), ((0, 0),), (1, 1), (1, 1), (3.0,))),
    )
    rejected = (
        refused(
            "id", lookup(ids=(1, 3, 4, 0, 0)), "indices [4] are no positions along axes of [4]"
        ),
        refused("beyond", lookup(shape=(2, 3)), "indices i32[5x2] lead out of [2]"),
        refused("negative", lookup(places=((-1, 0),) * 5), "indices i32[5x2] lead out of [4]"),
        refused("few", lookup(weights=(0.5,)), "ids i32[5] and weights f32[1] must be vectors"),
        refused("deep", lookup(shape=(4, 3, 2)), "must have a row for each id, like shape i32[3]"),
        refused("table", lookup(table=(4,)), "table f32[4] must have 2 dimensions or more"),
        refused("none", lookup(shape=(0, 3)), "shape is [0, 3]; sizes must be above 0"),
    )
