// As much of Zephyr as the example uses, with one thread, which runs when main() calls it.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ARG_UNUSED(argument) ((void)(argument))
#define K_NO_WAIT 0
#define K_FOREVER (-1)
#define K_PRIO_PREEMPT(priority) (priority)

struct k_msgq {
  char* data;
  size_t size;
  uint32_t most, first, used;
};

#define K_MSGQ_DEFINE(name, size, most, align) \
  static char name##_data[(size) * (most)];    \
  static struct k_msgq name = {name##_data, size, most, 0, 0}

static inline int k_msgq_put(struct k_msgq* queue, const void* data, int wait) {
  (void)wait;
  if (queue->used == queue->most) return -1;
  const uint32_t at = (queue->first + queue->used++) % queue->most;
  memcpy(queue->data + at * queue->size, data, queue->size);
  return 0;
}

static inline int k_msgq_get(struct k_msgq* queue, void* data, int wait) {
  (void)wait;
  if (queue->used == 0) return -1;
  memcpy(data, queue->data + queue->first * queue->size, queue->size);
  queue->first = (queue->first + 1) % queue->most;
  --queue->used;
  return 0;
}

#define K_THREAD_DEFINE(name, stack, function, first, second, third, priority, options, delay) \
  static void run_##name(void) { function(first, second, third); }                             \
  _Static_assert((stack) >= 512 && (priority) >= 0 && (options) == 0 && (delay) == 0, "of a "  \
                                                                                      "thread")
