// See recorder.h. Source: evntrace.h, and the documentation of StartTraceW, EVENT_TRACE_PROPERTIES,
// EnableTraceEx2, ControlTraceW, TraceSetInformation and AdjustTokenPrivileges.
#include "windows/recorder.h"

#include <evntprov.h>

#include <cstddef>
#include <cstring>

namespace tracewright::etw {
namespace {

// The maximum length of names, with their terminators.
constexpr size_t kNameSize = 1024;
// Times come from QueryPerformanceCounter.
constexpr ULONG kPerformanceCounter = 1;

static_assert(offsetof(EVENT_TRACE_PROPERTIES, BufferSize) == 48);
static_assert(offsetof(EVENT_TRACE_PROPERTIES, RealTimeBuffersLost) + sizeof(ULONG) ==
              offsetof(EVENT_TRACE_PROPERTIES, BufferSize) + sizeof(SessionNumbers));
static_assert(sizeof(EVENT_FILTER_DESCRIPTOR) == 16);
static_assert(sizeof(CLASSIC_EVENT_ID) == 24);

// The properties of a session, which ETW also fills in; the names follow the numbers.
struct Properties {
  explicit Properties(const SessionProperties& given) {
    numbers.Wnode.BufferSize = sizeof *this;
    numbers.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    numbers.Wnode.Guid = given.guid;
    numbers.LoggerNameOffset = offsetof(Properties, name);
    numbers.LogFileNameOffset = offsetof(Properties, file);
    memcpy(Numbers(), given.numbers.data(), sizeof given.numbers);
    memcpy(file, given.file.data(), given.file.size() * sizeof(wchar_t));
  }

  void CopyTo(SessionProperties* target) const {
    memcpy(target->numbers.data(), Numbers(), sizeof target->numbers);
    target->session = numbers.Wnode.HistoricalContext;
    target->guid = numbers.Wnode.Guid;
    // The last characters are never written: they are terminators.
    target->name = name;
    target->file = file;
  }

  const ULONG* Numbers() const { return &numbers.BufferSize; }
  ULONG* Numbers() { return &numbers.BufferSize; }

  EVENT_TRACE_PROPERTIES numbers = {};
  wchar_t name[kNameSize] = {};
  wchar_t file[kNameSize] = {};
};

bool Fits(const SessionProperties& given) {
  return given.name.size() < kNameSize && given.file.size() < kNameSize;
}

}  // namespace

ULONG StartSession(SessionProperties* properties) {
  if (!Fits(*properties)) return ERROR_FILENAME_EXCED_RANGE;
  Properties buffer(*properties);
  buffer.numbers.Wnode.ClientContext = kPerformanceCounter;
  // A session without a file says so with the offset.
  if (properties->file.empty()) buffer.numbers.LogFileNameOffset = 0;
  // StartTraceW fills in the session's own name.
  return StartTraceW(&properties->session, properties->name.c_str(), &buffer.numbers);
}

ULONG ControlSession(ULONG code, SessionProperties* properties) {
  if (!Fits(*properties)) return ERROR_FILENAME_EXCED_RANGE;
  Properties buffer(*properties);
  // The name of a file would be that of another one to change to.
  bool keeps_file = code == EVENT_TRACE_CONTROL_UPDATE && properties->file.empty();
  if (keeps_file) buffer.numbers.LogFileNameOffset = 0;
  const wchar_t* name = properties->session == 0 ? properties->name.c_str() : nullptr;
  ULONG error = ControlTraceW(properties->session, name, &buffer.numbers, code);
  buffer.CopyTo(properties);
  return error;
}

ULONG ControlProvider(TRACEHANDLE session, const ProviderRequest& request) {
  constexpr ULONG kDoNotWait = 0;
  std::vector<EVENT_FILTER_DESCRIPTOR> filters;
  for (auto& filter : request.filters) {
    filters.push_back({reinterpret_cast<ULONGLONG>(filter.data.data()),
                       static_cast<ULONG>(filter.data.size()),
                       filter.type});
  }
  ENABLE_TRACE_PARAMETERS parameters = {};
  parameters.Version = ENABLE_TRACE_PARAMETERS_VERSION_2;
  parameters.EnableProperty = request.enable_property;
  parameters.EnableFilterDesc = filters.empty() ? nullptr : filters.data();
  parameters.FilterDescCount = static_cast<ULONG>(filters.size());
  return EnableTraceEx2(session,
                        &request.provider,
                        request.code,
                        request.level,
                        request.any_keyword,
                        request.all_keyword,
                        kDoNotWait,
                        &parameters);
}

ULONG SetSessionInformation(TRACEHANDLE session, ULONG information_class, const void* data,
                            ULONG size) {
  return TraceSetInformation(
      session, static_cast<TRACE_INFO_CLASS>(information_class), const_cast<void*>(data), size);
}

ULONG EnablePrivilege(const std::wstring& name) {
  TOKEN_PRIVILEGES privileges = {};
  privileges.PrivilegeCount = 1;
  privileges.Privileges[0].Attributes = SE_PRIVILEGE_ENABLED;
  if (!LookupPrivilegeValueW(nullptr, name.c_str(), &privileges.Privileges[0].Luid)) {
    return GetLastError();
  }
  HANDLE token;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_ADJUST_PRIVILEGES, &token)) {
    return GetLastError();
  }
  // It succeeds without the privilege, too, and says so only in the last error.
  AdjustTokenPrivileges(token, FALSE, &privileges, 0, nullptr, nullptr);
  ULONG error = GetLastError();
  CloseHandle(token);
  return error;
}

}  // namespace tracewright::etw
