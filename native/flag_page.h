// The enabled words of the whole process: one word an event, 0 when nobody wants it. The kernel
// writes bit 0 of a word whenever it likes, from any context, so the memory is never moved and
// never freed, not even at exit; JavaScript reads the same memory as a typed array.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracewright {

class FlagPage {
 public:
  // 256 KiB of address space; only touched pages are backed by memory. user_events allows 32768
  // tracepoints in the whole system (kernel.user_events_max).
  static constexpr size_t kWords = 65536;
  static constexpr uint32_t kNone = 0xffffffff;

  // The one page, or nullptr when there is no memory.
  static uint32_t* Words();

  // The index of a word that nobody uses, set to 0; kNone when all are used.
  static uint32_t Allocate();
  static void Release(uint32_t index);
};

}  // namespace tracewright
