// The Linux recorder, based on perf events. Each processor has one ring, that of a dummy event,
// which records the names of threads; other events are added while it runs, and redirected to the
// rings.
//
// Source: perf_event_open(2); tried on 6.12 and 7.3.
#include "recorder.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "linux/recorder_memory.h"
#include "linux/recorder_ring.h"

namespace tracewright {
namespace {

using linux_perf::Descriptor;
using linux_perf::EnableEvent;
using linux_perf::EventId;
using linux_perf::FlightMemory;
using linux_perf::kEveryTask;
using linux_perf::OpenEvent;
using linux_perf::ParseAttr;
using linux_perf::Ring;
using linux_perf::WriteAll;

// How often a ring that does not reach its watermark is emptied.
constexpr int kPassMilliseconds = 100;

// The result of read(2) for an event whose read_format is PERF_FORMAT_ID | PERF_FORMAT_LOST.
struct Reading {
  uint64_t value;
  uint64_t id;
  uint64_t lost;
};

bool IsTracepoint(const std::string& attr) { return ParseAttr(attr).type == PERF_TYPE_TRACEPOINT; }

class PerfRecorder final : public Recorder {
 public:
  explicit PerfRecorder(RecorderOptions options)
      : options_(std::move(options)), memory_(options_.side_size, options_.sample_time_at) {}
  ~PerfRecorder() override;

  int Open(std::vector<uint64_t>* ids, const char** step);
  int Start(int file) override;
  int Add(const std::string& attr, const std::vector<int>& tasks,
          std::vector<uint64_t>* ids) override;
  int Enable() override;
  int Append(const std::vector<uint8_t>& records, uint64_t* position) override;
  int Dump(int file, RecorderCounts* counts) override;
  void Stop() override;
  RecorderCounts Counts() const override;

 private:
  bool IsFlightRecorder() const { return !options_.backward_attr.empty(); }
  static void* Run(void* recorder) {
    static_cast<PerfRecorder*>(recorder)->Record();
    return nullptr;
  }
  void Record();
  // Empties all rings in one pass, whichever woke it up: the mark after it says that no later
  // record is older than the newest one before the pass.
  int DrainAll();
  int DrainRings();
  // After a failure, the file ends with the last complete pass.
  void CutFile();
  void Disable();
  uint64_t LostInAll();

  const RecorderOptions options_;
  std::vector<Ring> rings_;     // by index in options_.cpus
  std::vector<Ring> backward_;  // the same, of a flight recorder
  Descriptor poll_;
  Descriptor stop_;
  Descriptor file_;
  off_t file_start_ = 0;  // -1: a pipe, which cannot be truncated
  pthread_t thread_{};
  bool started_ = false;
  bool brought_ = false;           // in the previous pass; used only by the thread
  std::vector<Descriptor> added_;  // not enabled yet; used only by the caller
  std::string added_attr_;
  std::vector<uint64_t> added_ids_;

  std::mutex file_mutex_;  // taken before mutex_; held while something is appended to the file
  bool file_failed_ = false;
  std::unordered_set<uint64_t> cpu_events_;  // ids of what is not a tracepoint
  FlightMemory memory_;

