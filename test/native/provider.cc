// The addon's C++ without JavaScript, for the sanitizers and valgrind: registrations that come and
// go on several threads while others write and the tracer is switched, and every way in which a
// call may fail. Runs as root on a kernel with user_events. Prints one line for each failed
// expectation; exit status 1.
#include "provider.h"

#include <fcntl.h>
#include <sys/stat.h>
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

namespace {

using tracewright::FlagPage;
namespace provider = tracewright::provider;

constexpr char kEvents[] = "/sys/kernel/tracing/events/user_events/";
constexpr char kFields[] = " u32 number; u32 thread";

void Switch(const std::string& tracepoint, bool on) {
  std::ofstream(kEvents + tracepoint + "/enable") << (on ? "1" : "0") << std::flush;
}

bool Becomes(const volatile uint32_t* word, uint32_t value) {
  for (int wait = 0; wait < 5000; ++wait) {
    if (*word == value) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

struct Event {
  int32_t write_index;
  uint32_t number;
  uint32_t thread;
};

int WriteEvent(const provider::Registration& registration, uint32_t number, uint32_t thread) {
  Event event{0, number, thread};
  return provider::Write(registration, reinterpret_cast<uint8_t*>(&event), sizeof event);
}

void FailsWithoutATracer() {
  EXPECT(provider::Open("/nowhere").error == ENOENT);
  EXPECT(provider::Open("/nowhere").path == "/nowhere");
  uint32_t word = 0;
  provider::Registration registration;
  EXPECT(provider::Register(&word, "early u32 number", &registration) == provider::kNotRegistered);
  EXPECT(WriteEvent(registration, 1, 1) == provider::kNotRegistered);
  EXPECT(provider::Open("/dev/null").error == 0);
  EXPECT(provider::Register(&word, "null u32 number", &registration) == ENOTTY);
  provider::Close();
}

void RegistersAndWrites() {
  EXPECT(provider::Open("").error == 0);
  EXPECT(provider::Open("").error == 0);
  provider::Close();
  uint32_t index = FlagPage::Allocate();
  uint32_t* word = FlagPage::Words() + index;
  provider::Registration registration;
  EXPECT(provider::Register(word, std::string("native_one") + kFields, &registration) == 0);
  provider::Registration twice;
  EXPECT(provider::Register(word, std::string("native_one") + kFields, &twice) == EADDRINUSE);
  uint32_t other_word = 0;
  EXPECT(provider::Register(&other_word, "native_one u64 other", &twice) == EADDRINUSE);
  EXPECT(provider::Register(&other_word, "no good: fields", &twice) == EINVAL);
  EXPECT(WriteEvent(registration, 1, 0) == provider::kNobodyListens);
  Switch("native_one", true);
  EXPECT(Becomes(word, 1));
  EXPECT(WriteEvent(registration, 2, 0) == 0);
  Switch("native_one", false);
  EXPECT(Becomes(word, 0));
  provider::Unregister(registration);
  FlagPage::Release(index);
  provider::Close();
  EXPECT(provider::Register(word, std::string("native_one") + kFields, &twice) ==
         provider::kNotRegistered);
  EXPECT(WriteEvent(registration, 3, 0) == provider::kFileClosed);
}

void WorksOnManyThreads() {
  std::atomic<bool> done{false};
  std::thread switcher([&] {
    for (bool on = true; !done; on = !on) {
      struct stat status;
      std::string tracepoint = "native_many";
      if (stat((kEvents + tracepoint).c_str(), &status) == 0) Switch(tracepoint, on);
    }
  });
  std::vector<std::thread> threads;
  std::atomic<int> unexpected{0};
  for (uint32_t thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint32_t round = 0; round < 20; ++round) {
        if (provider::Open("").error != 0) ++unexpected;
        uint32_t index = FlagPage::Allocate();
        provider::Registration registration;
        int error = provider::Register(
            FlagPage::Words() + index, std::string("native_many") + kFields, &registration);
        if (error != 0) ++unexpected;
        for (uint32_t number = 0; number < 50; ++number) {
          error = WriteEvent(registration, number, thread);
          if (error != 0 && error != provider::kNobodyListens) ++unexpected;
        }
        provider::Unregister(registration);
        FlagPage::Release(index);
        provider::Close();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  done = true;
  switcher.join();
  EXPECT(unexpected == 0);
}

void RunsOutOfWords() {
  std::vector<uint32_t> indexes;
  for (uint32_t index = FlagPage::Allocate(); index != FlagPage::kNone;
       index = FlagPage::Allocate()) {
    FlagPage::Words()[index] = 3;
    indexes.push_back(index);
  }
  EXPECT(indexes.size() == FlagPage::kWords);
  for (uint32_t index : indexes) FlagPage::Release(index);
  uint32_t again = FlagPage::Allocate();
  EXPECT(FlagPage::Words()[again] == 0);
  FlagPage::Release(again);
}

}  // namespace

int main() {
  FailsWithoutATracer();
  RegistersAndWrites();
  WorksOnManyThreads();
  RunsOutOfWords();
  return expectations::Summary();
}
