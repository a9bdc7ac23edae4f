// Constants of lines, each in a section of its own.
// The assembler reads them from weights.bin, whose SHA-256 is
// a87cf67222dadaddf2814accc3eb89495163d74fc4d1811f247d5a042c978c9e

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

  constant lines.t3_filter, 4, 0, 288
  constant lines.t3_bias, 4, 288, 32
  constant lines.t3_multiplier, 4, 320, 32
  constant lines.t3_shift, 4, 352, 8
  constant lines.t6_filter, 4, 360, 576
  constant lines.t6_bias, 4, 936, 32
  constant lines.t9_filter, 4, 968, 64
  constant lines.t9_bias, 4, 1032, 32
  .section .note.GNU-stack, "", %progbits
  .text
)");
