// The addon's functions of the recorder: on Windows another set than elsewhere, because there the
// system itself records.
#pragma once

#include <napi.h>

namespace tracewright {

void AddRecorderFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
