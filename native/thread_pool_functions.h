// The addon's function that measures the queue of libuv's thread pool.
#pragma once

#include <napi.h>

namespace tracewright {

void AddThreadPoolFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
