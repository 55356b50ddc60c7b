// See passed_tracer.h.
#include "passed_tracer.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>

#include "flag_page.h"
#include "linux/registrar.h"
#include "linux/user_events.h"
#include "provider.h"

namespace tracewright {
namespace {

using linux_user_events::RegisterWord;
using linux_user_events::Registrar;
using linux_user_events::UnregisterWord;
using linux_user_events::WriteEvent;

// The bit of .NET's EventPipe. Source: dotnet/runtime, src/native/eventpipe/ep-session.c.
constexpr uint8_t kEnableBit = 31;
// Only events that an application invents at run time produce more kinds.
constexpr size_t kMaxKinds = 16384;

struct Tracers {
  std::mutex mutex;
  std::unordered_map<std::string, std::weak_ptr<PassedTracer>> by_id;
};

Tracers* const tracers = new Tracers;  // leaked on purpose: threads may outlive every destructor

class LinuxPassedTracer final : public PassedTracer {
 public:
  LinuxPassedTracer(std::string id, int fd) : id_(std::move(id)), fd_(fd) {}
  ~LinuxPassedTracer() override { End(); }

  // Returns 0 if all are registered, otherwise the error of the first that is not.
  int Register(const std::vector<std::string>& definitions) {
    for (const std::string& definition : definitions) {
      Tracepoint tracepoint;
      if (int error = Register(definition, &tracepoint)) return error;
      tracepoints_.push_back(tracepoint);
    }
    return 0;
  }

  const std::vector<uint32_t>& Words() const override { return words_; }

  uint32_t KindOf(const std::string& text) override {
    std::lock_guard<std::mutex> lock(kinds_mutex_);
    auto known = kinds_.find(text);
    if (known != kinds_.end()) return known->second;
    if (described_.size() == kMaxKinds) return kNoKind;
    auto kind = static_cast<uint32_t>(described_.size());
    described_.push_back(false);
    kinds_.emplace(text, kind);
    return kind;
  }

  bool IsDescribed(uint32_t kind) override {
    std::lock_guard<std::mutex> lock(kinds_mutex_);
    return kind < described_.size() && described_[kind];
  }

  int Write(size_t tracepoint, uint8_t* data, size_t size, uint32_t describes) override {
    // Before the lock, so that a constantly active writer does not block End.
    if (is_over_.load(std::memory_order_relaxed)) return provider::kFileClosed;
    std::shared_lock<std::shared_mutex> lock(mutex_);
    if (is_over_) return provider::kFileClosed;
    if (tracepoint >= tracepoints_.size()) return provider::kNotRegistered;
    const Tracepoint& to = tracepoints_[tracepoint];
    if (__atomic_load_n(to.word, __ATOMIC_RELAXED) == 0) return provider::kNobodyListens;
    int error = WriteEvent(fd_, to.write_index, data, size);
    if (error == 0) {
      written_.fetch_add(1, std::memory_order_relaxed);
      if (describes != kNoKind) SetDescribed(describes);
    } else if (error != provider::kNobodyListens) {
      Drop();
    }
    return error;
  }

  void Drop() override { dropped_.fetch_add(1, std::memory_order_relaxed); }

  Counts Count() const override { return {written_, dropped_}; }

  void End() override {
    if (is_over_.exchange(true)) return;
    std::unique_lock<std::shared_mutex> lock(mutex_);
    if (!tracepoints_.empty()) {
      Registrar::Run([&] {
        for (const Tracepoint& each : tracepoints_) UnregisterWord(fd_, each.word, kEnableBit);
      });
    }
    close(fd_);
    for (uint32_t index : words_) FlagPage::Release(index);
    std::lock_guard<std::mutex> all(tracers->mutex);
    tracers->by_id.erase(id_);
  }

 private:
  struct Tracepoint {
    uint32_t* word = nullptr;
    uint32_t write_index = 0;
  };

  int Register(const std::string& definition, Tracepoint* tracepoint) {
    uint32_t index = FlagPage::Allocate();
    if (index == FlagPage::kNone) return ENOMEM;
    tracepoint->word = FlagPage::Words() + index;
    int error = 0;
    int unstarted = Registrar::Run([&] {
      error = RegisterWord(
          fd_, tracepoint->word, kEnableBit, definition.c_str(), &tracepoint->write_index);
    });
    if (unstarted != 0) error = unstarted;
    if (error != 0) {
      FlagPage::Release(index);
    } else {
      words_.push_back(index);
    }
    return error;
  }

  void SetDescribed(uint32_t kind) {
    std::lock_guard<std::mutex> lock(kinds_mutex_);
    if (kind < described_.size()) described_[kind] = true;
  }

  const std::string id_;
  const int fd_;
  std::shared_mutex mutex_;  // shared by writers, exclusive for End
  std::atomic<bool> is_over_{false};
  std::vector<Tracepoint> tracepoints_;
  std::vector<uint32_t> words_;
  std::atomic<uint64_t> written_{0};
  std::atomic<uint64_t> dropped_{0};

  std::mutex kinds_mutex_;  // guards the next two
  std::unordered_map<std::string, uint32_t> kinds_;
  std::vector<bool> described_;
};

// Whether events can be written through the descriptor, as far as its flags show. A descriptor
// opened for reading registers tracepoints, but then every write fails.
int CheckDescriptor(int descriptor) {
  int flags = fcntl(descriptor, F_GETFL);
  if (flags < 0) return errno;
  if ((flags & O_ACCMODE) == O_RDONLY) return EACCES;
  // Programs that the application runs must not inherit it.
  return fcntl(descriptor, F_SETFD, FD_CLOEXEC) < 0 ? errno : 0;
}

}  // namespace

PassedTracer::Started PassedTracer::Start(const std::string& id, int descriptor,
                                          const std::vector<std::string>& definitions) {
  if (int error = CheckDescriptor(descriptor)) {
    if (error != EBADF) close(descriptor);
    return {error, definitions.size(), nullptr};
  }
  auto tracer = std::make_shared<LinuxPassedTracer>(id, descriptor);
  if (int error = tracer->Register(definitions)) return {error, tracer->Words().size(), nullptr};
  std::lock_guard<std::mutex> lock(tracers->mutex);
  tracers->by_id[id] = tracer;
  return {0, 0, tracer};
}

std::shared_ptr<PassedTracer> PassedTracer::Find(const std::string& id) {
  std::lock_guard<std::mutex> lock(tracers->mutex);
  auto found = tracers->by_id.find(id);
  return found == tracers->by_id.end() ? nullptr : found->second.lock();
}

}  // namespace tracewright
