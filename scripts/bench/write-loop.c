// The bare minimum to compare with: registers one user event and writes the same bytes to it over
// and over, as a C program would.
//
//   write-loop USER_EVENTS_DATA DEFINITION BYTES_FILE THREADS cpu|wall ROUND_MS ROUNDS
//
// THREADS: 1, or 2 for a second one that sleeps. A process of several threads, as Node is, pays
// more for each system call on a file: the kernel counts the file's users, and libc minds
// cancellation. BYTES_FILE holds one whole write: 4 bytes for the write index, then the event.
// Prints a JSON array: nanoseconds per write of each round, after rounds that are not told, by the
// process's CPU time or by the clock on the wall.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "user-events.h"

static uint32_t enabled;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static void* sleep_for_ever(void* unused) {
  (void)unused;
  for (;;) pause();
}

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t write_round(clockid_t clock, int fd, const void* bytes, size_t size,
                            uint64_t count) {
  uint64_t start = nanoseconds(clock);
  for (uint64_t i = 0; i < count; i++) {
    if (write(fd, bytes, size) < 0) fail("write");
  }
  return nanoseconds(clock) - start;
}

int main(int argc, char** argv) {
  if (argc != 8) {
    fprintf(stderr, "seven arguments are needed, see write-loop.c\n");
    return 2;
  }
  clockid_t clock = strcmp(argv[5], "cpu") == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  uint64_t round_ns = strtoull(argv[6], NULL, 10) * 1000000u;
  int rounds = atoi(argv[7]);
  pthread_t second;
  if (atoi(argv[4]) == 2 && pthread_create(&second, NULL, sleep_for_ever, NULL) != 0) {
    fail("pthread_create");
  }

  static uint8_t bytes[65536];
  int bytes_file = open(argv[3], O_RDONLY);
  ssize_t size = read(bytes_file, bytes, sizeof bytes);
  if (size < 4) fail(argv[3]);

  int fd = open(argv[1], O_WRONLY | O_CLOEXEC);
  if (fd < 0) fail(argv[1]);
  struct user_reg registration = {0};
  registration.size = sizeof registration;
  registration.enable_size = sizeof enabled;
  registration.enable_addr = (uintptr_t)&enabled;
  registration.name_args = (uintptr_t)argv[2];
  if (ioctl(fd, DIAG_IOCSREG, &registration) != 0) fail("DIAG_IOCSREG");
  memcpy(bytes, &registration.write_index, 4);
  if (__atomic_load_n(&enabled, __ATOMIC_RELAXED) == 0) {
    fprintf(stderr, "nobody records the event\n");
    return 1;
  }

  uint64_t count = 1000;
  while (write_round(clock, fd, bytes, (size_t)size, count) < round_ns) count *= 2;
  for (int round = 0; round < rounds; round++) {
    uint64_t total = write_round(clock, fd, bytes, (size_t)size, count);
    printf("%s%.3f", round == 0 ? "[" : ",", (double)total / (double)count);
  }
  printf("]\n");
}
