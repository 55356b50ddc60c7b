// The ring buffer of one processor, filled by the kernel and emptied into a file.
#pragma once

#include <linux/perf_event.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "recorder.h"

namespace tracewright::linux_perf {

// A file descriptor that its owner closes on destruction.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

constexpr int kEveryTask = -1;

// perf_event_open for a thread, or for all, on one processor. Returns 0 or errno.
int OpenEvent(const std::string& attr, int task, uint32_t cpu, Descriptor* event);

// Records from now on, unless the attributes say that executing a program starts it. Returns 0 or
// errno.
int EnableEvent(const std::string& attr, const Descriptor& event);

// The event's id in samples. Returns 0 or errno.
int EventId(const Descriptor& event, uint64_t* id);

// Appends everything to the file. Returns 0 or errno.
int WriteAll(int file, const void* data, size_t size);

// Counts a record that `read` reads numbers of, by their position in it.
template <typename Read>
void CountRecord(uint32_t type, size_t sample_time_at,
                 const std::unordered_set<uint64_t>& cpu_events, RecorderCounts* counts,
                 Read read) {
  // After the header and an id.
  constexpr size_t kLostCountAt = sizeof(perf_event_header) + sizeof(uint64_t);
  if (type == PERF_RECORD_SAMPLE) {
    uint64_t id = read(sizeof(perf_event_header));
    ++(cpu_events.count(id) == 0 ? counts->events : counts->cpu_samples);
    uint64_t time = read(sample_time_at);
    if (counts->first_time == 0 || time < counts->first_time) counts->first_time = time;
    counts->last_time = std::max(counts->last_time, time);
  } else if (type == PERF_RECORD_LOST) {
    counts->lost_in_file += read(kLostCountAt);
  }
}

// The first bytes of attributes, as far as they are known here.
perf_event_attr ParseAttr(const std::string& attr);

class Ring {
 public:
  Ring() = default;
  Ring(Ring&& other) noexcept
      : event_(std::move(other.event_)),
        pages_(std::exchange(other.pages_, nullptr)),
        size_(other.size_) {}
  Ring& operator=(Ring&&) = delete;
  ~Ring();

  // Opens the event on the processor, and maps its ring; one with write_backward is overwritten.
  // `step` names the call that failed.
  int Open(const std::string& attr, int task, uint32_t cpu, size_t size, const char** step);

  const Descriptor& event() const { return event_; }

  // Appends the contents of the ring to the file, and counts them; `cpu_events` are the ids of what
  // is not a tracepoint. Returns 0 or errno; on an error nothing was taken from the ring or
  // counted, but the file may contain a part of it.
  int Drain(int file, size_t sample_time_at, const std::unordered_set<uint64_t>& cpu_events,
            RecorderCounts* counts);

  // Moves the contents of the ring to the end of `records`.
  void Take(std::vector<uint8_t>* records);
  // The records of a ring that is overwritten, latest first. The kernel drops and counts what
  // happens meanwhile.
  std::vector<uint8_t> Latest() const;

 private:
  perf_event_mmap_page* head_page() const { return static_cast<perf_event_mmap_page*>(pages_); }
  const uint8_t* data() const;
  // The number at this position of the endless stream whose last part is in the ring. Records, and
  // the numbers in them, are aligned to 8 bytes, so none is split at the ring's end.
  template <typename Number>
  Number At(uint64_t position) const;
  void Count(uint64_t from, uint64_t to, size_t sample_time_at,
             const std::unordered_set<uint64_t>& cpu_events, RecorderCounts* counts) const;

  Descriptor event_;
  void* pages_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tracewright::linux_perf
