// See session_hooks.h. Source of the signatures: evntrace.h.
#include "session_hooks.h"

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>

#include <atomic>
#include <cstring>
#include <cwchar>

#include "call_log.h"
#include "etw_model.h"

namespace etwrec {
namespace {

constexpr TRACEHANDLE kSession = 0x002a;

std::atomic<ULONG> lost_events{0};
std::atomic<ULONG> lost_buffers{0};

// UTF-16, as it stands there: paths have characters that JSON would want escaped.
Line& WideText(Line& line, const char* name, const wchar_t* text) {
  return line.Bytes(name, text, text == nullptr ? 0 : wcslen(text) * sizeof *text);
}

// The numbers of the properties, and the names behind them.
void Describe(Line& line, const EVENT_TRACE_PROPERTIES& properties) {
  auto* bytes = reinterpret_cast<const char*>(&properties);
  line.Number("size", properties.Wnode.BufferSize)
      .Number("flags", properties.Wnode.Flags)
      .Number("clock", properties.Wnode.ClientContext)
      .Number("bufferKib", properties.BufferSize)
      .Number("minimumBuffers", properties.MinimumBuffers)
      .Number("maximumBuffers", properties.MaximumBuffers)
      .Number("maximumFileSize", properties.MaximumFileSize)
      .Number("mode", properties.LogFileMode)
      .Number("flushTimer", properties.FlushTimer)
      .Number("nameOffset", properties.LoggerNameOffset)
      .Number("fileOffset", properties.LogFileNameOffset);
  WideText(line, "file", reinterpret_cast<const wchar_t*>(bytes + properties.LogFileNameOffset));
}

ULONG WINAPI HookStartTrace(TRACEHANDLE* session, const wchar_t* name,
                            EVENT_TRACE_PROPERTIES* properties) {
  ULONG status = NextFailure(Operation::kStartTrace);
  *session = status == ERROR_SUCCESS ? kSession : 0;
  Line line("startTrace");
  WideText(line, "name", name);
  Describe(line, *properties);
  line.Hex64("session", *session).Number("status", status);
  return status;
}

ULONG WINAPI HookEnableTrace(TRACEHANDLE session, const GUID* provider, ULONG code, UCHAR level,
                             ULONGLONG any_keyword, ULONGLONG all_keyword, ULONG timeout,
                             ENABLE_TRACE_PARAMETERS* parameters) {
  ULONG status = NextFailure(Operation::kEnableTrace);
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
  ULONG status = NextFailure(Operation::kControlTrace);
  properties->EventsLost = lost_events;
  properties->LogBuffersLost = lost_buffers;
  Line line("controlTrace");
  line.Hex64("session", session).Number("code", code);
  WideText(line, "name", name);
  Describe(line, *properties);
  line.Number("status", status);
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

}  // namespace etwrec
