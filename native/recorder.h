// What every platform but Windows offers for recording the whole system's events into a file: one
// ring buffer a processor, and a thread that moves what arrives there into the file. What is
// recorded and how the file is laid out is JavaScript's business, which gives attributes and takes
// counts. Windows records by itself: see windows/recorder.h.
//
// No function throws; failures are the system's error numbers, or provider::kUnsupported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tracewright {

struct RecorderOptions {
  std::string attr;            // perf_event_attr of the event that brings the side-band records
  std::vector<uint32_t> cpus;  // the processors to record
  size_t ring_size = 0;        // of each processor, in bytes: a power of two of pages
  size_t sample_time_at = 0;   // where in a sample, from its head on, its time stands
  std::vector<uint8_t> mark;   // behind each pass that brought something, and the next pass
};

struct RecorderCounts {
  uint64_t events = 0;        // samples in the file
  uint64_t bytes = 0;         // appended to the file
  uint64_t lost = 0;          // that found no room in a ring; complete once the recording is done
  uint64_t lost_in_file = 0;  // of these, the ones that records in the file tell of
  uint64_t first_time = 0;    // of all samples; 0: none
  uint64_t last_time = 0;
  int error = 0;      // why the file could not be written on, which has ended the recording
  bool done = false;  // all that was recorded is in the file
};

class Recorder {
 public:
  struct Opened {
    int error = 0;
    const char* step = "";  // the system call that failed
    std::unique_ptr<Recorder> recorder;
    std::vector<uint64_t> ids;  // of the side-band event, one a processor
  };
  static Opened Open(RecorderOptions options);

  // Ends the recording, and waits until it has ended.
  virtual ~Recorder() = default;

  // Starts the thread, which appends to the file, or to a pipe: whoever reads that slowly has the
  // rings fill up, and the recording's end is its end.
  virtual int Start(int file) = 0;
  // Opens an event; `ids` gets one id a processor. It is recorded from Enable on, so that what
  // readers have to know of it can be appended before. The next Add drops one that is not enabled.
  virtual int Add(const std::string& attr, std::vector<uint64_t>* ids) = 0;
  virtual int Enable() = 0;
  // Appends records of the caller's to the file, between those of the kernel; not to a pipe, which
  // the caller may have to empty first. `position` is where they stand.
  virtual int Append(const std::vector<uint8_t>& records, uint64_t* position) = 0;
  // Asks the thread to record no more, and to write what is still in the rings.
  virtual void Stop() = 0;
  virtual RecorderCounts Counts() const = 0;
};

// A pipe, for a recording that is read while it runs. Both ends are the caller's to close.
struct Pipe {
  int error = 0;
  int read_end = -1;
  int write_end = -1;
};
Pipe OpenPipe();

// One moment, as the wall clock and as the clock of the samples tell it, in nanoseconds.
struct ClockPair {
  uint64_t wall = 0;
  uint64_t monotonic = 0;
};
ClockPair ReadClocks();

// Tells the recorder that listens at this socket of a new tracepoint, and waits until it answers
// that it has seen to it. ETIMEDOUT: it did not in that time.
int AwaitRecorder(const std::string& address, const std::string& tracepoint, int milliseconds);

}  // namespace tracewright
