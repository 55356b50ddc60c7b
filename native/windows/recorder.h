// Recording on Windows: an ETW session, which the system runs and writes to an .etl file. It
// outlives this process, until somebody stops it.
//
// Results are Win32 errors; 0 means success.
#pragma once

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>

#include <string>

namespace tracewright::etw {

struct SessionOptions {
  std::wstring name;
  std::wstring file;     // an absolute path
  ULONG buffer_kib = 0;  // the size of a buffer, which contains complete events
  ULONG buffers = 0;     // for all processors together; ETW requires two per processor
  ULONG max_mib = 0;     // the session ends before its file becomes larger
};

struct SessionCounts {
  ULONG events_lost = 0;
  ULONG buffers_lost = 0;
  ULONG buffers_written = 0;
};

ULONG StartSession(const SessionOptions& options, TRACEHANDLE* session);

// Makes the session record the provider, in all present and future processes. `stacks` adds the
// stack of each event.
ULONG EnableProvider(TRACEHANDLE session, const GUID& provider, UCHAR level, ULONGLONG any_keyword,
                     bool stacks);

// Ends the session; its file is then complete. If a session no longer exists, the error is
// ERROR_WMI_INSTANCE_NOT_FOUND, here and below.
ULONG StopSession(TRACEHANDLE session, SessionCounts* counts);

// The session's counts so far.
ULONG QuerySession(TRACEHANDLE session, SessionCounts* counts);

// Finds the file of the session with this name, whoever started it; and ends such a session.
ULONG FindSession(const std::wstring& name, std::wstring* file);
ULONG StopSession(const std::wstring& name);

}  // namespace tracewright::etw
