// The part of QEMU's TCG plugin API, version 1, that we use, declared as QEMU's manual ("TCG
// Instruction Counting and plugins", docs/devel/tcg-plugins) describes it: Debian's packages of
// QEMU bring no header.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QEMU_PLUGIN_EXPORT __attribute__((visibility("default")))

typedef uint64_t qemu_plugin_id_t;

struct qemu_plugin_tb;    // a translation block: instructions that run one after the other
struct qemu_plugin_insn;  // an instruction of one

// What qemu_plugin_install() gets to know of QEMU; we look at nothing in it.
typedef struct qemu_info_t qemu_info_t;

// Whether a callback may look at registers: ours do not.
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };

// Calls back for each block that is translated, which may happen more than once for a block.
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*callback)(qemu_plugin_id_t,
                                                            struct qemu_plugin_tb*));
// Calls back each time that a block begins to run.
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb* block,
                                          void (*callback)(unsigned cpu, void* user),
                                          enum qemu_plugin_cb_flags flags, void* user);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb* block);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t index);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn* instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn* instruction);
