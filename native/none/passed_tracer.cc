// See passed_tracer.h: for systems whose tracer cannot be passed.
#include "passed_tracer.h"

#include "provider.h"

namespace tracewright {

PassedTracer::Started PassedTracer::Start(const std::string&, int,
                                          const std::vector<std::string>& definitions) {
  return {provider::kUnsupported, definitions.size(), nullptr};
}

std::shared_ptr<PassedTracer> PassedTracer::Find(const std::string&) { return nullptr; }

}  // namespace tracewright
