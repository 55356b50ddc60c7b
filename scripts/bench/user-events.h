// The part of the kernel's include/uapi/linux/user_events.h that the benchmark needs: not every
// build machine has that header.
#ifndef TRACEWRIGHT_BENCH_USER_EVENTS_H_
#define TRACEWRIGHT_BENCH_USER_EVENTS_H_

#include <stdint.h>
#include <sys/ioctl.h>

struct user_reg {
  uint32_t size;
  uint8_t enable_bit;
  uint8_t enable_size;
  uint16_t flags;
  uint64_t enable_addr;
  uint64_t name_args;
  uint32_t write_index;
} __attribute__((packed));

struct user_unreg {
  uint32_t size;
  uint8_t disable_bit;
  uint8_t reserved;
  uint16_t reserved2;
  uint64_t disable_addr;
} __attribute__((packed));

// The size encoded in the numbers is a pointer's.
#define DIAG_IOCSREG _IOWR('*', 0, void*)
#define DIAG_IOCSUNREG _IOW('*', 2, void*)

#endif  // TRACEWRIGHT_BENCH_USER_EVENTS_H_
