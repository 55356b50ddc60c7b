// The addon's functions for consuming ETW sessions in real time. JavaScript takes what has arrived
// as often as it can use it: it is never called, so there is nothing to call when an environment
// ends, and a slow reader slows nobody down. Whoever waits for events has a timer in any case,
// since ETW keeps them in its buffers until they are flushed.
//
//   consumerOpen(session: string, limit)
//     -> { error, now: bigint, header: Uint8Array, handle? }
//   consumerTake(handle)
//     -> { bytes: Uint8Array, events, dropped, newest: bigint, ended: boolean, error }
//   consumerClose(handle): nothing more is taken; `ended` after that, if not at once.
//
// `now` and `newest` are FILETIME, `header` is TRACE_LOGFILE_HEADER, `bytes` are whole buffers as
// in an .etl file, and the counts are of everything so far. A handle that is no longer referenced
// is closed. See windows/real_time.h.
#pragma once

#include <napi.h>

namespace tracewright {

void AddRealTimeFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
