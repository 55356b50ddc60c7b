// See process_context.h.
#include "linux/process_context.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>

// Headers of older systems lack them.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef PR_SET_VMA
#define PR_SET_VMA 0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

namespace tracewright {
namespace {

constexpr char kName[] = "OTEL_CTX";
constexpr uint32_t kVersion = 2;

// What a profiler reads, in this order and without gaps.
struct Header {
  char signature[8];
  uint32_t version;
  uint32_t payload_size;
  // On CLOCK_BOOTTIME, in nanoseconds; 0 while the context changes. A profiler reads it before and
  // after everything else, so each change has another value.
  std::atomic<uint64_t> published_at;
  uint64_t payload;
};
static_assert(sizeof(Header) == 32 && offsetof(Header, payload_size) == 12 &&
              offsetof(Header, published_at) == 16 && offsetof(Header, payload) == 24);

struct Context {
  std::mutex mutex;
  // A child that is forked has a copy of this, but not the mapping.
  pid_t process = 0;
  Header* header = nullptr;
  std::string payload;
};

// Leaked on purpose, like the mapping: a profiler may read at any time until the process is gone.
Context& TheContext() {
  static Context* context = new Context;
  return *context;
}

uint64_t Now() {
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000 + static_cast<uint64_t>(now.tv_nsec);
}

// Older kernels, and those without CONFIG_ANON_VMA_NAME, refuse. Profilers also trace the call
// itself, to notice a new context, so it is made in any case.
bool Name(Header* header) {
  return prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, header, sizeof(Header), kName) == 0;
}

// A file in memory has its name in /proc/PID/maps on every kernel; where the system allows none,
// memory without a file may have one. Returns a negative error, or whether it needs a name.
int Map(Header** header) {
  int fd = memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (fd < 0) fd = memfd_create(kName, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  bool is_sized = fd < 0 || ftruncate(fd, sizeof(Header)) == 0;
  void* memory = MAP_FAILED;
  if (is_sized) {
    int flags = MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0);
    memory = mmap(nullptr, sizeof(Header), PROT_READ | PROT_WRITE, flags, fd, 0);
  }
  int error = memory == MAP_FAILED ? -errno : 0;
  if (fd >= 0) close(fd);
  if (error != 0) return error;
  // Otherwise a child that is forked would appear to be this process.
  if (madvise(memory, sizeof(Header), MADV_DONTFORK) != 0) {
    error = -errno;
    munmap(memory, sizeof(Header));
    return error;
  }
  *header = static_cast<Header*>(memory);
  return fd < 0 ? 1 : 0;
}

// Changes what a profiler reads.
void Fill(Header* header, const std::string& payload, uint64_t published_at) {
  header->payload_size = static_cast<uint32_t>(payload.size());
  header->payload = reinterpret_cast<uintptr_t>(payload.data());
  std::atomic_thread_fence(std::memory_order_seq_cst);
  header->published_at.store(published_at);
}

}  // namespace

int SetProcessContext(std::string payload) {
  Context& context = TheContext();
  std::lock_guard<std::mutex> lock(context.mutex);
  if (context.process != getpid()) context.header = nullptr;
  context.process = getpid();
  Header* header = context.header;
  if (payload.empty()) {
    context.header = nullptr;
    return header == nullptr || munmap(header, sizeof(Header)) == 0 ? 0 : -errno;
  }
  if (header != nullptr) {
    uint64_t published_at = std::max(Now(), header->published_at.load() + 1);
    header->published_at.store(0);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    // The old payload is freed only when the header no longer points to it.
    std::swap(context.payload, payload);
    Fill(header, context.payload, published_at);
    Name(header);
    return 0;
  }
  int needs_name = Map(&header);
  if (needs_name < 0) return needs_name;
  memcpy(header->signature, kName, sizeof header->signature);
  header->version = kVersion;
  context.payload = std::move(payload);
  Fill(header, context.payload, Now());
  if (!Name(header) && needs_name != 0) {
    int error = -errno;
    munmap(header, sizeof(Header));
    return error;
  }
  context.header = header;
  return 0;
}

}  // namespace tracewright
