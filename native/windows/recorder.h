// Recording on Windows: a session of ETW, which the system runs and writes into an .etl file. It
// goes on when this process is gone, until somebody stops it.
//
// Results are Win32 errors; 0: done.
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
  ULONG buffer_kib = 0;  // the size of a buffer, which holds whole events
  ULONG buffers = 0;     // for all processors together; ETW wants two of each
  ULONG max_mib = 0;     // the session ends when its file would be larger
};

struct SessionCounts {
  ULONG events_lost = 0;
  ULONG buffers_lost = 0;
  ULONG buffers_written = 0;
};

ULONG StartSession(const SessionOptions& options, TRACEHANDLE* session);

// Has the session record the provider, in all processes that have it and will have it. `stacks`:
// with the stack of each event.
ULONG EnableProvider(TRACEHANDLE session, const GUID& provider, UCHAR level, ULONGLONG any_keyword,
                     bool stacks);

// Ends the session; its file is complete then. A session that is gone is
// ERROR_WMI_INSTANCE_NOT_FOUND, here and below.
ULONG StopSession(TRACEHANDLE session, SessionCounts* counts);

// What the session has counted so far.
ULONG QuerySession(TRACEHANDLE session, SessionCounts* counts);

// The file of the session with this name, whoever has started it; and its end.
ULONG FindSession(const std::wstring& name, std::wstring* file);
ULONG StopSession(const std::wstring& name);

}  // namespace tracewright::etw
