// The addon's recorder without JavaScript, for the sanitizers and valgrind: events of several
// threads, tracepoints that are added while they write, full rings, a full disk, and every way in
// which a call may fail. Runs as root on a kernel with user_events. Prints one line for each failed
// expectation; exit status 1.
#include "recorder.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"
#include "flag_page.h"
#include "linux/recorder_notice.h"
#include "linux/unix_socket.h"
#include "provider.h"

namespace {

using tracewright::FlagPage;
using tracewright::Recorder;
using tracewright::RecorderCounts;
using tracewright::RecorderOptions;
namespace provider = tracewright::provider;
namespace unix_socket = tracewright::unix_socket;

constexpr size_t kRingSize = 1 << 18;
// Behind head, identifier, and pid with tid.
constexpr size_t kSampleTimeAt = 24;

std::string Attr(uint32_t type, uint64_t config) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = type;
  attr.config = config;
  attr.sample_period = 1;
  attr.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
  attr.read_format = PERF_FORMAT_ID | (1 << 4);  // PERF_FORMAT_LOST, which older headers have not
  attr.disabled = 1;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  return std::string(reinterpret_cast<const char*>(&attr), sizeof attr);
}

RecorderOptions Options() {
  RecorderOptions options;
  options.attr = Attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
  options.cpus = {0};
  options.ring_size = kRingSize;
  options.sample_time_at = kSampleTimeAt;
  options.mark = std::vector<uint8_t>(8, 0xff);
  return options;
}

// A tracepoint of this process.
struct Event {
  explicit Event(const std::string& name) {
    word = FlagPage::Words() + FlagPage::Allocate();
    EXPECT(provider::Register(word, name + " u32 number", &registration) == 0);
    std::ifstream("/sys/kernel/tracing/events/user_events/" + name + "/id") >> id;
    EXPECT(id != 0);
  }
  ~Event() { provider::Unregister(registration); }

  void Write(int count) const {
    for (uint32_t number = 0; number < static_cast<uint32_t>(count); ++number) {
      uint32_t event[] = {0, number};
      EXPECT(provider::Write(registration, reinterpret_cast<uint8_t*>(event), sizeof event) == 0);
    }
  }

  uint32_t* word;
  provider::Registration registration;
  uint64_t id = 0;
};

int AddEnabled(Recorder& recorder, const std::string& attr, std::vector<uint64_t>* ids) {
  int error = recorder.Add(attr, {}, ids);
  return error != 0 ? error : recorder.Enable();
}

