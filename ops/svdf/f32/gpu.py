"""SVDF kernel of float32 on a GPU: a work-item for each element of y."""

from runtimes.gpu.kernel import each_element, of_reference

KERNELS = (of_reference(each_element),)
