// Constants of frames, each in a section of its own.
// The assembler reads them from weights.bin, whose SHA-256 is
// 808007ec1e9457cf44c7f093e35af503604d2d0acdb2c551587685b1be507baf

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

  constant frames_t3_filter, 4, 0, 96
  constant frames_t3_requantization, 4, 96, 128
  constant frames_t6_filter, 4, 224, 32
  constant frames_t6_requantization, 4, 256, 64
  .section .note.GNU-stack, "", %progbits
  .text
)");