RecorderCounts Finish(Recorder& recorder) {
  recorder.Stop();
  for (int wait = 0; wait < 10'000 && !recorder.Counts().done; ++wait) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return recorder.Counts();
}

void RecordsAll() {
  Event first("RecorderFirst"), second("RecorderSecond");
  Recorder::Opened opened = Recorder::Open(Options());
  EXPECT(opened.error == 0 && opened.ids.size() == 1);
  int file = memfd_create("recorded", 0);
  EXPECT(opened.recorder->Start(file) == 0);
  EXPECT(opened.recorder->Start(file) == EALREADY);
  std::vector<uint64_t> ids;
  EXPECT(AddEnabled(*opened.recorder, Attr(PERF_TYPE_TRACEPOINT, first.id), &ids) == 0);
  EXPECT(ids.size() == 1 && ids[0] != opened.ids[0]);
  std::thread writer([&] { first.Write(2000); });
  EXPECT(AddEnabled(*opened.recorder, Attr(PERF_TYPE_TRACEPOINT, second.id), &ids) == 0);
  second.Write(500);
  writer.join();
  RecorderCounts counts = Finish(*opened.recorder);
  EXPECT(counts.error == 0 && counts.done);
  EXPECT(counts.events + counts.lost == 2500);
  EXPECT(counts.first_time != 0 && counts.first_time < counts.last_time);
  EXPECT(static_cast<uint64_t>(lseek(file, 0, SEEK_END)) == counts.bytes);
  EXPECT(AddEnabled(*opened.recorder, Attr(PERF_TYPE_TRACEPOINT, first.id), &ids) == ESHUTDOWN);
  close(file);
}

// A ring of one page holds less than comes before its thread gets to run.
void CountsWhatIsLost() {
  Event event("RecorderLoses");
  RecorderOptions options = Options();
  options.ring_size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  Recorder::Opened opened = Recorder::Open(options);
  int file = memfd_create("recorded", 0);
  EXPECT(opened.recorder->Start(file) == 0);
  std::vector<uint64_t> ids;
  EXPECT(AddEnabled(*opened.recorder, Attr(PERF_TYPE_TRACEPOINT, event.id), &ids) == 0);
  constexpr int kMany = 50'000;
  event.Write(kMany);
  RecorderCounts counts = Finish(*opened.recorder);
  EXPECT(counts.error == 0);
  EXPECT(counts.events + counts.lost == kMany);
  EXPECT(counts.lost > 0 && counts.lost_in_file <= counts.lost);
  close(file);
}

// The ring has room for few of the events, and the file for those.
void DumpsTheLatest() {
  Event event("RecorderDumped");
  RecorderOptions options = Options();
  std::string dummy = Attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
  auto backward = [](std::string attr) {
    perf_event_attr given;
    memcpy(&given, attr.data(), sizeof given);
    given.write_backward = 1;
    return std::string(reinterpret_cast<const char*>(&given), sizeof given);
  };
  options.backward_attr = backward(dummy);
  options.backward_size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  options.side_size = 1 << 16;
  Recorder::Opened opened = Recorder::Open(options);
  EXPECT(opened.error == 0 && opened.recorder->Start(-1) == 0);
  std::vector<uint64_t> ids;
  EXPECT(AddEnabled(*opened.recorder, backward(Attr(PERF_TYPE_TRACEPOINT, event.id)), &ids) == 0);
  for (int written : {3, 1000}) {
    event.Write(written);
    int file = memfd_create("dumped", 0);
    RecorderCounts counts;
    EXPECT(opened.recorder->Dump(file, &counts) == 0);
    EXPECT(static_cast<uint64_t>(lseek(file, 0, SEEK_END)) == counts.bytes);
    EXPECT(written == 3 ? counts.events == 3 : counts.events > 20 && counts.events < 1000);
    EXPECT(counts.first_time != 0 && counts.first_time < counts.last_time);
    close(file);
  }
  int full = open("/dev/full", O_RDWR);
  RecorderCounts counts;
  EXPECT(opened.recorder->Dump(full, &counts) == ENOSPC);
  close(full);
  EXPECT(Finish(*opened.recorder).error == 0);
}

void EndsWithTheLastPassOnAFailure() {
  Event event("RecorderFails");
  Recorder::Opened opened = Recorder::Open(Options());
  int file = open("/dev/full", O_RDWR);
  EXPECT(opened.recorder->Start(file) == 0);
  std::vector<uint64_t> ids;
  EXPECT(AddEnabled(*opened.recorder, Attr(PERF_TYPE_TRACEPOINT, event.id), &ids) == 0);
  event.Write(10);
  RecorderCounts counts = Finish(*opened.recorder);
  EXPECT(counts.error == ENOSPC && counts.done);
  EXPECT(counts.events == 0 && counts.bytes == 0);
  close(file);
}

void FailsInWords() {
  RecorderOptions options = Options();
  options.cpus = {12345};
  Recorder::Opened opened = Recorder::Open(options);
  EXPECT(opened.error != 0 && strcmp(opened.step, "perf_event_open") == 0 && !opened.recorder);
  options = Options();
  options.ring_size = 12345;
  opened = Recorder::Open(options);
  EXPECT(opened.error == EINVAL && strcmp(opened.step, "mmap") == 0);
  opened = Recorder::Open(Options());
  EXPECT(opened.recorder->Start(-1) == EBADF);
  std::vector<uint64_t> ids;
  EXPECT(AddEnabled(*opened.recorder, Attr(PERF_TYPE_TRACEPOINT, 1u << 30), &ids) != 0);
}

// Everything that was written can be read while it is recorded, without waiting for more of it; and
// behind it the end.
void RecordsIntoAPipe() {
  Event event("RecorderPipes");
  Recorder::Opened opened = Recorder::Open(Options());
  tracewright::Pipe pipe = tracewright::OpenPipe();
  EXPECT(pipe.error == 0 && opened.recorder->Start(pipe.write_end) == 0);
  close(pipe.write_end);
  std::vector<uint64_t> ids;
  EXPECT(AddEnabled(*opened.recorder, Attr(PERF_TYPE_TRACEPOINT, event.id), &ids) == 0);
  event.Write(10);
  std::string read_so_far;
  char piece[4096];
  auto ends_with_two_marks = [&] {
    return read_so_far.size() > 16 &&
           read_so_far.compare(read_so_far.size() - 16, 16, std::string(16, '\xff')) == 0;
  };
  while (!ends_with_two_marks()) {
    ssize_t size = read(pipe.read_end, piece, sizeof piece);
    if (size <= 0) break;
    read_so_far.append(piece, static_cast<size_t>(size));
  }
  EXPECT(ends_with_two_marks());
  EXPECT(opened.recorder->Counts().events == 10);
  opened.recorder->Stop();
  while (ssize_t size = read(pipe.read_end, piece, sizeof piece)) {
    read_so_far.append(piece, static_cast<size_t>(size));
  }
  EXPECT(opened.recorder->Counts().done);
  EXPECT(read_so_far.size() == opened.recorder->Counts().bytes);
  close(pipe.read_end);
}

void EndsWhenAPipeIsNotReadAnyMore() {
  signal(SIGPIPE, SIG_IGN);
  Event event("RecorderBroken");
  Recorder::Opened opened = Recorder::Open(Options());
  tracewright::Pipe pipe = tracewright::OpenPipe();
  EXPECT(opened.recorder->Start(pipe.write_end) == 0);
  close(pipe.write_end);
  close(pipe.read_end);
  std::vector<uint64_t> ids;
  EXPECT(AddEnabled(*opened.recorder, Attr(PERF_TYPE_TRACEPOINT, event.id), &ids) == 0);
  event.Write(1);
  RecorderCounts counts = Finish(*opened.recorder);
  EXPECT(counts.error == EPIPE && counts.done);
}

// What is appended stands whole between records of the kernel, and nothing of an event comes before
// it is enabled.
void AppendsBetweenRecords() {
  Event event("RecorderAppends");
  Recorder::Opened opened = Recorder::Open(Options());
  int file = memfd_create("recorded", 0);
  std::vector<uint8_t> records(64, 0x5a);
  uint64_t position = 0;
  EXPECT(opened.recorder->Append(records, &position) == EBADF);
  EXPECT(opened.recorder->Start(file) == 0);
  std::vector<uint64_t> ids;
  EXPECT(opened.recorder->Add(Attr(PERF_TYPE_TRACEPOINT, event.id), {}, &ids) == 0);
  EXPECT(opened.recorder->Append(records, &position) == 0);
  EXPECT(opened.recorder->Enable() == 0);
  std::thread writer([&] { event.Write(2000); });
  std::vector<uint64_t> positions{position};
  for (int i = 0; i < 100; ++i) {
    EXPECT(opened.recorder->Append(records, &position) == 0);
    positions.push_back(position);
  }
  writer.join();
  RecorderCounts counts = Finish(*opened.recorder);
  EXPECT(counts.events + counts.lost == 2000);
  EXPECT(static_cast<uint64_t>(lseek(file, 0, SEEK_END)) == counts.bytes);
  for (uint64_t each : positions) {
    std::vector<uint8_t> found(records.size());
    EXPECT(pread(file, found.data(), found.size(), static_cast<off_t>(each)) == 64);
    EXPECT(found == records);
  }
  EXPECT(opened.recorder->Append(records, &position) == EBADF);
  close(file);
}

void TellsARecorder() {
  const std::string path = "/tmp/tracewright-native-test-" + std::to_string(getpid());
  EXPECT(tracewright::AwaitRecorder(path, "P_L4K0", 100) == ENOENT);
  EXPECT(tracewright::AwaitRecorder(std::string(200, 'x'), "P_L4K0", 100) == ENAMETOOLONG);
  int listener = unix_socket::Listen(path);
  EXPECT(listener >= 0 && fcntl(listener, F_SETFL, 0) == 0);
  int passed = open("/dev/null", O_WRONLY);
  std::thread recorder([listener, passed] {
    int connection = accept(listener, nullptr, nullptr);
    EXPECT(unix_socket::ConnectedUser(connection) == static_cast<ptrdiff_t>(getuid()));
    char line[64] = {};
    EXPECT(read(connection, line, sizeof line) == 7 && strcmp(line, "P_L4K0\n") == 0);
    EXPECT(write(connection, "\n", 1) == 1);
    close(connection);
    close(accept(listener, nullptr, nullptr));
    connection = accept(listener, nullptr, nullptr);
    EXPECT(read(connection, line, sizeof line) == 1 && line[0] == '\n');
    EXPECT(unix_socket::SendDescriptor(connection, passed) == 1);
    close(connection);
    connection = accept(listener, nullptr, nullptr);
    EXPECT(read(connection, line, sizeof line) == 1);
    EXPECT(write(connection, "\n", 1) == 1);
    close(connection);
  });
  EXPECT(tracewright::AwaitRecorder(path, "P_L4K0", 5000) == 0);
  int error = tracewright::AwaitRecorder(path, "P_L4K0", 5000);
  EXPECT(error == ECONNRESET || error == EPIPE);
  int tracer = tracewright::TracerOfRecorder(path, 5000);
  EXPECT(tracer >= 0 && fcntl(tracer, F_GETFD) == FD_CLOEXEC);
  close(tracer);
  EXPECT(tracewright::TracerOfRecorder(path, 5000) == -EACCES);
  recorder.join();
  EXPECT(tracewright::AwaitRecorder(path, "P_L4K0", 20) == ETIMEDOUT);
  EXPECT(tracewright::TracerOfRecorder(path, 20) == -ETIMEDOUT);
  close(passed);
  close(listener);
  unlink(path.c_str());
}

}  // namespace

int main() {
  EXPECT(provider::Open("").error == 0);
  RecordsAll();
  AppendsBetweenRecords();
  CountsWhatIsLost();
  DumpsTheLatest();
  EndsWithTheLastPassOnAFailure();
  FailsInWords();
  RecordsIntoAPipe();
  EndsWhenAPipeIsNotReadAnyMore();
  TellsARecorder();
  provider::Close();
  return expectations::Summary();
}
