// See session_model.h.
#include "session_model.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <cwchar>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "call_log.h"
#include "etw_model.h"
#include "real_time_hooks.h"
#include "session_modes.h"
#include "trace_filter.h"

namespace etwrec {
namespace {

constexpr ULONG kIncrementFile = 4;
// SE_SYSTEM_PROFILE_PRIVILEGE of Windows' driver headers.
constexpr LONG kProfilePrivilege = 11;
constexpr ULONG kSystemTracingStacks = 3;
constexpr ULONG kSampleInterval = 5;

struct GuidLess {
  bool operator()(const GUID& a, const GUID& b) const { return memcmp(&a, &b, sizeof a) < 0; }
};

struct Stored {
  std::string label;
  ULONG size;
};

struct Session {
  EVENT_TRACE_PROPERTIES numbers = {};
  TRACEHANDLE handle = 0;
  std::wstring name;
  std::wstring file;  // with its %d
  ULONG file_number = 1;
  ULONG file_size = 0;
  std::deque<Stored> ring;
  std::map<GUID, TraceFilter, GuidLess> providers;
  std::vector<CLASSIC_EVENT_ID> stacks;
};

using Sessions = std::map<std::wstring, Session>;

struct State {
  std::mutex mutex;
  Sessions sessions;
  TRACEHANDLE last_handle = 0x29;
  std::map<std::wstring, std::vector<Stored>> files;
  bool holds_profile_privilege = false;
  std::array<ULONG, 3> losses = {};  // events, buffers, those in real time
};

// Leaked on purpose: calls come until the very end of the process.
State& TheState() {
  static State* state = new State;
  return *state;
}

// What the model of providers knows the session by.
std::string ModelName(TRACEHANDLE session) { return "trace " + std::to_string(session); }

// With the state's mutex held, as below.
Sessions::iterator Find(State& state, const wchar_t* name, TRACEHANDLE handle) {
  if (name != nullptr) return state.sessions.find(name);
  return std::find_if(state.sessions.begin(), state.sessions.end(), [&](auto& entry) {
    return entry.second.handle == handle;
  });
}

Session& Add(State& state, const std::wstring& name, const std::wstring& file) {
  Session& session = state.sessions[name];
  session.handle = ++state.last_handle;
  session.name = name;
  session.file = file;
  return session;
}

void Remove(State& state, Sessions::iterator found) {
  for (auto& [provider, filter] : found->second.providers) {
    Send(provider, ModelName(found->second.handle), Command::kDisable, {}, false);
  }
  StopRealTime(found->second.handle);
  state.sessions.erase(found);
}

bool Has(const Session& session, ULONG mode) { return (session.numbers.LogFileMode & mode) != 0; }

uint64_t Limit(const Session& session) {
  return uint64_t{session.numbers.MaximumFileSize} * (Has(session, kKibForSize) ? 1 : 1024) * 1024;
}

std::wstring CurrentFile(const Session& session) {
  std::wstring file = session.file;
  if (Has(session, kNewFile)) {
    file.replace(file.find(L"%d"), 2, std::to_wstring(session.file_number));
  }
  return file;
}

void NextFile(Session& session) {
  ++session.file_number;
  session.file_size = 0;
}

void DropOldest(std::vector<Stored>& events, uint64_t limit, ULONG* size) {
  while (*size > limit && !events.empty()) {
    *size -= events.front().size;
    events.erase(events.begin());
  }
}

// False: the session ends, because its file is full.
bool StoreInFile(State& state, Session& session, const Stored& event) {
  uint64_t limit = Limit(session);
  bool is_full = limit != 0 && session.file_size + event.size > limit;
  if (is_full && Has(session, kNewFile)) NextFile(session);
  if (is_full && Has(session, kSequential)) return false;
  auto& events = state.files[CurrentFile(session)];
  events.push_back(event);
  session.file_size += event.size;
  if (Has(session, kCircular)) DropOldest(events, limit, &session.file_size);
  ++session.numbers.BuffersWritten;
  return true;
}

void StoreInMemory(Session& session, const Stored& event) {
  uint64_t limit = uint64_t{session.numbers.MaximumBuffers} * session.numbers.BufferSize * 1024;
  session.ring.push_back(event);
  uint64_t size = 0;
  for (auto& stored : session.ring) size += stored.size;
  for (; size > limit; session.ring.pop_front()) size -= session.ring.front().size;
}

bool Store(State& state, Session& session, const Stored& event) {
  if (Has(session, kBuffering)) StoreInMemory(session, event);
  if (Has(session, kRealTime)) state.files[session.name].push_back(event);
  return session.file.empty() || Has(session, kBuffering) || StoreInFile(state, session, event);
}

const TraceFilter* FilterOf(const Session& session, const TracedEvent& event) {
  if (Has(session, kPrivate) && !event.is_of_this_process) return nullptr;
  auto found = session.providers.find(event.provider);
  if (found != session.providers.end() && !found->second.IsOfGroup()) return &found->second;
  found = session.providers.find(event.group);
  return found != session.providers.end() && found->second.IsOfGroup() ? &found->second : nullptr;
}

// Gives each session its label of the event; empty: it does not record it. Returns those in real
// time that do.
template <typename Label>
std::vector<TRACEHANDLE> Deliver(ULONG size, Label label_for) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  std::vector<TRACEHANDLE> in_real_time;
  for (auto at = state.sessions.begin(); at != state.sessions.end();) {
    auto current = at++;
    std::string label = label_for(current->second);
    if (label.empty()) continue;
    if (Has(current->second, kRealTime)) in_real_time.push_back(current->second.handle);
    if (Store(state, current->second, {label, size})) continue;
    Remove(state, current);
  }
  return in_real_time;
}

void Describe(const State& state, const Session& session, EVENT_TRACE_PROPERTIES* properties) {
  ULONG size = properties->Wnode.BufferSize;
  ULONG name_offset = properties->LoggerNameOffset;
  ULONG file_offset = properties->LogFileNameOffset;
  *properties = session.numbers;
  properties->Wnode.BufferSize = size;
  properties->Wnode.HistoricalContext = session.handle;
  properties->LoggerNameOffset = name_offset;
  properties->LogFileNameOffset = file_offset;
  properties->NumberOfBuffers = session.numbers.MinimumBuffers;
  properties->FreeBuffers = session.numbers.MinimumBuffers / 2;
  properties->EventsLost = state.losses[0];
  properties->LogBuffersLost = state.losses[1];
  properties->RealTimeBuffersLost = state.losses[2];
  wcscpy(TextAt(properties, name_offset), session.name.c_str());
  if (file_offset != 0) wcscpy(FileIn(properties), session.file.c_str());
}

ULONG Update(Session& session, EVENT_TRACE_PROPERTIES* given) {
  EVENT_TRACE_PROPERTIES& numbers = session.numbers;
  const wchar_t* file = FileIn(given);
  if (file != nullptr && *file != L'\0') {
    session.file = file;
    session.file_size = 0;
  }
  if (given->MaximumBuffers != 0) numbers.MaximumBuffers = given->MaximumBuffers;
  if (given->FlushTimer != 0) numbers.FlushTimer = given->FlushTimer;
  numbers.LogFileMode = (numbers.LogFileMode & ~kRealTime) | (given->LogFileMode & kRealTime);
  numbers.EnableFlags = given->EnableFlags;
  return ERROR_SUCCESS;
}

ULONG Flush(State& state, Session& session, EVENT_TRACE_PROPERTIES* given) {
  if (!Has(session, kBuffering)) return ERROR_SUCCESS;
  const wchar_t* file = FileIn(given);
  if (file == nullptr || *file == L'\0') return ERROR_INVALID_PARAMETER;
  state.files[file].assign(session.ring.begin(), session.ring.end());
  return ERROR_SUCCESS;
}

ULONG Change(State& state, Session& session, EVENT_TRACE_PROPERTIES* given, ULONG code) {
  if (Has(session, kPrivate) && !IsEqualGUID(given->Wnode.Guid, session.numbers.Wnode.Guid)) {
    return ERROR_WMI_INSTANCE_NOT_FOUND;
  }
  switch (code) {
    case EVENT_TRACE_CONTROL_QUERY:
    case EVENT_TRACE_CONTROL_STOP:
      return ERROR_SUCCESS;
    case EVENT_TRACE_CONTROL_UPDATE:
      return Update(session, given);
    case EVENT_TRACE_CONTROL_FLUSH:
      return Flush(state, session, given);
    case kIncrementFile:
      if (!Has(session, kNewFile)) return ERROR_INVALID_PARAMETER;
      NextFile(session);
      return ERROR_SUCCESS;
    default:
      return ERROR_INVALID_PARAMETER;
  }
}

std::string JsonText(const std::wstring& text) {
  std::string json = "\"";
  for (wchar_t unit : text) {
    if (unit == L'\\') json += '\\';
    json += static_cast<char>(unit);
  }
  return json + '"';
}

}  // namespace

