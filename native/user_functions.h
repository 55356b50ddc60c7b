// The addon's functions to run a program as another user; on Linux only.
#pragma once

#include <napi.h>

namespace tracewright {

void AddUserFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
