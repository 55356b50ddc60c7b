// The addon's functions for the diagnostic port: Unix sockets as .NET's tools use them, with file
// descriptors passed along. Only on Linux; elsewhere no tool passes descriptors, and no functions
// are added.
#pragma once

#include <napi.h>

namespace tracewright {

void AddDiagnosticPortFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
