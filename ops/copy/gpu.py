"""Copy kernels on a GPU."""

from runtimes.gpu.kernel import of_reference
from runtimes.gpu.movement import FILE

KERNELS = (of_reference(file=FILE, function="copy"),)
