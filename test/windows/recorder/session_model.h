// A model of ETW's sessions: what each is asked to be and to record, and what becomes of the events
// that providers of this process, other processes and the kernel write. Files are lists in memory,
// with a label for each event: its name or "#id", and what the session asked ETW to add to it.
//
// It follows the documentation of evntrace.h: StartTraceW, EVENT_TRACE_PROPERTIES, the logging
// modes, ControlTraceW, EnableTraceEx2, ENABLE_TRACE_PARAMETERS, EVENT_FILTER_DESCRIPTOR and
// TraceSetInformation. What is still to be confirmed by a real Windows:
//  - an update with another number than 0 changes it, and with 0 leaves it; the real-time bit of
//    LogFileMode becomes the one given;
//  - a flush of a session in memory keeps its events there;
//  - the numbers of new files begin with 1.
#pragma once

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntprov.h>
#include <evntrace.h>

#include <string>
#include <vector>

#include "traced_event.h"

namespace etwrec {

// Gives the event to all sessions that record it. Returns those in real time.
std::vector<TRACEHANDLE> Trace(const TracedEvent& event);
// The same, of the kernel: `flag` is its bit of EnableFlags.
void TraceKernel(ULONG flag, const GUID& kind, UCHAR type);

// What sessions have written, { "file": ["label"] }, as JSON; for a session in real time, what its
// consumers would have got, under its name.
std::string TracedFiles();

// The functions of the same names; all but the handle and the status go through the structures.
ULONG Start(const wchar_t* name, EVENT_TRACE_PROPERTIES* properties, TRACEHANDLE* session);
ULONG Control(TRACEHANDLE session, const wchar_t* name, EVENT_TRACE_PROPERTIES* properties,
              ULONG code);
ULONG Enable(TRACEHANDLE session, const GUID& provider, ULONG code, UCHAR level,
             ULONGLONG any_keyword, ULONGLONG all_keyword,
             const ENABLE_TRACE_PARAMETERS& parameters);
ULONG SetTraceInformation(TRACEHANDLE session, ULONG information_class, const void* data,
                          ULONG size);
// The user has this privilege, and has turned it on.
void HoldPrivilege(const LUID& privilege);

// What every session says from now on that it has lost.
void SetLosses(ULONG events, ULONG buffers, ULONG real_time_buffers);

// A session that another program has started.
void AddSession(const std::wstring& name, const std::wstring& file);

// Has that session record the provider, in real time.
void RecordInRealTime(const std::wstring& name, const GUID& provider);

// Ends a session, as another program or ETW itself does. False: there is none.
bool EndSession(const std::wstring& name);

}  // namespace etwrec
