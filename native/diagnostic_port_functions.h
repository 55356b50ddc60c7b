// The addon's functions for tools outside the process: for the diagnostic port, Unix sockets as
// .NET's tools use them, with file descriptors passed along; and the mappings by which tools find a
// process. Only on Linux; elsewhere no tool uses them, and no functions are added.
#pragma once

#include <napi.h>

namespace tracewright {

void AddDiagnosticPortFunctions(Napi::Env env, Napi::Object exports);

}  // namespace tracewright
