// A way into the kernel's tracer that somebody else opened: a descriptor of user_events_data,
// passed to this process by a program that may open the file where the process itself may not. It
// brings a few tracepoints of its own, and is used by all threads of the process, from Start to
// End.
//
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
    size_t failed_at = 0;  // the definition that was refused; their number: it was none of them
    std::shared_ptr<PassedTracer> tracer;
  };
  // Registers the tracepoints, whose definitions are texts of DIAG_IOCSREG's name_args. The
  // descriptor is closed at the end, or when this fails. `id` is for other threads, see Find.
  static Started Start(const std::string& id, int descriptor,
                       const std::vector<std::string>& definitions);
  // The one that was started under this id, until it ends.
  static std::shared_ptr<PassedTracer> Find(const std::string& id);

  struct Counts {
    uint64_t written = 0;
    uint64_t dropped = 0;
  };

  virtual ~PassedTracer() = default;
  // Where in the FlagPage the tracepoints' words are: 0 while nobody records the tracepoint.
  virtual const std::vector<uint32_t>& Words() const = 0;

  // The number of a kind of events, of which readers are to be told once. All threads get the same
  // one for the same text; kNoKind when there are too many, and then nothing is known of it.
  static constexpr uint32_t kNoKind = 0xffffffff;
  virtual uint32_t KindOf(const std::string& text) = 0;
  virtual bool IsDescribed(uint32_t kind) = 0;

  // Writes one event, whose first 4 bytes are for the write index. `describes`: the kind whose
  // description is in it, or kNoKind. kFileClosed: it is over; kNobodyListens: nobody records it.
  virtual int Write(size_t tracepoint, uint8_t* data, size_t size, uint32_t describes) = 0;
  // Counts an event that could not be encoded.
  virtual void Drop() = 0;
  virtual Counts Count() const = 0;

  // Waits for the writes of other threads, unregisters the tracepoints and closes the descriptor.
  virtual void End() = 0;
};

}  // namespace tracewright
