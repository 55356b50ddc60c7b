// For platforms that cannot record.
#include "recorder.h"

#include "provider.h"

namespace tracewright {

Recorder::Opened Recorder::Open(RecorderOptions) {
  Opened result;
  result.error = provider::kUnsupported;
  return result;
}

Pipe OpenPipe() { return {provider::kUnsupported, -1, -1}; }

ClockPair ReadClocks() { return {}; }

int AwaitRecorder(const std::string&, const std::string&, int) { return provider::kUnsupported; }

}  // namespace tracewright
