// For platforms without a kernel tracer that tracewright writes to: the same interface, without
// effect.
#include "provider.h"

namespace tracewright::provider {

const char* Name() { return "none"; }

OpenResult Open(const std::string&, const std::string&) { return {kUnsupported, ""}; }
void Close() {}

int Register(uint32_t*, const std::string&, Registration*) { return kUnsupported; }
void Unregister(const Registration&) {}

int Write(const Registration&, uint8_t*, size_t) { return kUnsupported; }

// There is no tracer to notify anybody.
void AddCommandListener(const void*, CommandListener) {}
void RemoveCommandListener(const void*) {}

bool LastCommand(const uint8_t*, Command*) { return false; }

int ThreadActivityId(uint32_t, uint8_t*) { return kUnsupported; }

double ThreadCpuMilliseconds(uint32_t) { return 0; }

}  // namespace tracewright::provider
