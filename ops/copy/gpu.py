"""Copy kernels on a GPU."""

from opsmith.runtimes.gpu.kernel import of_reference
from opsmith.runtimes.gpu.movement import FILE

KERNELS = (of_reference(file=FILE, function="copy"),)