std::vector<TRACEHANDLE> Trace(const TracedEvent& event) {
  return Deliver(event.size, [&](const Session& session) -> std::string {
    const TraceFilter* filter = FilterOf(session, event);
    return filter != nullptr && filter->Passes(event) ? filter->LabelOf(event) : "";
  });
}

void TraceKernel(ULONG flag, const GUID& kind, UCHAR type) {
  constexpr ULONG kSize = 100;
  Deliver(kSize, [&](const Session& session) -> std::string {
    if ((session.numbers.EnableFlags & flag) == 0) return "";
    bool has_stack = std::any_of(session.stacks.begin(), session.stacks.end(), [&](const auto& id) {
      return IsEqualGUID(id.EventGuid, kind) && id.Type == type;
    });
    return "kernel " + std::to_string(type) + (has_stack ? " +stack" : "");
  });
}

std::string TracedFiles() {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  std::string json;
  for (auto& [file, events] : state.files) {
    std::string labels;
    for (auto& event : events) labels += (labels.empty() ? "\"" : ",\"") + event.label + '"';
    json += (json.empty() ? "" : ",") + JsonText(file) + ":[" + labels + ']';
  }
  return '{' + json + '}';
}

ULONG Start(const wchar_t* name, EVENT_TRACE_PROPERTIES* properties, TRACEHANDLE* session) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  *session = 0;
  ULONG status = NextFailure(Operation::kStartTrace);
  if (status == ERROR_SUCCESS && state.sessions.count(name) != 0) status = ERROR_ALREADY_EXISTS;
  if (status == ERROR_SUCCESS) status = CheckStart(state.holds_profile_privilege, name, properties);
  if (status != ERROR_SUCCESS) return status;
  const wchar_t* file = FileIn(properties);
  Session& added = Add(state, name, file == nullptr ? L"" : file);
  added.numbers = *properties;
  *session = added.handle;
  StartRealTime(added.handle, name, *properties);
  return ERROR_SUCCESS;
}

