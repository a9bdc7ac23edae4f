"""TopK kernel on a GPU: a work-item finds the place of one element of x."""

from runtimes.gpu.kernel import each_element_of, of_reference

KERNELS = (of_reference(each_element_of("x")),)
