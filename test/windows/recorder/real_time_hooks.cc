// See real_time_hooks.h.
#include "real_time_hooks.h"

#include <evntcons.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "call_log.h"
#include "etw_model.h"

namespace etwrec {
namespace {

// Of the types of data descriptors, and of the extended items that they become: evntprov.h and
// evntcons.h of Windows' own SDK.
constexpr UCHAR kEventMetadata = 1;
constexpr UCHAR kProviderTraits = 2;
constexpr USHORT kRelatedId = 1;
constexpr USHORT kEventSchema = 11;
constexpr USHORT kTraits = 12;
constexpr USHORT kDeliveredFlags =
    EVENT_HEADER_FLAG_64_BIT_HEADER | EVENT_HEADER_FLAG_PROCESSOR_INDEX;
constexpr ULONG kProcessors = 2;
constexpr ULONG kDefaultFlushSeconds = 1;
constexpr UCHAR kEventsLost = 32;
// RT_LostEvent.
constexpr GUID kLostEventGuid = {
    0x6a399ae0, 0x4bc6, 0x4de9, {0x87, 0x0b, 0x36, 0x57, 0xf8, 0x94, 0x7e, 0x7e}};

struct Item {
  USHORT type;
  std::string bytes;
};

struct Event {
  EVENT_HEADER header = {};
  USHORT processor = 0;
  std::vector<Item> items;
  std::string data;

