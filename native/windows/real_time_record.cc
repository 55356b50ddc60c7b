// See real_time_record.h.
#include "windows/real_time_record.h"

#include <cstring>

namespace tracewright::etw {
namespace {

// The structures are evntcons.h's and evntrace.h's, for 64-bit programs.
#ifdef _WIN64
static_assert(sizeof(EVENT_HEADER) == 80);
static_assert(sizeof(EVENT_HEADER_EXTENDED_DATA_ITEM) == 16);
static_assert(sizeof(EVENT_RECORD) == 112);
static_assert(offsetof(EVENT_RECORD, BufferContext) == 80);
static_assert(offsetof(EVENT_RECORD, ExtendedDataCount) == 84);
static_assert(offsetof(EVENT_RECORD, UserDataLength) == 86);
static_assert(offsetof(EVENT_RECORD, ExtendedData) == 88);
static_assert(offsetof(EVENT_RECORD, UserData) == 96);
static_assert(offsetof(EVENT_RECORD, UserContext) == 104);
static_assert(sizeof(TRACE_LOGFILE_HEADER) == 280);
static_assert(sizeof(EVENT_TRACE_LOGFILEW) == 448);
#endif

// The third byte of a record, by the pointer size of the program that wrote it; the fourth byte
// tells messages from all others.
constexpr uint8_t kEvent[] = {0x12, 0x13};
constexpr uint8_t kClassic[] = {0x0a, 0x14};
constexpr uint8_t kRecordMark = 0xc0;
constexpr uint16_t kMessageMarker = 0x9000;

// EVENT_TRACE_HEADER, and the part of a message before its arguments.
constexpr size_t kClassicSize = 0x30;
constexpr size_t kMessageSize = 0x28;
// TRACE_MESSAGE_GUID, _TIMESTAMP, _SYSTEMINFO, and the sizes of pointers.
constexpr uint16_t kMessageOptions = 2 | 8 | 0x20;
constexpr uint16_t kMessagePointers[] = {0x40, 0x80};

// The head of an extended item.
struct ItemHead {
  uint16_t size;
  uint16_t type;
  uint16_t linkage;
  uint16_t data_size;
};

constexpr uint16_t kProcessorIndex = 0x20;
constexpr uint16_t kFlushed = 3;

template <typename Value>
uint8_t* Put(uint8_t* to, const Value& value) {
  memcpy(to, &value, sizeof value);
  return to + sizeof value;
}

uint8_t* PutBytes(uint8_t* to, const void* bytes, size_t size) {
  if (size > 0) memcpy(to, bytes, size);
  return to + size;
}

size_t ItemSize(const EVENT_HEADER_EXTENDED_DATA_ITEM& item) {
  return sizeof(ItemHead) + RoundedTo8(item.DataSize);
}

bool Has(const EVENT_RECORD& event, USHORT flag) { return (event.EventHeader.Flags & flag) != 0; }

// An index: 0 for a 32-bit program, 1 for a 64-bit one.
int PointersOf(const EVENT_RECORD& event) {
  return Has(event, EVENT_HEADER_FLAG_32_BIT_HEADER) ? 0 : 1;
}

uint8_t* PutMarker(uint8_t* to, const EVENT_RECORD& event, const uint8_t (&types)[2]) {
  to = Put(to, static_cast<uint16_t>(RecordSize(event)));
  to = Put(to, types[PointersOf(event)]);
  return Put(to, kRecordMark);
}

uint8_t* PutEvent(const EVENT_RECORD& event, uint8_t* to) {
  constexpr USHORT kExtended = EVENT_HEADER_FLAG_EXTENDED_INFO;
  EVENT_HEADER header = event.EventHeader;
  USHORT count = event.ExtendedDataCount;
  header.Flags =
      static_cast<USHORT>(count > 0 ? header.Flags | kExtended : header.Flags & ~kExtended);
  uint8_t* start = to;
  to = Put(to, header);
  PutMarker(start, event, kEvent);
  for (USHORT i = 0; i < count; ++i) {
    const EVENT_HEADER_EXTENDED_DATA_ITEM& item = event.ExtendedData[i];
    size_t size = ItemSize(item);
    ItemHead head = {static_cast<uint16_t>(size),
                     item.ExtType,
                     static_cast<uint16_t>(i + 1 < count ? 1 : 0),
                     item.DataSize};
    uint8_t* data = Put(to, head);
    uint8_t* end = PutBytes(data, reinterpret_cast<const void*>(item.DataPtr), item.DataSize);
    memset(end, 0, to + size - end);
    to += size;
  }
  return to;
}

uint8_t* PutClassic(const EVENT_RECORD& event, uint8_t* to) {
  const EVENT_HEADER& header = event.EventHeader;
  to = PutMarker(to, event, kClassic);
  to = Put(to, header.EventDescriptor.Opcode);
  to = Put(to, header.EventDescriptor.Level);
  to = Put(to, static_cast<uint16_t>(header.EventDescriptor.Version));
  to = Put(to, header.ThreadId);
  to = Put(to, header.ProcessId);
  to = Put(to, header.TimeStamp);
  to = Put(to, header.ProviderId);
  return Put(to, header.ProcessorTime);
}

uint8_t* PutMessage(const EVENT_RECORD& event, uint8_t* to) {
  const EVENT_HEADER& header = event.EventHeader;
  to = Put(to, static_cast<uint16_t>(RecordSize(event)));
  to = Put(to, kMessageMarker);
  to = Put(to, header.EventDescriptor.Id);
  to = Put(to, static_cast<uint16_t>(kMessageOptions | kMessagePointers[PointersOf(event)]));
  to = Put(to, header.ProviderId);
  to = Put(to, header.TimeStamp);
  to = Put(to, header.ThreadId);
  return Put(to, header.ProcessId);
}

}  // namespace

size_t RecordSize(const EVENT_RECORD& event) {
  if (Has(event, EVENT_HEADER_FLAG_TRACE_MESSAGE)) return kMessageSize + event.UserDataLength;
  if (Has(event, EVENT_HEADER_FLAG_CLASSIC_HEADER)) return kClassicSize + event.UserDataLength;
  size_t size = sizeof(EVENT_HEADER) + event.UserDataLength;
  for (USHORT i = 0; i < event.ExtendedDataCount; ++i) size += ItemSize(event.ExtendedData[i]);
  return size;
}

void WriteRecord(const EVENT_RECORD& event, uint8_t* to) {
  to = Has(event, EVENT_HEADER_FLAG_TRACE_MESSAGE)    ? PutMessage(event, to)
       : Has(event, EVENT_HEADER_FLAG_CLASSIC_HEADER) ? PutClassic(event, to)
                                                      : PutEvent(event, to);
  PutBytes(to, event.UserData, event.UserDataLength);
}

void WriteBufferHeader(size_t size, uint16_t processor, uint8_t* to) {
  memset(to, 0, kBufferHeaderSize);
  auto size32 = static_cast<uint32_t>(size);
  Put(to, size32);
  Put(to + 0x04, size32);
  Put(to + 0x08, size32);
  Put(to + 0x28, processor);
  Put(to + 0x2c, uint32_t{kFlushed});
  Put(to + 0x30, size32);
  Put(to + 0x34, kProcessorIndex);
}

}  // namespace tracewright::etw
