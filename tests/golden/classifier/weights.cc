// Constants of classifier, each in a section of its own.
// The assembler reads them from weights.bin, whose SHA-256 is
// 2b6f5b7931c6838a65cab0d19a72b1d06161a0b74dbdb729f5bf8e72d5db4b85

asm(R"(
  .macro constant name, alignment, offset, bytes
  .section .rodata.\name, "a", %progbits
  .balign \alignment
  .global \name
  .type \name, %object
  .size \name, \bytes
\name:
  .incbin "weights.bin", \offset, \bytes
  .endm

  constant classifier.conv1_out_filter, 4, 0, 36
  constant classifier.conv1_out_bias, 4, 36, 8
  constant classifier.conv1_out_multiplier, 4, 44, 8
  constant classifier.conv1_out_shift, 4, 52, 2
  constant classifier.conv2_out_filter, 4, 54, 36
  constant classifier.conv2_out_bias, 4, 90, 8
  .section .note.GNU-stack, "", %progbits
  .text
)");
