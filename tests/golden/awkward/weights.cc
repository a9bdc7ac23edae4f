// Constants of awkward, each in a section of its own.
// The assembler reads them from weights.bin, whose SHA-256 is
// 039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81

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

  constant awkward.a_b_4, 4, 0, 3
  .section .note.GNU-stack, "", %progbits
  .text
)");
