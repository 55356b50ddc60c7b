// Consuming an ETW session in real time. A thread receives the events and turns each into a record
// as in an .etl file, in buffers of one processor each, so that what reads such files reads these.
// The buffers wait in memory, up to a limit, until they are taken; events beyond it are counted.
//
// Results are Win32 errors; 0 means success.
#pragma once

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>
//
#include <evntcons.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tracewright::etw {

// The buffers that wait. The thread adds to them while another takes them.
class RealTimeQueue {
 public:
  struct Buffer {
    uint16_t processor;
    size_t size;  // so far, with the header
    size_t capacity;
    std::unique_ptr<uint8_t[]> bytes;
  };
  struct Taken {
    std::vector<Buffer> buffers;  // complete, with their headers
    uint64_t events = 0;          // this and the rest: so far
    uint64_t dropped = 0;         // had no room
    int64_t newest = 0;           // the time of the latest event
    bool ended = false;           // nothing follows
    ULONG error = 0;              // why it has ended, unless the session has
  };

  // `limit`: of the memory, in bytes.
  explicit RealTimeQueue(size_t limit) : limit_(limit) {}

  void Add(const EVENT_RECORD& record) noexcept;
  void End(ULONG error) noexcept;
  Taken Take();
  // Takes no more events.
  void Stop() noexcept;
  bool is_stopping() const noexcept;

 private:
  // A buffer of the processor with room for a record, or null.
  Buffer* RoomFor(uint16_t processor, size_t size) noexcept;

  const size_t limit_;
  mutable std::mutex mutex_;
  std::vector<Buffer> full_;
  std::map<uint16_t, Buffer> open_;  // by processor
  size_t memory_ = 0;
  bool is_stopping_ = false;
  Taken counts_;
};

class RealTimeConsumer {
 public:
  struct Opened {
    ULONG error = 0;
    // TRACE_LOGFILE_HEADER as Windows has it in memory: what is known about the session.
    std::vector<uint8_t> header;
    int64_t now = 0;  // FILETIME
    std::unique_ptr<RealTimeConsumer> consumer;
  };
  // Consumes the session of this name, whoever started it.
  static Opened Open(const std::wstring& name, size_t limit);

  RealTimeConsumer(const RealTimeConsumer&) = delete;
  RealTimeConsumer& operator=(const RealTimeConsumer&) = delete;
  // Ends the thread, and waits for it, although not for ever.
  ~RealTimeConsumer();

  RealTimeQueue::Taken Take() { return queue_->Take(); }

 private:
  explicit RealTimeConsumer(size_t limit) : queue_(std::make_shared<RealTimeQueue>(limit)) {}
  bool StartThread();

  // The thread may outlive the consumer.
  std::shared_ptr<RealTimeQueue> queue_;
  TRACEHANDLE trace_ = INVALID_PROCESSTRACE_HANDLE;
  HANDLE thread_ = nullptr;
};

}  // namespace tracewright::etw