  mutable std::mutex mutex_;  // guards what follows
  RecorderCounts counts_;
  std::vector<Descriptor> events_;
  bool stopping_ = false;
};

PerfRecorder::~PerfRecorder() {
  Stop();
  if (started_) pthread_join(thread_, nullptr);
}

int PerfRecorder::Open(std::vector<uint64_t>* ids, const char** step) {
  *step = "epoll_create1";
  poll_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (poll_.get() < 0) return errno;
  *step = "eventfd";
  stop_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  if (stop_.get() < 0) return errno;
  std::vector<int> polled{stop_.get()};
  for (uint32_t cpu : options_.cpus) {
    Ring ring;
    if (int error = ring.Open(options_.attr, options_.task, cpu, options_.ring_size, step))
      return error;
    uint64_t id = 0;
    *step = "ioctl";
    if (int error = EventId(ring.event(), &id)) return error;
    ids->push_back(id);
    polled.push_back(ring.event().get());
    rings_.push_back(std::move(ring));
    if (!IsFlightRecorder()) continue;
    Ring backward;
    if (int error = backward.Open(
            options_.backward_attr, options_.task, cpu, options_.backward_size, step)) {
      return error;
    }
    backward_.push_back(std::move(backward));
  }
  *step = "epoll_ctl";
  for (int fd : polled) {
    epoll_event wanted{};
    wanted.events = EPOLLIN;
    wanted.data.fd = fd;
    if (epoll_ctl(poll_.get(), EPOLL_CTL_ADD, fd, &wanted) != 0) return errno;
  }
  return 0;
}

int PerfRecorder::Start(int file) {
  if (started_) return EALREADY;
  if (!IsFlightRecorder()) {
    // JavaScript owns the descriptor and may close it.
    file_ = Descriptor(fcntl(file, F_DUPFD_CLOEXEC, 0));
    if (file_.get() < 0) return errno;
    file_start_ = lseek(file_.get(), 0, SEEK_CUR);
    if (file_start_ < 0 && errno != ESPIPE) return errno;
  }
  // Signals are for the application's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread_, nullptr, Run, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return error;
  started_ = true;
  pthread_setname_np(thread_, "recorder");
  for (const Ring& ring : rings_) EnableEvent(options_.attr, ring.event());
  return 0;
}

int PerfRecorder::Add(const std::string& attr, const std::vector<int>& tasks,
                      std::vector<uint64_t>* ids) {
  std::vector<Descriptor> events;
  for (int task : tasks.empty() ? std::vector<int>{kEveryTask} : tasks) {
    for (size_t i = 0; i < rings_.size(); ++i) {
      Descriptor event;
      int error = OpenEvent(attr, task, options_.cpus[i], &event);
      if (error == ESRCH && task > 0) break;  // the thread has ended
      if (error != 0) return error;
      int ring = (ParseAttr(attr).write_backward ? backward_ : rings_)[i].event().get();
      if (ioctl(event.get(), PERF_EVENT_IOC_SET_OUTPUT, ring) != 0) return errno;
      uint64_t id = 0;
      if (int failure = EventId(event, &id)) return failure;
      ids->push_back(id);
      events.push_back(std::move(event));
    }
  }
  added_ = std::move(events);
  added_attr_ = attr;
  added_ids_ = *ids;
  return 0;
}

int PerfRecorder::Enable() {
  std::vector<Descriptor> events = std::move(added_);
  added_.clear();
  if (!IsTracepoint(added_attr_)) {
    std::lock_guard<std::mutex> file_lock(file_mutex_);
    cpu_events_.insert(added_ids_.begin(), added_ids_.end());
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (stopping_) return ESHUTDOWN;
  for (const Descriptor& event : events) {
    if (int error = EnableEvent(added_attr_, event)) return error;
  }
  std::move(events.begin(), events.end(), std::back_inserter(events_));
  return 0;
}

int PerfRecorder::Append(const std::vector<uint8_t>& records, uint64_t* position) {
  std::lock_guard<std::mutex> file_lock(file_mutex_);
  if (file_failed_ || file_.get() < 0 || file_start_ < 0) return EBADF;
  off_t end = lseek(file_.get(), 0, SEEK_CUR);
  if (end < 0) return errno;
  if (int error = WriteAll(file_.get(), records.data(), records.size())) {
    if (ftruncate(file_.get(), end) == 0) lseek(file_.get(), end, SEEK_SET);
    return error;
  }
  *position = static_cast<uint64_t>(end);
  std::lock_guard<std::mutex> lock(mutex_);
  counts_.bytes += records.size();
  return 0;
}

int PerfRecorder::Dump(int file, RecorderCounts* counts) {
  std::vector<std::vector<uint8_t>> latest;
  for (const Ring& ring : backward_) latest.push_back(ring.Latest());
  std::lock_guard<std::mutex> file_lock(file_mutex_);
  memory_.Keep(&rings_);
  return memory_.Write(file, latest, cpu_events_, counts);
}

void PerfRecorder::Stop() {
  std::lock_guard<std::mutex> lock(mutex_);
  stopping_ = true;
  uint64_t one = 1;
  // This cannot fail: nothing else is ever added to the counter.
  (void)!write(stop_.get(), &one, sizeof one);
}

RecorderCounts PerfRecorder::Counts() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return counts_;
}

void PerfRecorder::Record() {
  bool stopping = false;
  int error = 0;
  while (!stopping && error == 0) {
    epoll_event happened[16];
    int count = epoll_wait(poll_.get(), happened, std::size(happened), kPassMilliseconds);
    for (int i = 0; i < count; ++i) {
      if (happened[i].data.fd == stop_.get()) stopping = true;
      // A ring that will not receive anything more would wake us up forever.
      if (happened[i].events & EPOLLHUP) {
        epoll_ctl(poll_.get(), EPOLL_CTL_DEL, happened[i].data.fd, nullptr);
      }
    }
    error = DrainAll();
  }
  Disable();
  if (error == 0) error = DrainAll();
  if (error != 0) CutFile();
  uint64_t lost = LostInAll();
  // Closed after releasing the locks: a reader that reaches the end of a pipe finds the counts
  // complete.
  Descriptor file;
  std::vector<Descriptor> closed;
  std::lock_guard<std::mutex> file_lock(file_mutex_);
  file = std::move(file_);
  std::lock_guard<std::mutex> lock(mutex_);
  counts_.lost = lost;
  counts_.error = error;
  counts_.done = true;
  // Programs write until nobody has their events open.
  closed.swap(events_);
}

int PerfRecorder::DrainAll() {
  std::lock_guard<std::mutex> file_lock(file_mutex_);
  if (IsFlightRecorder()) {
    memory_.Keep(&rings_);
    return 0;
  }
  int error = DrainRings();
  if (error != 0) file_failed_ = true;
  return error;
}

int PerfRecorder::DrainRings() {
  RecorderCounts counts = Counts();
  uint64_t bytes_before = counts.bytes;
  for (Ring& ring : rings_) {
    if (int error = ring.Drain(file_.get(), options_.sample_time_at, cpu_events_, &counts))
      return error;
  }
  // The records of a pass are final at the second mark after it, which must not wait for more.
  bool brings = counts.bytes != bytes_before;
  if (!brings && !brought_) return 0;
  brought_ = brings;
  if (int error = WriteAll(file_.get(), options_.mark.data(), options_.mark.size())) return error;
  counts.bytes += options_.mark.size();
  counts.lost = counts.lost_in_file;
  std::lock_guard<std::mutex> lock(mutex_);
  counts_ = counts;
  return 0;
}

void PerfRecorder::CutFile() {
  if (file_start_ < 0) return;
  off_t end = file_start_ + static_cast<off_t>(Counts().bytes);
  if (ftruncate(file_.get(), end) == 0) lseek(file_.get(), end, SEEK_SET);
}

void PerfRecorder::Disable() {
  std::lock_guard<std::mutex> lock(mutex_);
  stopping_ = true;
  for (const Descriptor& event : events_) ioctl(event.get(), PERF_EVENT_IOC_DISABLE, 0);
  for (const Ring& ring : rings_) ioctl(ring.event().get(), PERF_EVENT_IOC_DISABLE, 0);
}

uint64_t PerfRecorder::LostInAll() {
  uint64_t lost = 0;
  auto add = [&lost](const Descriptor& event) {
    Reading reading;
    if (read(event.get(), &reading, sizeof reading) == sizeof reading) lost += reading.lost;
  };
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Descriptor& event : events_) add(event);
  for (const Ring& ring : rings_) add(ring.event());
  return lost;
}

uint64_t Nanoseconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

Recorder::Opened Recorder::Open(RecorderOptions options) {
  Opened result;
  auto recorder = std::make_unique<PerfRecorder>(std::move(options));
  result.error = recorder->Open(&result.ids, &result.step);
  if (result.error == 0) result.recorder = std::move(recorder);
  return result;
}

Pipe OpenPipe() {
  int ends[2] = {-1, -1};
  int error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
  return {error, ends[0], ends[1]};
}

ClockPair ReadClocks() {
  uint64_t before = Nanoseconds(CLOCK_MONOTONIC);
  uint64_t wall = Nanoseconds(CLOCK_REALTIME);
  uint64_t after = Nanoseconds(CLOCK_MONOTONIC);
  return {wall, before + (after - before) / 2};
}

}  // namespace tracewright
