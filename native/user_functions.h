// The addon's functions for running a program as another user; only on Linux.
#pragma once

#include <napi.h>

namespace tracewright {

void AddUserFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
