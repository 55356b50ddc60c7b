// The memory of a flight recorder: the records of its rings, until a dump puts them in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "linux/recorder_ring.h"

namespace tracewright::linux_perf {

class FlightMemory {
 public:
  FlightMemory(size_t limit, size_t sample_time_at)
      : limit_(limit), sample_time_at_(sample_time_at) {}

  // Keeps what is in the rings, and forgets the oldest.
  void Keep(std::vector<Ring>* rings);

  // Writes what is kept, and the `latest` records of rings that are overwritten, in the order of
  // time, and counts it. Returns 0 or errno.
  int Write(int file, const std::vector<std::vector<uint8_t>>& latest,
            const std::unordered_set<uint64_t>& cpu_events, RecorderCounts* counts) const;

 private:
  const size_t limit_;
  const size_t sample_time_at_;
  std::vector<uint8_t> records_;
};

}  // namespace tracewright::linux_perf
