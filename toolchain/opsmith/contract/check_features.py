"""Features and runtimes that kernels or runtimes refer to and that no core, runtime or library has.

The rules are applied when a model is resolved and by `opsmith check`, rather than when an op is
loaded, since platforms= decides which cores exist.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from opsmith.board.emitter import runtime_feature
from opsmith.board.runtime import MANIFEST, runtime_of
from opsmith.contract.assertions import registration
from opsmith.errors import Problem, did_you_mean
from opsmith.op.index import OpFolder
from opsmith.op.kernel import Kernel


def feature_problems(found: OpFolder, cores: frozenset[str]) -> Iterator[Problem]:
    """Problems of kernels, the op's own and backends', that require features unknown to `cores`."""
    if cores.issuperset(found.claims.features):
        return
    brought = {each: cores | runtime_of(each).all_features for each in found.backends}
    for kernel in (kernel for variant in found.op.variants for kernel in variant.kernels):
        known = cores if kernel.backend is None else brought[kernel.backend]
        known |= {runtime_feature(kernel.runtime)} if kernel.runtime else set()
        yield from _problems(kernel, known, str(registration(found, kernel)))


def impossible_kernels(
    found: OpFolder, cores: Iterable[frozenset[str]], backends: Iterable[Path]
) -> Iterator[Problem]:
    """Problems, for `check`, of kernels that no build takes on any core of the given features.

    A build takes no such kernel: its user may lack the core. For a kernel, a core has those of its
    features that the runtime grants: a backend may grant `mve` without `dsp`.
    """
    cores = list(cores)
    every = frozenset[str]().union(*cores)
    granted = {runtime_of(backend).grants for backend in backends}
    known = {*cores, *(core & grants for core in cores for grants in granted)}
    for kernel in (kernel for variant in found.op.variants for kernel in variant.kernels):
        needed, unwanted = every & kernel.requires, frozenset(kernel.excludes)
        if both := sorted(kernel.requires & unwanted):
            why = f"it requires and excludes {' '.join(both)}"
            fix = "take it out of requires= or excludes="
        elif not any(needed <= core and not unwanted & core for core in known):
            without = f" and not {' '.join(sorted(unwanted))}" if unwanted else ""
            why = f"no core has {' '.join(sorted(needed))}{without}"
            fix = "correct requires= and excludes=, or name the core's folder: platforms="
        else:
            continue
        what = f"kernel '{kernel.path}' is never taken: {why}"
        yield Problem("KRN011", what, str(registration(found, kernel)), fix)


def unknown_runtimes(found: OpFolder, backends: Sequence[Path]) -> Iterator[Problem]:
    """Problems, for `opsmith check`, of kernels for runtimes that no given backend has.

    A build takes no such kernel, as if it had another runtime: its user may lack the backend.
    """
    known = sorted(backend.name for backend in backends)
    for kernel in (kernel for variant in found.op.variants for kernel in variant.kernels):
        if kernel.runtime and kernel.runtime not in known:
            near = did_you_mean(kernel.runtime, known)
            what = f"kernel '{kernel.path}' is for runtime '{kernel.runtime}', which no backend is"
            fix = f"one of: {', '.join(known)}; or name the backend's folder: --backends"
            yield Problem("KRN010", what + near, str(registration(found, kernel)), fix)


def runtime_problems(backends: Iterable[Path], cores: frozenset[str]) -> Iterator[Problem]:
    """Problems with features that backends' runtime.toml name, if cores have `cores`."""
    for backend in backends:
        runtime, where = runtime_of(backend), str(backend / MANIFEST)
        asked = [("grants", runtime.grants)]
        asked += [
            (f"library.{each.name}.cores", frozenset(each.cores)) for each in runtime.libraries
        ]
        for key, names in asked:
            for name in sorted(names - cores):
                what = f"'{key}' has '{name}', which no core has{did_you_mean(name, cores)}"
                yield Problem("BLD030", what, where, _one_of(cores))
        for name in sorted(runtime.provides & cores):
            what = f"'provides' has '{name}', which is a feature of cores"
            yield Problem("BLD030", what, where, "move it to 'grants', or give it another name")
        for name in sorted({each.name for each in runtime.libraries} & cores):
            what = f"'library.{name}' brings the feature '{name}', which is one of cores"
            yield Problem("BLD030", what, where, "give the library another name")


def _one_of(features: frozenset[str]) -> str:
    return f"one of: {', '.join(sorted(features))}; or name the core's folder: platforms="


def _problems(kernel: Kernel, known: frozenset[str], where: str) -> Iterator[Problem]:
    asked = {"requires": kernel.requires, "excludes": kernel.excludes, "paces by": kernel.paces}
    verbs = {feature: verb for verb, features in reversed(asked.items()) for feature in features}
    for feature in sorted(verbs.keys() - known):
        near, verb = did_you_mean(feature, known), verbs[feature]
        what = f"kernel '{kernel.path}' {verb} '{feature}', which no core has{near}"
        yield Problem("KRN010", what, where, _one_of(known))
