// See recorder_ring.h. Source: perf_event_open(2), and the kernel's
// include/uapi/linux/perf_event.h.
#include "linux/recorder_ring.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tracewright::linux_perf {
namespace {

size_t PageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

int OpenEvent(const std::string& attr, int task, uint32_t cpu, Descriptor* event) {
  constexpr int kNoGroup = -1;
  long fd = syscall(SYS_perf_event_open,
                    attr.data(),
                    task,
                    static_cast<int>(cpu),
                    kNoGroup,
                    PERF_FLAG_FD_CLOEXEC);
  if (fd < 0) return errno;
  *event = Descriptor(static_cast<int>(fd));
  return 0;
}

int EnableEvent(const std::string& attr, const Descriptor& event) {
  if (ParseAttr(attr).enable_on_exec) return 0;
  return ioctl(event.get(), PERF_EVENT_IOC_ENABLE, 0) == 0 ? 0 : errno;
}

perf_event_attr ParseAttr(const std::string& attr) {
  perf_event_attr given{};
  memcpy(&given, attr.data(), std::min(attr.size(), sizeof given));
  return given;
}

int EventId(const Descriptor& event, uint64_t* id) {
  return ioctl(event.get(), PERF_EVENT_IOC_ID, id) == 0 ? 0 : errno;
}

int WriteAll(int file, const void* data, size_t size) {
  auto* next = static_cast<const uint8_t*>(data);
  while (size > 0) {
    ssize_t written = write(file, next, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    next += written;
    size -= static_cast<size_t>(written);
  }
  return 0;
}

Ring::~Ring() {
  if (pages_ != nullptr) munmap(pages_, PageSize() + size_);
}

int Ring::Open(const std::string& attr, int task, uint32_t cpu, size_t size, const char** step) {
  *step = "perf_event_open";
  if (int error = OpenEvent(attr, task, cpu, &event_)) return error;
  *step = "mmap";
  // The kernel rounds up to whole pages, and we would look for the data in the wrong place.
  if (size < PageSize() || (size & (size - 1)) != 0) return EINVAL;
  // If it is writable, the kernel reads our tail and keeps what has not been read.
  int protection = ParseAttr(attr).write_backward ? PROT_READ : PROT_READ | PROT_WRITE;
  void* pages = mmap(nullptr, PageSize() + size, protection, MAP_SHARED, event_.get(), 0);
  if (pages == MAP_FAILED) return errno;
  pages_ = pages;
  size_ = size;
  return 0;
}

const uint8_t* Ring::data() const { return static_cast<const uint8_t*>(pages_) + PageSize(); }

template <typename Number>
Number Ring::At(uint64_t position) const {
  Number number;
  memcpy(&number, data() + (position & (size_ - 1)), sizeof number);
  return number;
}

int Ring::Drain(int file, size_t sample_time_at, const std::unordered_set<uint64_t>& cpu_events,
                RecorderCounts* counts) {
  uint64_t head = __atomic_load_n(&head_page()->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = head_page()->data_tail;
  if (head == tail) return 0;
  size_t start = tail & (size_ - 1);
  size_t first = std::min<size_t>(head - tail, size_ - start);
  if (int error = WriteAll(file, data() + start, first)) return error;
  if (int error = WriteAll(file, data(), head - tail - first)) return error;
  Count(tail, head, sample_time_at, cpu_events, counts);
  counts->bytes += head - tail;
  __atomic_store_n(&head_page()->data_tail, head, __ATOMIC_RELEASE);
  return 0;
}

void Ring::Take(std::vector<uint8_t>* records) {
  uint64_t head = __atomic_load_n(&head_page()->data_head, __ATOMIC_ACQUIRE);
  uint64_t tail = head_page()->data_tail;
  size_t start = tail & (size_ - 1);
  size_t first = std::min<size_t>(head - tail, size_ - start);
  records->insert(records->end(), data() + start, data() + start + first);
  records->insert(records->end(), data(), data() + (head - tail - first));
  __atomic_store_n(&head_page()->data_tail, head, __ATOMIC_RELEASE);
}

std::vector<uint8_t> Ring::Latest() const {
  ioctl(event_.get(), PERF_EVENT_IOC_PAUSE_OUTPUT, 1);
  uint64_t head = __atomic_load_n(&head_page()->data_head, __ATOMIC_ACQUIRE);
  size_t start = head & (size_ - 1);
  std::vector<uint8_t> records(data() + start, data() + size_);
  records.insert(records.end(), data(), data() + start);
  ioctl(event_.get(), PERF_EVENT_IOC_PAUSE_OUTPUT, 0);
  // The oldest record may have been overwritten in part; a ring that was never full ends with
  // zeros.
  size_t end = 0;
  while (end + sizeof(perf_event_header) <= size_) {
    perf_event_header record;
    memcpy(&record, records.data() + end, sizeof record);
    if (record.size < sizeof record || end + record.size > size_) break;
    end += record.size;
  }
  records.resize(end);
  return records;
}

void Ring::Count(uint64_t from, uint64_t to, size_t sample_time_at,
                 const std::unordered_set<uint64_t>& cpu_events, RecorderCounts* counts) const {
  while (from < to) {
    auto head = At<perf_event_header>(from);
    if (head.size < sizeof head) return;  // never happens; it would loop forever
    auto read = [&](size_t at) { return At<uint64_t>(from + at); };
    CountRecord(head.type, sample_time_at, cpu_events, counts, read);
    from += head.size;
  }
}

}  // namespace tracewright::linux_perf
