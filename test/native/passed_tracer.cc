// A tracer that is passed, without JavaScript, for the sanitizers and valgrind: threads that write
// until it ends under them, and every way in which it cannot start. Runs as root on a kernel with
// user_events. Prints one line for each failed expectation; exit status 1.
#include "passed_tracer.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"
#include "flag_page.h"
#include "provider.h"

namespace {

using tracewright::FlagPage;
using tracewright::PassedTracer;
namespace provider = tracewright::provider;

constexpr char kTracefs[] = "/sys/kernel/tracing/";

int OpenData(int flags) {
  return open((std::string(kTracefs) + "user_events_data").c_str(), flags);
}

bool IsOpen(int descriptor) { return fcntl(descriptor, F_GETFD) >= 0; }

void Switch(const std::string& tracepoint, bool on) {
  std::ofstream(kTracefs + ("events/user_events/" + tracepoint) + "/enable")
      << (on ? "1" : "0") << std::flush;
}

bool Becomes(uint32_t index, bool on) {
  const volatile uint32_t* word = FlagPage::Words() + index;
  for (int wait = 0; wait < 5000; ++wait) {
    if ((*word == 0x80000000) == on) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

struct Event {
  uint32_t write_index;
  uint32_t number;
};

int WriteEvent(PassedTracer& tracer, size_t tracepoint, uint32_t describes) {
  Event event{0, 1};
  return tracer.Write(tracepoint, reinterpret_cast<uint8_t*>(&event), sizeof event, describes);
}

void CannotStart() {
  PassedTracer::Started started = PassedTracer::Start("none", -1, {"a u32 number"});
  EXPECT(started.error == EBADF && started.failed_at == 1 && !started.tracer);
  int reading = OpenData(O_RDONLY);
  EXPECT(PassedTracer::Start("reading", reading, {"a u32 number"}).error == EACCES);
  EXPECT(!IsOpen(reading));
  int other = open("/dev/null", O_WRONLY);
  EXPECT(PassedTracer::Start("other", other, {"a u32 number"}).error == ENOTTY);
  EXPECT(!IsOpen(other));
  int descriptor = OpenData(O_WRONLY);
  started = PassedTracer::Start("refused", descriptor, {"a u32 number", "no good: fields"});
  EXPECT(started.error == EINVAL && started.failed_at == 1 && !started.tracer);
  EXPECT(!IsOpen(descriptor));
  EXPECT(!PassedTracer::Find("refused"));
}

void WritesWhatIsRecorded() {
  int descriptor = OpenData(O_RDWR);
  auto tracer =
      PassedTracer::Start("one", descriptor, {"passed_one u32 number", "passed_two u32 number"})
          .tracer;
  EXPECT((fcntl(descriptor, F_GETFD) & FD_CLOEXEC) != 0);
  EXPECT(PassedTracer::Find("one") == tracer);
  uint32_t kind = tracer->KindOf("kind");
  EXPECT(tracer->KindOf("kind") == kind && tracer->KindOf("other") != kind);
  EXPECT(WriteEvent(*tracer, 0, kind) == provider::kNobodyListens);
  EXPECT(!tracer->IsDescribed(kind));
  Switch("passed_one", true);
  EXPECT(Becomes(tracer->Words()[0], true));
  EXPECT(WriteEvent(*tracer, 0, kind) == 0);
  EXPECT(tracer->IsDescribed(kind) && !tracer->IsDescribed(PassedTracer::kNoKind));
  EXPECT(WriteEvent(*tracer, 1, kind) == provider::kNobodyListens);
  EXPECT(WriteEvent(*tracer, 2, kind) == provider::kNotRegistered);
  uint8_t too_short[4];
  EXPECT(tracer->Write(0, too_short, sizeof too_short, PassedTracer::kNoKind) == EINVAL);
  EXPECT(tracer->Count().written == 1 && tracer->Count().dropped == 1);
  Switch("passed_one", false);
  EXPECT(Becomes(tracer->Words()[0], false));
  tracer->End();
  tracer->End();
  EXPECT(!IsOpen(descriptor));
  EXPECT(!PassedTracer::Find("one"));
  EXPECT(WriteEvent(*tracer, 0, kind) == provider::kFileClosed);
}

void EndsWhileOthersWrite() {
  for (int round = 0; round < 10; ++round) {
    auto tracer =
        PassedTracer::Start("many", OpenData(O_WRONLY), {"passed_many u32 number"}).tracer;
    Switch("passed_many", true);
    std::atomic<int> writing{0};
    std::atomic<int> unexpected{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&] {
        auto own = PassedTracer::Find("many");
        uint32_t kind = own->KindOf("kind");
        int error = 0;
        for (++writing; error != provider::kFileClosed; error = WriteEvent(*own, 0, kind)) {
          if (error != 0 && error != provider::kNobodyListens) ++unexpected;
        }
      });
    }
    while (writing < 4) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    tracer->End();
    uint64_t at_end = tracer->Count().written;
    for (std::thread& thread : threads) thread.join();
    EXPECT(tracer->Count().written == at_end);
    EXPECT(unexpected == 0);
    Switch("passed_many", false);
  }
}

}  // namespace

int main() {
  CannotStart();
  WritesWhatIsRecorded();
  EndsWhileOthersWrite();
  return expectations::Summary();
}
