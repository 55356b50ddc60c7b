// The enabled words of the whole process: one word per event, 0 while nobody wants it. The kernel
// can write bit 0 of a word at any time, from any context, so the memory is never moved and never
// freed, not even at exit; JavaScript reads the same memory as a typed array.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracewright {

class FlagPage {
 public:
  // 256 KiB of address space; only touched pages use memory. user_events allows 32768 tracepoints
  // on the whole system (kernel.user_events_max).
  static constexpr size_t kWords = 65536;
  static constexpr uint32_t kNone = 0xffffffff;

  // The page, or nullptr if there is no memory.
  static uint32_t* Words();

  // The index of an unused word, set to 0; kNone if all are used.
  static uint32_t Allocate();
  static void Release(uint32_t index);
};

}  // namespace tracewright
