// A TCG plugin of QEMU: executed instructions and modelled cycles of each node of invoke(),
// exactly.
//
// One argument, plan=FILE. The file has a line for each of:
//   core NAME          whose cycles to model; none: instructions alone
//   invoke BEGIN END   the addresses of invoke(), in hexadecimal, without the end
//   call ADDRESS       the function that invoke() calls for a node; once a node, in the order of
//   the calls ignore BEGIN END   an interrupt handler, which is not counted out FILE where to
//   write, each time that invoke() returns: a line of instructions and cycles for each node and
//                      one for what invoke() does behind the last; or the line "lost"
// What invoke() does in front of a call belongs to the node that it calls for, and so does all that
// the called function calls. A block of instructions begins wherever the program jumps, so it is
// enough to look at where blocks begin.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opsmith/rig/plugin/qemu_plugin.h"
#include "opsmith/rig/plugin/timing.h"

enum { MOST_IGNORED = 64, LINE = 4096, HISTORIES = 1 << 16 };

struct range {
  uint64_t begin, end;
};

struct count {
  uint64_t instructions, cycles;
};

struct block {
  uint64_t begin, end;
  struct count count;
  bool ignored, in_invoke;
  enum refill refill;  // of the instruction at its end, where it depends on what comes next
};

// What a branch did, at its place in a table of all.
struct history {
  uint64_t target;  // where the program went the last time
  uint8_t taken;    // between 0 and 3: from 2 on it is expected to be taken
};

static const struct core* core;
static struct range invoke, ignored[MOST_IGNORED];
static size_t ignored_count;
static uint64_t* calls;      // the function of each node
static struct count* nodes;  // one for each, and the rest
static size_t node_count;
static char out[LINE];

static bool active, called, lost;  // called: the current node's function was entered
static size_t current;             // node
static uint64_t return_to;
static const struct block* before;
static struct history histories[HISTORIES];

static bool within(const struct range* range, uint64_t address) {
  return range->begin <= address && address < range->end;
}

static void write_counts(void) {
  FILE* file = fopen(out, "w");
  if (!file) return;  // whoever reads it says so
  if (lost || current != node_count) {
    fprintf(file, "lost\n");
  } else {
    for (size_t i = 0; i <= node_count; i++) {
      fprintf(file, "%" PRIu64 " %" PRIu64 "\n", nodes[i].instructions, nodes[i].cycles);
    }
  }
  fclose(file);
}

static void start(const struct block* block) {
  active = true;
  called = lost = false;
  current = 0;
  return_to = before ? before->end : block->begin;
  before = NULL;
  memset(nodes, 0, (node_count + 1) * sizeof *nodes);
}

// Follows invoke(): into a node's function, and out of it.
static void follow(const struct block* block) {
  if (block->in_invoke) {
    if (called) current++;
    called = false;
  } else if (!called && current < node_count && block->begin == calls[current]) {
    called = true;
  } else if (!called) {
    for (size_t i = 0; i < node_count; i++) lost |= block->begin == calls[i];  // not its turn
  }
}

static void finish(void) {
  if (called) current++;  // invoke() jumped to its last function, which returns for both
  active = false;
  write_counts();
}

// Whether the pipeline fetches anew between a block and the one that begins at `next`.
static bool refills(const struct block* block, uint64_t next) {
  struct history* history = &histories[block->end / 2 % HISTORIES];
  const bool taken = block->end != next, expected = history->taken >= 2;
  const bool elsewhere = history->target != next;
  history->target = next;
  if (taken && history->taken < 3) history->taken++;
  if (!taken && history->taken > 0) history->taken--;
  switch (block->refill) {
    case REFILL_IF_TAKEN:
      return taken;
    case REFILL_IF_MISPREDICTED:
      return taken != expected;
    case REFILL_IF_ELSEWHERE:
      return elsewhere;
    default:
      return false;
  }
}

static void on_block(unsigned cpu, void* user) {
  (void)cpu;
  const struct block* block = user;
  if (block->ignored) return;
  if (active && block->begin == return_to) finish();
  if (!active && block->begin == invoke.begin) start(block);
  if (active) {
    struct count* count = &nodes[current];
    if (before && refills(before, block->begin)) count->cycles += refill_cycles(core);
    follow(block);
    count = &nodes[current];
    count->instructions += block->count.instructions;
    count->cycles += block->count.cycles;
  }
  before = block;
}

static void measure(struct block* block, const struct qemu_plugin_tb* translated) {
  struct context context = {0};
  struct cost cost = {0, REFILL_NEVER};
  block->count.instructions = qemu_plugin_tb_n_insns(translated);
  for (size_t i = 0; i < block->count.instructions; i++) {
    const struct qemu_plugin_insn* instruction = qemu_plugin_tb_get_insn(translated, i);
    uint16_t code[2] = {0, 0};
    const size_t size = qemu_plugin_insn_size(instruction);
    memcpy(code, qemu_plugin_insn_data(instruction), size < sizeof code ? size : sizeof code);
    block->end += size;
    if (!core) continue;
    cost = instruction_cost(core, &context, code[0], code[1]);
    block->count.cycles += cost.cycles;
    if (cost.refill == REFILL_ALWAYS) block->count.cycles += refill_cycles(core);
  }
  block->refill = cost.refill;
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb* translated) {
  (void)id;
  struct block* block = calloc(1, sizeof *block);
  if (!block) abort();
  block->begin = block->end = qemu_plugin_tb_vaddr(translated);
  measure(block, translated);
  block->in_invoke = within(&invoke, block->begin);
  for (size_t i = 0; i < ignored_count; i++) block->ignored |= within(&ignored[i], block->begin);
  qemu_plugin_register_vcpu_tb_exec_cb(translated, on_block, QEMU_PLUGIN_CB_NO_REGS, block);
}

static bool read_line(char* line) {
  char name[64];
  struct range range;
  uint64_t address;
  line[strcspn(line, "\n")] = 0;
  if (sscanf(line, "core %63s", name) == 1) {
    core = find_core(name);
    if (!core) fprintf(stderr, "count_nodes: no timing.c knows the model '%s'\n", name);
    return core != NULL;
  }
  if (sscanf(line, "invoke %" SCNx64 " %" SCNx64, &invoke.begin, &invoke.end) == 2) return true;
  if (sscanf(line, "ignore %" SCNx64 " %" SCNx64, &range.begin, &range.end) == 2) {
    if (ignored_count == MOST_IGNORED) return false;
    ignored[ignored_count++] = range;
    return true;
  }
  if (sscanf(line, "call %" SCNx64, &address) == 1) {
    calls = realloc(calls, (node_count + 1) * sizeof *calls);
    if (!calls) return false;
    calls[node_count++] = address;
    return true;
  }
  if (strncmp(line, "out ", 4)) return false;
  snprintf(out, sizeof out, "%s", line + 4);
  return true;
}

static bool read_plan(const char* path) {
  char line[LINE];
  FILE* file = fopen(path, "r");
  if (!file) return false;
  bool good = true;
  while (good && fgets(line, sizeof line, file)) good = read_line(line);
  fclose(file);
  nodes = calloc(node_count + 1, sizeof *nodes);
  return good && nodes && *out && invoke.end > invoke.begin;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_version = 1;

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int count,
                                           char** arguments) {
  (void)info;
  if (count != 1 || strncmp(arguments[0], "plan=", 5) || !read_plan(arguments[0] + 5)) {
    fprintf(stderr, "count_nodes: give plan=FILE, a file as count_nodes.c describes it\n");
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  return 0;
}
