// The interface for recording the whole system's events into a file, on every platform but Windows:
// one ring buffer per processor, and a thread that moves what arrives there into the file.
// JavaScript decides what is recorded and how the file is laid out: it provides attributes and
// receives counts. Windows records by itself: see windows/recorder.h.
// No function throws; failures are the system's error numbers, or provider::kUnsupported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tracewright {

struct RecorderOptions {
  std::string attr;            // perf_event_attr of the event with the side-band records
  int task = -1;               // whose: a thread, 0 for the calling one, or -1 for all
  std::vector<uint32_t> cpus;  // the processors to record
  size_t ring_size = 0;        // per processor, in bytes: a power of two of pages
  size_t sample_time_at = 0;   // the offset of the time in a sample
  std::vector<uint8_t> mark;   // written after each pass with records, and after the next pass
  // For a flight recorder, which keeps the latest events in memory: the attributes of an event that
  // owns a ring to be overwritten, and its size. Events with write_backward go there; the others
  // are kept in memory as well, up to `side_size`.
  std::string backward_attr;
  size_t backward_size = 0;
  size_t side_size = 0;
};

struct RecorderCounts {
  uint64_t events = 0;        // samples of tracepoints in the file
  uint64_t cpu_samples = 0;   // samples of other events in the file
  uint64_t bytes = 0;         // appended to the file
  uint64_t lost = 0;          // had no room in a ring; complete once the recording is done
  uint64_t lost_in_file = 0;  // of these, the ones reported by records in the file
  uint64_t first_time = 0;    // of all samples; 0 if none
  uint64_t last_time = 0;
  int error = 0;      // why the file could no longer be written, which ended the recording
  bool done = false;  // everything recorded is in the file
};

class Recorder {
 public:
  struct Opened {
    int error = 0;
    const char* step = "";  // the system call that failed
    std::unique_ptr<Recorder> recorder;
    std::vector<uint64_t> ids;  // of the side-band event, one per processor
  };
  static Opened Open(RecorderOptions options);

  // Ends the recording, and waits for that.
  virtual ~Recorder() = default;

  // Starts the thread, which appends to the file or pipe. If a pipe is read slowly, the rings fill
  // up; if it is closed, the recording ends. A flight recorder takes no file (-1).
  virtual int Start(int file) = 0;
  // Opens an event of these threads, or of all if there are none; `ids` gets one id per processor
  // and thread. It is recorded from Enable on, so that what readers need to know about it can be
  // appended before; with enable_on_exec in its attributes, only in children of the threads, once
  // they execute a program. The next Add drops one that is not enabled.
  virtual int Add(const std::string& attr, const std::vector<int>& tasks,
                  std::vector<uint64_t>* ids) = 0;
  virtual int Enable() = 0;
  // Appends the caller's records to the file, between those of the kernel; not to a pipe, which the
  // caller may have to empty first. `position` is their position.
  virtual int Append(const std::vector<uint8_t>& records, uint64_t* position) = 0;
  // Appends what a flight recorder has to this file, in the order of time, and counts it.
  virtual int Dump(int file, RecorderCounts* counts) = 0;
  // Tells the thread to stop recording, and to write what is still in the rings.
  virtual void Stop() = 0;
  virtual RecorderCounts Counts() const = 0;
};

// A pipe, for a recording that is read while it runs. The caller closes both ends.
struct Pipe {
  int error = 0;
  int read_end = -1;
  int write_end = -1;
};
Pipe OpenPipe();

// One moment on the wall clock and on the clock of the samples, in nanoseconds.
struct ClockPair {
  uint64_t wall = 0;
  uint64_t monotonic = 0;
};
ClockPair ReadClocks();

// Tells the recorder listening at this socket about a new tracepoint, and waits until it confirms.
// ETIMEDOUT if it does not in time.
int AwaitRecorder(const std::string& address, const std::string& tracepoint, int milliseconds);

}  // namespace tracewright
