// See session_hooks.h. Source of the signatures, and of the answers: evntrace.h and the
// documentation of StartTraceW, EnableTraceEx2 and ControlTraceW.
#include "session_hooks.h"

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>

#include <atomic>
#include <cstring>
#include <cwchar>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "call_log.h"
#include "etw_model.h"

namespace etwrec {
namespace {

struct Session {
  TRACEHANDLE handle;
  std::wstring file;
  std::vector<GUID> providers;
};

struct State {
  std::mutex mutex;
  std::map<std::wstring, Session> sessions;  // by name
  TRACEHANDLE last_handle = 0x29;
};

// Leaked on purpose: calls come until the very end of the process.
State& TheState() {
  static State* state = new State;
  return *state;
}

std::atomic<ULONG> lost_events{0};
std::atomic<ULONG> lost_buffers{0};

// UTF-16, as it stands there: paths have characters that JSON would want escaped.
Line& WideText(Line& line, const char* name, const wchar_t* text) {
  return line.Bytes(name, text, text == nullptr ? 0 : wcslen(text) * sizeof *text);
}

// Null: the properties name none.
const wchar_t* FileIn(const EVENT_TRACE_PROPERTIES& properties) {
  if (properties.LogFileNameOffset == 0) return nullptr;
  auto* bytes = reinterpret_cast<const char*>(&properties);
  return reinterpret_cast<const wchar_t*>(bytes + properties.LogFileNameOffset);
}

// The numbers of the properties, and the names behind them.
void Describe(Line& line, const EVENT_TRACE_PROPERTIES& properties) {
  line.Number("size", properties.Wnode.BufferSize)
      .Number("flags", properties.Wnode.Flags)
      .Number("clock", properties.Wnode.ClientContext)
      .Number("bufferKib", properties.BufferSize)
      .Number("minimumBuffers", properties.MinimumBuffers)
      .Number("maximumBuffers", properties.MaximumBuffers)
      .Number("maximumFileSize", properties.MaximumFileSize)
      .Number("mode", properties.LogFileMode)
      .Number("flushTimer", properties.FlushTimer)
      .Number("enableFlags", properties.EnableFlags)
      .Number("nameOffset", properties.LoggerNameOffset)
      .Number("fileOffset", properties.LogFileNameOffset);
  WideText(line, "file", FileIn(properties));
}

// What the model knows the session by.
std::string ModelName(TRACEHANDLE session) { return "trace " + std::to_string(session); }

// With the state's mutex held, as below.
Session& Add(State& state, const std::wstring& name, const std::wstring& file) {
  return state.sessions[name] = {++state.last_handle, file, {}};
}

std::map<std::wstring, Session>::iterator FindByNameOrHandle(State& state, const wchar_t* name,
                                                             TRACEHANDLE handle) {
  if (name != nullptr) return state.sessions.find(name);
  auto found = state.sessions.begin();
  while (found != state.sessions.end() && found->second.handle != handle) ++found;
  return found;
}

void Remove(State& state, std::map<std::wstring, Session>::iterator session) {
  for (auto& provider : session->second.providers) {
    Send(provider, ModelName(session->second.handle), Command::kDisable, {}, false);
  }
  state.sessions.erase(session);
}

ULONG WINAPI HookStartTrace(TRACEHANDLE* session, const wchar_t* name,
                            EVENT_TRACE_PROPERTIES* properties) {
  const wchar_t* file = FileIn(*properties);
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  ULONG status = NextFailure(Operation::kStartTrace);
  if (status == ERROR_SUCCESS && state.sessions.count(name) != 0) status = ERROR_ALREADY_EXISTS;
  *session = status == ERROR_SUCCESS ? Add(state, name, file == nullptr ? L"" : file).handle : 0;
  Line line("startTrace");
  WideText(line, "name", name);
  Describe(line, *properties);
  line.Hex64("session", *session).Number("status", status);
  return status;
}

ULONG WINAPI HookEnableTrace(TRACEHANDLE session, const GUID* provider, ULONG code, UCHAR level,
                             ULONGLONG any_keyword, ULONGLONG all_keyword, ULONG timeout,
                             ENABLE_TRACE_PARAMETERS* parameters) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  ULONG status = NextFailure(Operation::kEnableTrace);
  auto found = FindByNameOrHandle(state, nullptr, session);
  if (status == ERROR_SUCCESS && found == state.sessions.end()) status = ERROR_INVALID_PARAMETER;
  if (status == ERROR_SUCCESS) {
    found->second.providers.push_back(*provider);
    Filter filter;
    filter.level = level;
    filter.any_keyword = any_keyword;
    filter.all_keyword = all_keyword;
    Send(*provider, ModelName(session), static_cast<Command>(code), filter, false);
  }
  Line("enableTrace")
      .Hex64("session", session)
      .Guid("provider", provider)
      .Number("code", code)
      .Number("level", level)
      .Hex64("any", any_keyword)
      .Hex64("all", all_keyword)
      .Number("timeout", timeout)
      .Bytes("parameters", parameters, sizeof *parameters)
      .Number("status", status);
  return status;
}

ULONG WINAPI HookControlTrace(TRACEHANDLE session, const wchar_t* name,
                              EVENT_TRACE_PROPERTIES* properties, ULONG code) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  ULONG status = NextFailure(Operation::kControlTrace);
  auto found = FindByNameOrHandle(state, name, session);
  if (status == ERROR_SUCCESS && found == state.sessions.end()) {
    status = ERROR_WMI_INSTANCE_NOT_FOUND;
  }
  properties->EventsLost = lost_events;
  properties->LogBuffersLost = lost_buffers;
  if (status == ERROR_SUCCESS && properties->LogFileNameOffset != 0) {
    auto* file = reinterpret_cast<wchar_t*>(reinterpret_cast<char*>(properties) +
                                            properties->LogFileNameOffset);
    wcscpy(file, found->second.file.c_str());
  }
  Line line("controlTrace");
  line.Hex64("session", session).Number("code", code);
  WideText(line, "name", name);
  Describe(line, *properties);
  line.Number("status", status);
  if (status == ERROR_SUCCESS && code == EVENT_TRACE_CONTROL_STOP) Remove(state, found);
  return status;
}

template <typename Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* SessionHookFor(const char* name) {
  if (strcmp(name, "StartTraceW") == 0) return Address(HookStartTrace);
  if (strcmp(name, "EnableTraceEx2") == 0) return Address(HookEnableTrace);
  if (strcmp(name, "ControlTraceW") == 0) return Address(HookControlTrace);
  return nullptr;
}

void SetLosses(unsigned long events, unsigned long buffers) {
  lost_events = events;
  lost_buffers = buffers;
}

void AddSession(const std::wstring& name, const std::wstring& file) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  Add(state, name, file);
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
