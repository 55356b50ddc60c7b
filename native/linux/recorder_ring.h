// The ring buffer of one processor, that the kernel fills with records and we empty into a file.
#pragma once

#include <linux/perf_event.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "recorder.h"

namespace tracewright::linux_perf {

// A file descriptor, closed with its owner.
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

// perf_event_open of all processes on one processor. Returns 0 or errno.
int OpenEvent(const std::string& attr, uint32_t cpu, Descriptor* event);

// The kernel's name of the event in samples. Returns 0 or errno.
int EventId(const Descriptor& event, uint64_t* id);

// Appends all of it to the file. Returns 0 or errno.
int WriteAll(int file, const void* data, size_t size);

class Ring {
 public:
  Ring() = default;
  Ring(Ring&& other) noexcept
      : event_(std::move(other.event_)),
        pages_(std::exchange(other.pages_, nullptr)),
        size_(other.size_) {}
  Ring& operator=(Ring&&) = delete;
  ~Ring();

  // Opens the event on the processor, and maps its ring. `step` says which call failed.
  int Open(const std::string& attr, uint32_t cpu, size_t size, const char** step);

  const Descriptor& event() const { return event_; }

  // Appends what is in the ring to the file, and counts it. Returns 0, or errno, and then nothing
  // was taken from the ring and nothing counted, but the file may have a part of it.
  int Drain(int file, size_t sample_time_at, RecorderCounts* counts);

 private:
  perf_event_mmap_page* head_page() const { return static_cast<perf_event_mmap_page*>(pages_); }
  const uint8_t* data() const;
  // The number at this position of the endless stream of which the ring holds the last part.
  // Records, and the numbers in them, are aligned to 8 bytes, so none is cut at the ring's end.
  template <typename Number>
  Number At(uint64_t position) const;
  void Count(uint64_t from, uint64_t to, size_t sample_time_at, RecorderCounts* counts) const;

  Descriptor event_;
  void* pages_ = nullptr;
  size_t size_ = 0;
};

}  // namespace tracewright::linux_perf
