// A connection to the kernel's tracer that another program opened: a descriptor of
// user_events_data, passed to this process by a program that may open the file although the process
// itself may not. It has its own tracepoints, and all threads of the process use it, from Start to
// End.
// No function throws; failures are the system's error numbers, or codes of provider.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tracewright {

class PassedTracer {
 public:
  struct Started {
    int error = 0;
    size_t failed_at = 0;  // the refused definition; their number if it was none of them
    std::shared_ptr<PassedTracer> tracer;
  };
  // Registers the tracepoints, whose definitions are texts of DIAG_IOCSREG's name_args. The
  // descriptor is closed at the end, or if this fails. `id` is for other threads, see Find.
  static Started Start(const std::string& id, int descriptor,
                       const std::vector<std::string>& definitions);
  // The one started with this id, until it ends.
  static std::shared_ptr<PassedTracer> Find(const std::string& id);

  struct Counts {
    uint64_t written = 0;
    uint64_t dropped = 0;
  };

  virtual ~PassedTracer() = default;
  // The indexes of the tracepoints' words in the FlagPage; a word is 0 while nobody records its
  // tracepoint.
  virtual const std::vector<uint32_t>& Words() const = 0;

  // The number of a kind of events, which readers must be told about once. All threads get the same
  // number for the same text; kNoKind if there are too many, and then nothing is known about it.
  static constexpr uint32_t kNoKind = 0xffffffff;
  virtual uint32_t KindOf(const std::string& text) = 0;
  virtual bool IsDescribed(uint32_t kind) = 0;

  // Writes one event, whose first 4 bytes are for the write index. `describes` is the kind
  // described in it, or kNoKind. kFileClosed: the tracer has ended; kNobodyListens: nobody records
  // it.
  virtual int Write(size_t tracepoint, uint8_t* data, size_t size, uint32_t describes) = 0;
  // Counts an event that could not be encoded.
  virtual void Drop() = 0;
  virtual Counts Count() const = 0;

  // Waits for writes by other threads, unregisters the tracepoints and closes the descriptor.
  virtual void End() = 0;
};

}  // namespace tracewright
