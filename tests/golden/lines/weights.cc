// Constants of lines, each in a section of its own.
// The assembler reads them from weights.bin, whose SHA-256 is
// 0c3139ae05a6ea5f14ebcf25fb8d34cc7484dfa78b339755569b1a148149354a

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

  constant lines_t3_filter, 4, 0, 288
  constant lines_t3_requantization, 4, 288, 128
  constant lines_t6_filter, 4, 416, 576
  constant lines_t6_requantization, 4, 992, 128
  constant lines_t9_filter, 4, 1120, 64
  constant lines_t9_requantization, 4, 1184, 128
  .section .note.GNU-stack, "", %progbits
  .text
)");
