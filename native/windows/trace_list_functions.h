// The addon's functions that list the sessions and providers of ETW, whoever started them.
#pragma once

#include <napi.h>

namespace tracewright {

void AddTraceListFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
