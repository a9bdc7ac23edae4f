# Loader that the boot ROM of an ESP32-C3 copies to RAM and starts: pages of 64 KB of flash appear in
# order, from the first one on, for instructions and for loads, and the program after the image
# starts. Steps, registers and the MMU's table as in esp-idf 10212290: set_cache_and_start_app() of
# bootloader_utility.c, cache_ll.h, mmu_ll.h and ext_mem_defs.h of esp32c3; functions in ROM by
# esp32c3.rom.ld. It uses no stack and runs at any address. image.py has it as words.
    .option norvc
    .text
    lui t0, 0x40000
    jalr ra, 0x51C(t0)     # Cache_Disable_ICache()
    lui a0, 0x600C5        # the MMU's table: a word for each page of 8 MB
    li a1, 0
    li a2, 64              # pages of flash: image.py has the board's
    li a3, 128             # SOC_MMU_ENTRY_NUM
1:  mv a4, a1
    bltu a1, a2, 2f
    li a4, 0x100           # SOC_MMU_INVALID
2:  sw a4, 0(a0)
    addi a0, a0, 4
    addi a1, a1, 1
    bne a1, a3, 1b
    lui a0, 0x600C4
    lw a1, 4(a0)           # EXTMEM_ICACHE_CTRL1
    andi a1, a1, ~3        # SHUT_IBUS, SHUT_DBUS
    sw a1, 4(a0)
    li a0, 0               # without autoload
    lui t0, 0x40000
    jalr ra, 0x520(t0)     # Cache_Enable_ICache(0)
    lui t0, 0x42000
    jalr zero, 0x100(t0)   # what follows the image in flash
