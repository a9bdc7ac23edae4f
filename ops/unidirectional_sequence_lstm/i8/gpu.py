"""LSTM kernel of int8 on a GPU: a group of work-items for each batch."""

from runtimes.gpu.kernel import of_reference

from ..cell import batch_groups, device_cost

KERNELS = (of_reference(batch_groups, cost=device_cost),)
