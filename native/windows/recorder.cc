// See recorder.h. Source: the documentation of StartTraceW, EVENT_TRACE_PROPERTIES, EnableTraceEx2
// and ControlTraceW.
#include "windows/recorder.h"

#include <cstddef>
#include <cstring>

namespace tracewright::etw {
namespace {

// The maximum length of names, with their terminators.
constexpr size_t kNameSize = 1024;
// Times come from QueryPerformanceCounter.
constexpr ULONG kPerformanceCounter = 1;
// EVENT_ENABLE_PROPERTY_STACK_TRACE, which mingw's headers lack.
constexpr ULONG kStackTrace = 4;

// The properties of a session, which ETW also fills in; the names follow the numbers.
struct Properties {
  Properties() {
    numbers.Wnode.BufferSize = sizeof *this;
    numbers.Wnode.Flags = WNODE_FLAG_TRACED_GUID;
    numbers.LoggerNameOffset = offsetof(Properties, name);
    numbers.LogFileNameOffset = offsetof(Properties, file);
  }

  EVENT_TRACE_PROPERTIES numbers = {};
  wchar_t name[kNameSize] = {};
  wchar_t file[kNameSize] = {};
};

ULONG Control(TRACEHANDLE session, ULONG code, SessionCounts* counts) {
  Properties properties;
  ULONG error = ControlTraceW(session, nullptr, &properties.numbers, code);
  *counts = {properties.numbers.EventsLost,
             properties.numbers.LogBuffersLost,
             properties.numbers.BuffersWritten};
  return error;
}

}  // namespace

ULONG StartSession(const SessionOptions& options, TRACEHANDLE* session) {
  if (options.name.size() >= kNameSize || options.file.size() >= kNameSize) {
    return ERROR_FILENAME_EXCED_RANGE;
  }
  Properties properties;
  properties.numbers.Wnode.ClientContext = kPerformanceCounter;
  properties.numbers.LogFileMode = EVENT_TRACE_FILE_MODE_SEQUENTIAL;
  properties.numbers.BufferSize = options.buffer_kib;
  properties.numbers.MinimumBuffers = options.buffers;
  properties.numbers.MaximumBuffers = options.buffers;
  properties.numbers.MaximumFileSize = options.max_mib;
  // StartTraceW fills in the session's own name.
  memcpy(properties.file, options.file.data(), options.file.size() * sizeof(wchar_t));
  return StartTraceW(session, options.name.c_str(), &properties.numbers);
}

ULONG EnableProvider(TRACEHANDLE session, const GUID& provider, UCHAR level, ULONGLONG any_keyword,
                     bool stacks) {
  constexpr ULONGLONG kNoAllKeyword = 0;
  constexpr ULONG kDoNotWait = 0;
  ENABLE_TRACE_PARAMETERS parameters = {};
  parameters.Version = ENABLE_TRACE_PARAMETERS_VERSION_2;
  parameters.EnableProperty = stacks ? kStackTrace : 0;
  return EnableTraceEx2(session,
                        &provider,
                        EVENT_CONTROL_CODE_ENABLE_PROVIDER,
                        level,
                        any_keyword,
                        kNoAllKeyword,
                        kDoNotWait,
                        &parameters);
}

ULONG StopSession(TRACEHANDLE session, SessionCounts* counts) {
  return Control(session, EVENT_TRACE_CONTROL_STOP, counts);
}

ULONG QuerySession(TRACEHANDLE session, SessionCounts* counts) {
  return Control(session, EVENT_TRACE_CONTROL_QUERY, counts);
}

ULONG FindSession(const std::wstring& name, std::wstring* file) {
  Properties properties;
  ULONG error = ControlTraceW(0, name.c_str(), &properties.numbers, EVENT_TRACE_CONTROL_QUERY);
  // The last character is never written: it is the terminator.
  if (error == ERROR_SUCCESS) *file = properties.file;
  return error;
}

ULONG StopSession(const std::wstring& name) {
  Properties properties;
  return ControlTraceW(0, name.c_str(), &properties.numbers, EVENT_TRACE_CONTROL_STOP);
}

}  // namespace tracewright::etw
