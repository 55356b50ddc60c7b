// The addon's functions that note when the event loop begins to wait for events.
#pragma once

#include <napi.h>

namespace tracewright {

void AddLoopWatchFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
