// The addon's functions of the recorder.
#pragma once

#include <napi.h>

namespace tracewright {

void AddRecorderFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
