// Runs a program on a system that refuses what a process context needs: `without_calls memfd,name
// COMMAND...` refuses files in memory, and names of memory as kernels before 5.17 do.
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UNLESS(value, skipped) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (skipped))

int main(int count, char** arguments) {
  if (count < 3) return 2;
  unsigned memfd =
      strstr(arguments[1], "memfd") == NULL ? SECCOMP_RET_ALLOW : (SECCOMP_RET_ERRNO | EPERM);
  unsigned name =
      strstr(arguments[1], "name") == NULL ? SECCOMP_RET_ALLOW : (SECCOMP_RET_ERRNO | EINVAL);
  struct sock_filter filter[] = {
      LOAD(nr),
      UNLESS(SYS_memfd_create, 1),
      BPF_STMT(BPF_RET | BPF_K, memfd),
      UNLESS(SYS_prctl, 3),
      LOAD(args[0]),
      UNLESS(PR_SET_VMA, 1),
      BPF_STMT(BPF_RET | BPF_K, name),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("seccomp");
    return 2;
  }
  execvp(arguments[2], arguments + 2);
  perror(arguments[2]);
  return 2;
}
