// The addon's functions for recording. They differ on Windows, because there the system itself
// records.
#pragma once

#include <napi.h>

namespace tracewright {

void AddRecorderFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
