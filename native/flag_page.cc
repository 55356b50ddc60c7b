// See flag_page.h.
#include "flag_page.h"

#include <cstdlib>
#include <mutex>
#include <vector>

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#endif

namespace tracewright {
namespace {

uint32_t* Map(size_t size) {
#ifdef _WIN32
  return static_cast<uint32_t*>(
      VirtualAlloc(nullptr, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
#else
  // Private, not shared: a forked child has its own words.
  void* memory = mmap(
      nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<uint32_t*>(memory);
#endif
}

struct State {
  std::mutex mutex;
  uint32_t* words = Map(FlagPage::kWords * sizeof(uint32_t));
  uint32_t next = 0;
  std::vector<uint32_t> released;
};

// Leaked on purpose: no order of destruction to get wrong while other threads still run.
State& TheState() {
  static State* state = new State;
  return *state;
}

}  // namespace

uint32_t* FlagPage::Words() { return TheState().words; }

uint32_t FlagPage::Allocate() {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (state.words == nullptr) return kNone;
  uint32_t index;
  if (!state.released.empty()) {
    index = state.released.back();
    state.released.pop_back();
  } else if (state.next < kWords) {
    index = state.next++;
  } else {
    return kNone;
  }
  state.words[index] = 0;
  return index;
}

void FlagPage::Release(uint32_t index) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.released.push_back(index);
}

}  // namespace tracewright
