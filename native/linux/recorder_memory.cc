#include "linux/recorder_memory.h"

#include <algorithm>
#include <cstring>

namespace tracewright::linux_perf {
namespace {

// How much is written at once.
constexpr size_t kBatchSize = 1 << 20;

// The position of the time in a record that is not a sample, from its end: before processor and
// identifier.
constexpr size_t kTimeFromEnd = 24;

struct TimedRecord {
  uint64_t time;
  const uint8_t* data;
  perf_event_header head;
};

// Appends the records in `bytes` to `all`.
void FindRecords(const std::vector<uint8_t>& bytes, size_t sample_time_at,
                 std::vector<TimedRecord>* all) {
  for (size_t at = 0; at + sizeof(perf_event_header) <= bytes.size();) {
    TimedRecord record{0, bytes.data() + at, {}};
    memcpy(&record.head, record.data, sizeof record.head);
    size_t size = record.head.size;
    if (size < sizeof record.head || at + size > bytes.size()) return;
    at += size;
    bool is_sample = record.head.type == PERF_RECORD_SAMPLE;
    size_t time_at = is_sample ? sample_time_at : size - std::min(size, kTimeFromEnd);
    if (time_at + sizeof record.time <= size) {
      memcpy(&record.time, record.data + time_at, sizeof record.time);
    }
    all->push_back(record);
  }
}

}  // namespace

void FlightMemory::Keep(std::vector<Ring>* rings) {
  for (Ring& ring : *rings) ring.Take(&records_);
  if (records_.size() <= limit_) return;
  size_t end = 0;
  while (end + sizeof(perf_event_header) <= records_.size() && end < limit_ / 2) {
    perf_event_header record;
    memcpy(&record, records_.data() + end, sizeof record);
    end += std::max<size_t>(record.size, sizeof record);
  }
  end = std::min(end, records_.size());
  records_.erase(records_.begin(), records_.begin() + static_cast<ptrdiff_t>(end));
}

int FlightMemory::Write(int file, const std::vector<std::vector<uint8_t>>& latest,
                        const std::unordered_set<uint64_t>& cpu_events,
                        RecorderCounts* counts) const {
  std::vector<TimedRecord> records;
  FindRecords(records_, sample_time_at_, &records);
  for (const std::vector<uint8_t>& ring : latest) FindRecords(ring, sample_time_at_, &records);
  std::stable_sort(records.begin(), records.end(), [](const TimedRecord& a, const TimedRecord& b) {
    return a.time < b.time;
  });
  std::vector<uint8_t> batch;
  for (const TimedRecord& record : records) {
    auto read = [&record](size_t at) {
      uint64_t number;
      memcpy(&number, record.data + at, sizeof number);
      return number;
    };
    CountRecord(record.head.type, sample_time_at_, cpu_events, counts, read);
    batch.insert(batch.end(), record.data, record.data + record.head.size);
    counts->bytes += record.head.size;
    if (batch.size() < kBatchSize && &record != &records.back()) continue;
    if (int error = WriteAll(file, batch.data(), batch.size())) return error;
    batch.clear();
  }
  return 0;
}

}  // namespace tracewright::linux_perf