ULONG Control(TRACEHANDLE session, const wchar_t* name, EVENT_TRACE_PROPERTIES* properties,
              ULONG code) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  ULONG status = NextFailure(Operation::kControlTrace);
  if (status != ERROR_SUCCESS) return status;
  auto found = Find(state, name, session);
  if (found == state.sessions.end()) return ERROR_WMI_INSTANCE_NOT_FOUND;
  status = Change(state, found->second, properties, code);
  if (status != ERROR_SUCCESS) return status;
  Describe(state, found->second, properties);
  CountRealTimeLosses(found->second.handle, properties);
  if (code == EVENT_TRACE_CONTROL_FLUSH) FlushRealTime(found->second.handle);
  if (code == EVENT_TRACE_CONTROL_STOP) Remove(state, found);
  return ERROR_SUCCESS;
}

ULONG Enable(TRACEHANDLE session, const GUID& provider, ULONG code, UCHAR level,
             ULONGLONG any_keyword, ULONGLONG all_keyword,
             const ENABLE_TRACE_PARAMETERS& parameters) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  ULONG status = NextFailure(Operation::kEnableTrace);
  if (status != ERROR_SUCCESS) return status;
  auto found = Find(state, nullptr, session);
  if (found == state.sessions.end() || code > EVENT_CONTROL_CODE_CAPTURE_STATE) {
    return ERROR_INVALID_PARAMETER;
  }
  auto& providers = found->second.providers;
  TraceFilter asked;
  status = asked.Set(level, any_keyword, all_keyword, parameters);
  if (status != ERROR_SUCCESS) return status;
  if (code == EVENT_CONTROL_CODE_ENABLE_PROVIDER) providers[provider] = asked;
  if (code == EVENT_CONTROL_CODE_DISABLE_PROVIDER) providers.erase(provider);
  Filter filter;
  filter.level = level;
  filter.any_keyword = any_keyword;
  filter.all_keyword = all_keyword;
  Send(provider, ModelName(session), static_cast<Command>(code), filter, false);
  return ERROR_SUCCESS;
}

ULONG SetTraceInformation(TRACEHANDLE session, ULONG information_class, const void* data,
                          ULONG size) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  ULONG status = NextFailure(Operation::kTraceInformation);
  if (status != ERROR_SUCCESS) return status;
  if (information_class == kSampleInterval) {
    if (!state.holds_profile_privilege) return ERROR_PRIVILEGE_NOT_HELD;
    return size == sizeof(TRACE_PROFILE_INTERVAL) ? ERROR_SUCCESS : ERROR_BAD_LENGTH;
  }
  auto found = Find(state, nullptr, session);
  if (found == state.sessions.end() || information_class != kSystemTracingStacks) {
    return ERROR_INVALID_PARAMETER;
  }
  if (size == 0 || size % sizeof(CLASSIC_EVENT_ID) != 0) return ERROR_BAD_LENGTH;
  auto* ids = static_cast<const CLASSIC_EVENT_ID*>(data);
  found->second.stacks.assign(ids, ids + size / sizeof *ids);
  return ERROR_SUCCESS;
}

void HoldPrivilege(const LUID& privilege) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (privilege.LowPart == kProfilePrivilege && privilege.HighPart == 0) {
    state.holds_profile_privilege = true;
  }
}

void SetLosses(ULONG events, ULONG buffers, ULONG real_time_buffers) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.losses = {events, buffers, real_time_buffers};
}

void AddSession(const std::wstring& name, const std::wstring& file) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  Add(state, name, file);
}

void RecordInRealTime(const std::wstring& name, const GUID& provider) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  Session& session = state.sessions[name];
  session.numbers.LogFileMode = kRealTime;
  session.numbers.BufferSize = 64;
  session.numbers.MaximumBuffers = 4;
  session.providers[provider] = TraceFilter();
  StartRealTime(session.handle, name, session.numbers);
  Send(provider, ModelName(session.handle), Command::kEnable, {}, false);
}

bool EndSession(const std::wstring& name) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  auto found = state.sessions.find(name);
  if (found == state.sessions.end()) return false;
  Remove(state, found);
  return true;
}

}  // namespace etwrec
