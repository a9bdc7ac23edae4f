// Constants of classifier, each in a section of its own.
// The assembler reads them from weights.bin, whose SHA-256 is
// a02f8861e7be22e3b2d65d5c9b99ef329ae8a47e75adc5d7d010ec513ff069ca

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

  constant classifier_conv1_out_filter, 4, 0, 72
  constant classifier_conv1_out_requantization, 4, 72, 32
  constant classifier_conv2_out_filter, 4, 104, 72
  constant classifier_conv2_out_requantization, 4, 176, 32
  .section .note.GNU-stack, "", %progbits
  .text
)");
