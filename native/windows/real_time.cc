// See real_time.h. Source: the documentation of OpenTraceW, EVENT_TRACE_LOGFILEW, ProcessTrace and
// CloseTrace.
#include "windows/real_time.h"

#include <algorithm>
#include <new>
#include <utility>

#include "windows/real_time_record.h"

namespace tracewright::etw {
namespace {

// An event's whole record must fit 16 bits.
constexpr size_t kLargestRecord = 0xffff;
// Of a buffer, with one event that is larger than the rest.
constexpr size_t kBufferSize = 64 << 10;

// Times are system time (FILETIME), which Windows computes from the session's own clock: so the
// clock of a session that another program has started does not matter.
constexpr ULONG kMode = PROCESS_TRACE_MODE_REAL_TIME | PROCESS_TRACE_MODE_EVENT_RECORD;

struct ThreadOptions {
  std::shared_ptr<RealTimeQueue> queue;
  TRACEHANDLE trace;
  HMODULE module;
};

void WINAPI OnEvent(EVENT_RECORD* record) {
  static_cast<RealTimeQueue*>(record->UserContext)->Add(*record);
}

// FALSE ends ProcessTrace.
ULONG WINAPI OnBuffer(EVENT_TRACE_LOGFILEW* trace) {
  return !static_cast<RealTimeQueue*>(trace->Context)->is_stopping();
}

DWORD WINAPI Process(void* given) {
  std::unique_ptr<ThreadOptions> options(static_cast<ThreadOptions*>(given));
  HMODULE module = options->module;
  // By now the trace may be closed, and its handle somebody else's.
  if (!options->queue->is_stopping()) {
    options->queue->End(ProcessTrace(&options->trace, 1, nullptr, nullptr));
  }
  options.reset();
  // Until here, the thread has kept the module loaded.
  FreeLibraryAndExitThread(module, 0);
}

int64_t Now() {
  FILETIME now;
  GetSystemTimePreciseAsFileTime(&now);
  return static_cast<int64_t>(now.dwHighDateTime) << 32 | now.dwLowDateTime;
}

}  // namespace

void RealTimeQueue::Add(const EVENT_RECORD& record) noexcept {
  size_t size = RecordSize(record);
  std::lock_guard<std::mutex> lock(mutex_);
  if (is_stopping_) return;
  auto processor = static_cast<uint16_t>(GetEventProcessorIndex(&record));
  Buffer* buffer = size > kLargestRecord ? nullptr : RoomFor(processor, RoundedTo8(size));
  if (buffer == nullptr) {
    ++counts_.dropped;
    return;
  }
  uint8_t* to = buffer->bytes.get() + buffer->size;
  WriteRecord(record, to);
  std::fill(to + size, to + RoundedTo8(size), uint8_t{0});
  buffer->size += RoundedTo8(size);
  ++counts_.events;
  counts_.newest = std::max<int64_t>(counts_.newest, record.EventHeader.TimeStamp.QuadPart);
}

RealTimeQueue::Buffer* RealTimeQueue::RoomFor(uint16_t processor, size_t size) noexcept {
  auto found = open_.find(processor);
  if (found != open_.end()) {
    if (found->second.size + size <= found->second.capacity) return &found->second;
    full_.push_back(std::move(found->second));
    open_.erase(found);
  }
  size_t capacity = std::max(kBufferSize, kBufferHeaderSize + size);
  if (memory_ + capacity > limit_) return nullptr;
  std::unique_ptr<uint8_t[]> bytes(new (std::nothrow) uint8_t[capacity]);
  if (bytes == nullptr) return nullptr;
  memory_ += capacity;
  Buffer buffer = {processor, kBufferHeaderSize, capacity, std::move(bytes)};
  return &open_.emplace(processor, std::move(buffer)).first->second;
}

void RealTimeQueue::End(ULONG error) noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  counts_.ended = true;
  counts_.error = error;
}

RealTimeQueue::Taken RealTimeQueue::Take() {
  Taken taken;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    taken.events = counts_.events;
    taken.dropped = counts_.dropped;
    taken.newest = counts_.newest;
    taken.ended = counts_.ended;
    taken.error = counts_.error;
    taken.buffers = std::move(full_);
    full_.clear();
    for (auto& entry : open_) taken.buffers.push_back(std::move(entry.second));
    open_.clear();
    memory_ = 0;
  }
  for (auto& buffer : taken.buffers) {
    WriteBufferHeader(buffer.size, buffer.processor, buffer.bytes.get());
  }
  return taken;
}

void RealTimeQueue::Stop() noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  is_stopping_ = true;
}

bool RealTimeQueue::is_stopping() const noexcept {
  std::lock_guard<std::mutex> lock(mutex_);
  return is_stopping_;
}

RealTimeConsumer::Opened RealTimeConsumer::Open(const std::wstring& name, size_t limit) {
  Opened opened;
  std::unique_ptr<RealTimeConsumer> consumer(new RealTimeConsumer(limit));
  std::wstring logger = name;
  EVENT_TRACE_LOGFILEW trace = {};
  trace.LoggerName = logger.data();
  trace.ProcessTraceMode = kMode;
  trace.BufferCallback = OnBuffer;
  trace.EventRecordCallback = OnEvent;
  trace.Context = consumer->queue_.get();
  opened.now = Now();
  consumer->trace_ = OpenTraceW(&trace);
  if (consumer->trace_ == INVALID_PROCESSTRACE_HANDLE || !consumer->StartThread()) {
    opened.error = GetLastError();
    return opened;
  }
  auto* header = reinterpret_cast<const uint8_t*>(&trace.LogfileHeader);
  opened.header.assign(header, header + sizeof trace.LogfileHeader);
  opened.consumer = std::move(consumer);
  return opened;
}

bool RealTimeConsumer::StartThread() {
  HMODULE module;
  if (!GetModuleHandleExW(
          GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, reinterpret_cast<LPCWSTR>(&kMode), &module)) {
    return false;
  }
  auto options = std::make_unique<ThreadOptions>(ThreadOptions{queue_, trace_, module});
  thread_ = CreateThread(nullptr, 0, Process, options.get(), 0, nullptr);
  if (thread_ == nullptr) {
    DWORD error = GetLastError();
    FreeLibrary(module);
    SetLastError(error);
    return false;
  }
  options.release();
  return true;
}

RealTimeConsumer::~RealTimeConsumer() {
  DWORD error = GetLastError();
  queue_->Stop();
  // While ProcessTrace runs, this succeeds with ERROR_CTX_CLOSE_PENDING, and ProcessTrace returns
  // after the buffer at hand; of a quiet session, that may be long from now. The thread keeps what
  // it uses, and JavaScript does not wait for it.
  if (trace_ != INVALID_PROCESSTRACE_HANDLE) CloseTrace(trace_);
  if (thread_ != nullptr) CloseHandle(thread_);
  SetLastError(error);
}

}  // namespace tracewright::etw