  size_t size() const {
    size_t size = sizeof header + data.size();
    for (auto& item : items) size += 8 + item.bytes.size();
    return size;
  }
};
using Events = std::deque<std::shared_ptr<const Event>>;

struct Session {
  std::wstring name;
  std::chrono::seconds flush_timer;
  size_t buffer_size;
  size_t capacity;         // of all buffers
  size_t size = 0;         // in them
  size_t active_size = 0;  // in those that are not delivered yet
  ULONG lost = 0;
  bool has_announced_loss = true;
  Events active;
};

struct Consumer {
  TRACEHANDLE session = 0;
  EVENT_TRACE_LOGFILEW trace = {};
  Events ready;
  bool is_closed = false;
};

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<TRACEHANDLE, Session> sessions;
  std::map<TRACEHANDLE, std::shared_ptr<Consumer>> consumers;
  TRACEHANDLE last_consumer = 0x500;
  USHORT next_processor = 0;
  size_t limit = SIZE_MAX;
};

// Leaked on purpose: calls come until the very end of the process.
State& TheState() {
  static State* state = new State;
  return *state;
}

LARGE_INTEGER Now() {
  FILETIME time;
  GetSystemTimePreciseAsFileTime(&time);
  LARGE_INTEGER now;
  now.LowPart = time.dwLowDateTime;
  now.HighPart = static_cast<LONG>(time.dwHighDateTime);
  return now;
}

// All with the state's mutex held, down to Pass.
void Flush(State& state, TRACEHANDLE handle, Session& session) {
  bool has_consumer = false;
  std::stable_sort(session.active.begin(), session.active.end(), [](const auto& a, const auto& b) {
    return a->processor < b->processor;
  });
  for (auto& entry : state.consumers) {
    Consumer& consumer = *entry.second;
    if (consumer.session != handle || consumer.is_closed) continue;
    has_consumer = true;
    consumer.ready.insert(consumer.ready.end(), session.active.begin(), session.active.end());
  }
  if (!has_consumer) return;
  session.active.clear();
  session.active_size = 0;
  state.changed.notify_all();
}

void Announce(Session& session) {
  auto lost = std::make_shared<Event>();
  lost->header.Size = sizeof lost->header;
  lost->header.Flags = EVENT_HEADER_FLAG_CLASSIC_HEADER | kDeliveredFlags;
  lost->header.TimeStamp = Now();
  lost->header.ProviderId = kLostEventGuid;
  lost->header.EventDescriptor.Opcode = kEventsLost;
  session.active.push_back(lost);
  session.has_announced_loss = true;
}

std::string Parts(const WrittenEvent& event, UCHAR type) {
  std::string bytes;
  for (ULONG i = 0; i < event.count; ++i) {
    const EVENT_DATA_DESCRIPTOR& part = event.data[i];
    if ((part.Reserved & 0xff) != type) continue;
    bytes.append(reinterpret_cast<const char*>(part.Ptr), part.Size);
  }
  return bytes;
}

std::shared_ptr<Event> Laid(const WrittenEvent& written) {
  auto event = std::make_shared<Event>();
  EVENT_HEADER& header = event->header;
  GUID no_id = {};
  if (written.related_id != nullptr && !IsEqualGUID(*written.related_id, no_id)) {
    event->items.push_back(
        {kRelatedId, {reinterpret_cast<const char*>(written.related_id), sizeof(GUID)}});
  }
  std::string schema = Parts(written, kEventMetadata);
  if (!schema.empty()) event->items.push_back({kEventSchema, schema});
  std::string traits = Parts(written, kProviderTraits);
  if (!traits.empty()) event->items.push_back({kTraits, traits});
  event->data = Parts(written, 0);
  header.Size = static_cast<USHORT>(event->size());
  header.Flags = kDeliveredFlags;
  if (!event->items.empty()) header.Flags |= EVENT_HEADER_FLAG_EXTENDED_INFO;
  header.ThreadId = GetCurrentThreadId();
  header.ProcessId = GetCurrentProcessId();
  header.TimeStamp = Now();
  header.ProviderId = written.provider;
  header.EventDescriptor = written.descriptor;
  header.ActivityId = written.activity_id == nullptr ? ThreadActivityId() : *written.activity_id;
  return event;
}

// Calls the callback, with the record as ETW lays it out.
void Pass(const Event& event, const EVENT_TRACE_LOGFILEW& trace) {
  std::vector<EVENT_HEADER_EXTENDED_DATA_ITEM> items;
  for (auto& item : event.items) {
    EVENT_HEADER_EXTENDED_DATA_ITEM extended = {};
    extended.ExtType = item.type;
    extended.Linkage = items.size() + 1 < event.items.size();
    extended.DataSize = static_cast<USHORT>(item.bytes.size());
    extended.DataPtr = reinterpret_cast<ULONGLONG>(item.bytes.data());
    items.push_back(extended);
  }
  EVENT_RECORD record = {};
  record.EventHeader = event.header;
  record.BufferContext.ProcessorIndex = event.processor;
  record.ExtendedDataCount = static_cast<USHORT>(items.size());
  record.ExtendedData = items.empty() ? nullptr : items.data();
  record.UserDataLength = static_cast<USHORT>(event.data.size());
  record.UserData = event.data.empty() ? nullptr : const_cast<char*>(event.data.data());
  record.UserContext = trace.Context;
  trace.EventRecordCallback(&record);
}

void Describe(const Session& session, TRACE_LOGFILE_HEADER* header) {
  LARGE_INTEGER frequency;
  QueryPerformanceFrequency(&frequency);
  *header = {};
  header->BufferSize = static_cast<ULONG>(session.buffer_size);
  header->VersionDetail = {10, 0, 2, 6};
  header->ProviderVersion = 19045;
  header->NumberOfProcessors = kProcessors;
  header->LogFileMode = EVENT_TRACE_REAL_TIME_MODE;
  header->PointerSize = sizeof(void*);
  header->PerfFreq = frequency;
  header->StartTime = Now();
  header->ReservedFlags = 1;
}

TRACEHANDLE WINAPI HookOpenTrace(EVENT_TRACE_LOGFILEW* trace) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  ULONG status = NextFailure(Operation::kOpenTrace);
  auto* name = trace->LoggerName;
  Line line("openTrace");
  line.Bytes("name", name, name == nullptr ? 0 : wcslen(name) * sizeof *name)
      .Number("mode", trace->ProcessTraceMode)
      .Boolean("hasFile", trace->LogFileName != nullptr)
      .Boolean("hasEventCallback", trace->EventRecordCallback != nullptr)
      .Boolean("hasBufferCallback", trace->BufferCallback != nullptr)
      .Number("status", status);
  if (status != ERROR_SUCCESS) {
    SetLastError(status);
    line.Hex64("trace", 0);
    return INVALID_PROCESSTRACE_HANDLE;
  }
  auto consumer = std::make_shared<Consumer>();
  for (auto& [handle, session] : state.sessions) {
    if (name == nullptr || session.name != name) continue;
    consumer->session = handle;
    Describe(session, &trace->LogfileHeader);
  }
  consumer->trace = *trace;
  state.consumers[++state.last_consumer] = consumer;
  line.Hex64("trace", state.last_consumer);
  return state.last_consumer;
}

