// EventIds as JavaScript functions.
#pragma once

#include <napi.h>

namespace tracewright {

void AddEventIdFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
