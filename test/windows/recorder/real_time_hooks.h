// What the recorder puts in place of the functions that consume a session in real time. It plays
// real-time delivery within this process: the events that its providers write wait in the session's
// buffers, and ProcessTrace passes them on when these are flushed, after the session's flush timer,
// or when the session ends.
//
// It follows the documentation of OpenTraceW, ProcessTrace, CloseTrace and EVENT_TRACE_LOGFILEW.
// What is still to be confirmed by a real Windows:
//  - OpenTraceW succeeds for a session that does not run, and ProcessTrace says 4201;
//  - ProcessTrace of a closed trace returns after the next buffer only, or when the session ends;
//  - the events of one flush come processor by processor, which is the worst order there can be;
//  - each consumer of a session gets all events, those before it only if it is the first;
//  - events for which the session's buffers have no room are counted by the session, and announced
//    by one RT_LostEvent before the next event.
#pragma once

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>
//
#include <evntprov.h>

#include <cstddef>
#include <string>

namespace etwrec {

// null: not one of these functions.
void* RealTimeHookFor(const char* name);

// The size of the buffers of sessions that start from now on, together, in bytes.
void LimitRealTime(size_t size);

// What the other functions tell: no effect on sessions without the real-time mode.
void StartRealTime(TRACEHANDLE session, const std::wstring& name,
                   const EVENT_TRACE_PROPERTIES& properties);
void FlushRealTime(TRACEHANDLE session);
void StopRealTime(TRACEHANDLE session);
// Adds what the session has lost.
void CountRealTimeLosses(TRACEHANDLE session, EVENT_TRACE_PROPERTIES* properties);

struct WrittenEvent {
  GUID provider;
  EVENT_DESCRIPTOR descriptor;
  const GUID* activity_id;
  const GUID* related_id;
  ULONG count;
  const EVENT_DATA_DESCRIPTOR* data;
};
void WriteRealTime(TRACEHANDLE session, const WrittenEvent& event);

}  // namespace etwrec