ULONG Process(Consumer& consumer) {
  State& state = TheState();
  std::unique_lock<std::mutex> lock(state.mutex);
  if (state.sessions.count(consumer.session) == 0) return ERROR_WMI_INSTANCE_NOT_FOUND;
  for (;;) {
    auto session = state.sessions.find(consumer.session);
    bool has_ended = session == state.sessions.end();
    if (consumer.ready.empty()) {
      if (has_ended) return ERROR_SUCCESS;
      bool is_due =
          state.changed.wait_for(lock, session->second.flush_timer) == std::cv_status::timeout;
      session = state.sessions.find(consumer.session);
      if (is_due && session != state.sessions.end()) {
        Flush(state, session->first, session->second);
      }
      continue;
    }
    Events ready = std::move(consumer.ready);
    consumer.ready.clear();
    lock.unlock();
    size_t size = 0;
    for (auto& event : ready) {
      Pass(*event, consumer.trace);
      size += event->size();
    }
    Line("deliver").Number("events", ready.size());
    EVENT_TRACE_LOGFILEW trace = consumer.trace;
    trace.Filled = static_cast<ULONG>(size);
    bool goes_on = trace.BufferCallback == nullptr || trace.BufferCallback(&trace);
    lock.lock();
    session = state.sessions.find(consumer.session);
    if (session != state.sessions.end()) {
      session->second.size -= std::min(session->second.size, size);
    }
    if (!goes_on) return ERROR_CANCELLED;
    if (consumer.is_closed) return ERROR_SUCCESS;
  }
}

ULONG WINAPI HookProcessTrace(TRACEHANDLE* traces, ULONG count, FILETIME* start, FILETIME* end) {
  ULONG status = NextFailure(Operation::kProcessTrace);
  std::shared_ptr<Consumer> consumer;
  {
    State& state = TheState();
    std::lock_guard<std::mutex> lock(state.mutex);
    auto found = state.consumers.find(count == 1 ? *traces : 0);
    if (found != state.consumers.end()) consumer = found->second;
  }
  Line("processTrace")
      .Hex64("trace", *traces)
      .Number("count", count)
      .Boolean("hasPeriod", start != nullptr || end != nullptr);
  if (status == ERROR_SUCCESS) status = consumer ? Process(*consumer) : ERROR_INVALID_HANDLE;
  Line("processTraceDone").Hex64("trace", *traces).Number("status", status);
  return status;
}

ULONG WINAPI HookCloseTrace(TRACEHANDLE trace) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.consumers.find(trace);
  ULONG status = ERROR_INVALID_HANDLE;
  if (found != state.consumers.end()) {
    found->second->is_closed = true;
    bool runs = state.sessions.count(found->second->session) != 0;
    status = runs ? ERROR_CTX_CLOSE_PENDING : ERROR_SUCCESS;
    state.consumers.erase(found);
    state.changed.notify_all();
  }
  Line("closeTrace").Hex64("trace", trace).Number("status", status);
  return status;
}

template <typename Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* RealTimeHookFor(const char* name) {
  if (strcmp(name, "OpenTraceW") == 0) return Address(HookOpenTrace);
  if (strcmp(name, "ProcessTrace") == 0) return Address(HookProcessTrace);
  if (strcmp(name, "CloseTrace") == 0) return Address(HookCloseTrace);
  return nullptr;
}

void LimitRealTime(size_t size) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.limit = size;
}

void StartRealTime(TRACEHANDLE session, const std::wstring& name,
                   const EVENT_TRACE_PROPERTIES& properties) {
  if ((properties.LogFileMode & EVENT_TRACE_REAL_TIME_MODE) == 0) return;
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  Session& added = state.sessions[session];
  added.name = name;
  ULONG seconds = properties.FlushTimer == 0 ? kDefaultFlushSeconds : properties.FlushTimer;
  added.flush_timer = std::chrono::seconds(seconds);
  added.buffer_size = size_t{properties.BufferSize} * 1024;
  added.capacity = std::min(state.limit, added.buffer_size * properties.MaximumBuffers);
}

void FlushRealTime(TRACEHANDLE session) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.sessions.find(session);
  if (found != state.sessions.end()) Flush(state, session, found->second);
}

void StopRealTime(TRACEHANDLE session) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.sessions.find(session);
  if (found == state.sessions.end()) return;
  Flush(state, session, found->second);
  state.sessions.erase(found);
  state.changed.notify_all();
}

void CountRealTimeLosses(TRACEHANDLE session, EVENT_TRACE_PROPERTIES* properties) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.sessions.find(session);
  if (found != state.sessions.end()) properties->EventsLost += found->second.lost;
}

void WriteRealTime(TRACEHANDLE session, const WrittenEvent& written) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.sessions.find(session);
  if (found == state.sessions.end()) return;
  std::shared_ptr<Event> event = Laid(written);
  Session& to = found->second;
  if (to.size + event->size() > to.capacity) {
    ++to.lost;
    to.has_announced_loss = false;
    return;
  }
  if (!to.has_announced_loss) Announce(to);
  event->processor = state.next_processor++ % kProcessors;
  to.size += event->size();
  to.active.push_back(event);
  // A full buffer is delivered at once.
  to.active_size += event->size();
  if (to.active_size > to.buffer_size) Flush(state, session, to);
}

}  // namespace etwrec
