// Constants of frames, each in a section of its own.
// The assembler reads them from weights.bin, whose SHA-256 is
// 18ae81be891eb24b8cec3b299f6700d45b312e1feb125d48ee152ce1f2b5cebe

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

  constant frames.t3_filter, 4, 0, 96
  constant frames.t3_bias, 4, 96, 32
  constant frames.t3_multiplier, 4, 128, 32
  constant frames.t3_shift, 4, 160, 8
  constant frames.t6_filter, 4, 168, 32
  constant frames.t6_bias, 4, 200, 16
  constant frames.t6_multiplier, 4, 216, 16
  constant frames.t6_shift, 4, 232, 4
  .section .note.GNU-stack, "", %progbits
  .text
)");
