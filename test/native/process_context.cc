// The process context of OpenTelemetry, without JavaScript, for the sanitizers and valgrind: what a
// profiler finds after each change, and in a child that is forked, which no JavaScript can do.
// Prints one line for each failed expectation; exit status 1.
#include "linux/process_context.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "expect.h"

namespace {

using tracewright::SetProcessContext;

// The addresses of this process's contexts.
std::vector<uintptr_t> Mappings() {
  std::vector<uintptr_t> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("OTEL_CTX") != std::string::npos) found.push_back(std::stoul(line, nullptr, 16));
  }
  return found;
}

// The payload that a profiler finds, or nothing.
std::string Found() {
  std::vector<uintptr_t> mappings = Mappings();
  if (mappings.size() != 1) return "";
  auto* header = reinterpret_cast<const char*>(mappings[0]);
  uint32_t version, size;
  uint64_t published_at, payload;
  memcpy(&version, header + 8, sizeof version);
  memcpy(&size, header + 12, sizeof size);
  memcpy(&published_at, header + 16, sizeof published_at);
  memcpy(&payload, header + 24, sizeof payload);
  if (memcmp(header, "OTEL_CTX", 8) != 0 || version != 2 || published_at == 0) return "";
  return {reinterpret_cast<const char*>(static_cast<uintptr_t>(payload)), size};
}

void Changes() {
  EXPECT(Mappings().empty());
  EXPECT(SetProcessContext("") == 0);
  EXPECT(SetProcessContext("first") == 0);
  EXPECT(Found() == "first");
  EXPECT(SetProcessContext(std::string(60000, 'x')) == 0);
  EXPECT(Found() == std::string(60000, 'x'));
  EXPECT(SetProcessContext("") == 0);
  EXPECT(Mappings().empty());
  EXPECT(SetProcessContext("again") == 0);
  EXPECT(Found() == "again");
}

void ForkedChild() {
  pid_t child = fork();
  if (child == 0) {
    bool is_so = Mappings().empty() && SetProcessContext("child") == 0 && Found() == "child";
    _exit(is_so ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(status == 0);
  EXPECT(Found() == "again");
}

void Threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int k = 0; k < 1000; ++k)
        SetProcessContext(std::string(static_cast<size_t>(i + 1), 't'));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT(Found().find_first_not_of('t') == std::string::npos && !Found().empty());
}

}  // namespace

int main() {
  Changes();
  ForkedChild();
  Threads();
  return expectations::Summary();
}
