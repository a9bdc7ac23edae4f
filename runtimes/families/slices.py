"""Slices of a tensor at tuples of indices: shared by StableHLO's gather and scatter."""

from opsmith.op import *
from runtimes.families.axes import strides
from runtimes.families.walk import MAX_AXES


@dataclass(frozen=True)
class Slices:
    """Slices of tensor `whole`, and places in tensor `parts`, for each tuple of `indices`."""

    whole: Tensor
    indices: Tensor
    vector: int  # axis of indices along which the indices of a tuple lie
    mapped: tuple[int, ...]  # axes of the whole that the indices of a tuple are for
    left: tuple[int, ...]  # axes of the whole that parts lack
    inner: tuple[int, ...]  # axes of parts along which slices lie; the others are those of tuples
    sizes: tuple[int, ...]  # of a slice, along each axis of the whole

    def check(self) -> None:
        """Raise OpError unless all axes and sizes are valid."""
        rank = len(self.whole.shape)
        for name, axes, most in (
            ("the axes that indices are for", self.mapped, rank),
            ("the axes that are left out", self.left, rank),
            ("the axes of slices", self.inner, len(self.shape_of_tuples) + len(self.inner)),
        ):
            if len({*axes}) < len(axes) or not all(0 <= axis < most for axis in axes):
                raise OpError(f"{name}, {list(axes)}, are not different ones of 0 to {most - 1}")
        if [*self.inner] != sorted(self.inner) or [*self.left] != sorted(self.left):
            raise OpError("axes of slices, and axes that are left out, must ascend")
        if len(self.mapped) != self.indices.shape[self.vector]:
            what = f"indices {self.indices.type} have other tuples than of {len(self.mapped)}"
            raise OpError(what)
        if len(self.inner) + len(self.left) != rank:
            raise OpError(f"slices have other axes than those of {self.whole.type}")
        if len(self.shape) > MAX_AXES:
            raise OpError(f"there are {len(self.shape)} axes, more than {MAX_AXES}")
        for size, most in zip(self.sizes, self.whole.shape, strict=True):
            if not 1 <= size <= most:
                raise OpError(f"slices {list(self.sizes)} do not fit {self.whole.type}")
        if any(self.sizes[axis] != 1 for axis in self.left):
            raise OpError("slices must have size 1 along the axes that are left out")

    @property
    def shape_of_tuples(self) -> tuple[int, ...]:
        """Shape of indices without the axis of tuples."""
        return (*self.indices.shape[: self.vector], *self.indices.shape[self.vector + 1 :])

    @property
    def kept(self) -> tuple[int, ...]:
        """Axes of the whole that parts have, in order."""
        return tuple(axis for axis in range(len(self.whole.shape)) if axis not in self.left)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the parts."""
        rank = len(self.shape_of_tuples) + len(self.inner)
        sizes, tuples = iter([self.sizes[axis] for axis in self.kept]), iter(self.shape_of_tuples)
        return tuple(next(sizes if axis in self.inner else tuples) for axis in range(rank))

    def steps(self) -> tuple[list[int], list[int]]:
        """Elements of indices, and of the whole, from one position to the next along each axis of
        parts; 0 along axes of the other kind.
        """
        of_indices = strides(self.indices.shape)
        tuples = iter([*of_indices[: self.vector], *of_indices[self.vector + 1 :]])
        steps = strides(self.whole.shape)
        inner = iter([steps[axis] for axis in self.kept])
        axes = range(len(self.shape))
        along = [0 if axis in self.inner else next(tuples) for axis in axes]
        return along, [next(inner) if axis in self.inner else 0 for axis in axes]

    def starts(self, indices: Array) -> NDArray[np.int64]:
        """Starts of slices along each axis of the whole, int64[tuples, axes]."""
        given = np.moveaxis(indices, self.vector, -1).reshape(-1, len(self.mapped))
        found = np.zeros((len(given), len(self.whole.shape)), np.int64)
        found[:, list(self.mapped)] = given
        return found

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Tuple number of each element of parts, and the element's position in its slice."""
        at = np.indices(self.shape).reshape(len(self.shape), -1)
        tuples = [axis for axis in range(len(self.shape)) if axis not in self.inner]
        steps = np.array(strides(self.shape_of_tuples), np.int64)
        inside = np.zeros((at.shape[1], len(self.whole.shape)), np.int64)
        inside[:, list(self.kept)] = at[list(self.inner)].T
        return steps @ at[tuples], inside


def vector_axis(axis: int, indices: Tensor) -> int:
    """Axis of tuples. Raises OpError where indices have no such axis."""
    if not 0 <= axis < len(indices.shape):
        raise OpError(f"indices {indices.type} have no axis {axis} of tuples")
    return axis
