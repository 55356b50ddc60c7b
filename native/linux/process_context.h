// OpenTelemetry's process context: a mapping that profilers outside the process, such as those of
// eBPF, find by its name in /proc/PID/maps, and from which they read whose samples they take.
//
// Source: opentelemetry-specification, oteps/profiles/4719-process-ctx.md at 1377f53b, version 2:
// its header, its publication protocol and its updating protocol, step by step.
#pragma once

#include <string>

namespace tracewright {

// Publishes the payload, a ProcessContext in protobuf, instead of the one before; an empty one ends
// the context. May be called from any thread. Returns 0, or -errno if the system refuses.
int SetProcessContext(std::string payload);

}  // namespace tracewright
