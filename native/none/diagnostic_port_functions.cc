// For platforms on which Node.js's own sockets are sufficient.
#include "diagnostic_port_functions.h"

namespace tracewright {

void AddDiagnosticPortFunctions(Napi::Env, Napi::Object) {}

}  // namespace tracewright
