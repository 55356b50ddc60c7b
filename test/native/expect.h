// What the programs beside this file say of what they expected: a line for each failure, and in the
// end whether there were any.
#pragma once

#include <cstdio>

namespace expectations {

inline int failures = 0;

inline void Expect(bool is_so, const char* what, int line) {
  if (is_so) return;
  printf("line %d: expected %s\n", line, what);
  ++failures;
}

// The program's exit status.
inline int Summary() {
  puts(failures == 0 ? "native code works" : "native code fails");
  return failures == 0 ? 0 : 1;
}

}  // namespace expectations

#define EXPECT(condition) expectations::Expect((condition), #condition, __LINE__)
