// The addon's functions of the diagnostic port: Unix sockets as tools of .NET use them, with file
// descriptors passed along. On Linux only; elsewhere nothing passes descriptors, and none is added.
#pragma once

#include <napi.h>

namespace tracewright {

void AddDiagnosticPortFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
