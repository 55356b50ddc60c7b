// The addon's functions for a passed tracer.
#pragma once

#include <napi.h>

namespace tracewright {

void AddPassedTracerFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
