// Second stage of the RP2040's boot: flash is read by command 03h with an address of 24 bits, which
// every chip knows. Registers of the SSI by their names in pico-sdk's ssi.h. boot.cc has it as words.
    .syntax unified
    .cpu cortex-m0plus
    .thumb
    .text
    ldr r3, ssi
    movs r0, #0
    str r0, [r3, #0x08]     // SSIENR: off
    movs r1, #4
    str r1, [r3, #0x14]     // BAUDR: a quarter of the core's clock
    ldr r1, ctrlr0
    str r1, [r3, #0x00]     // CTRLR0: EEPROM read, frames of 32 bits, one line
    ldr r1, spi_ctrlr0
    ldr r2, spi_ctrlr0_at
    str r1, [r2, #0]        // SPI_CTRLR0: command 03h of 8 bits, 24 bits of address
    str r0, [r3, #0x04]     // CTRLR1: one frame
    movs r1, #1
    str r1, [r3, #0x08]     // SSIENR: on
    ldr r0, vectors
    ldr r1, vtor
    str r0, [r1, #0]
    ldmia r0!, {r1, r2}
    msr msp, r1
    bx r2
    .align 2
ssi:           .word 0x18000000
ctrlr0:        .word 0x001F0300
spi_ctrlr0:    .word 0x03000218
spi_ctrlr0_at: .word 0x180000F4
vectors:       .word 0x10000100
vtor:          .word 0xE000ED08
