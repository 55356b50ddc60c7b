// Events as ETW passes them to a consumer, written as records of an .etl file, and the header of
// the buffer that holds them. Sources: evntcons.h, and for the layout on disk lib/wire/etl.
#pragma once

#include <windows.h>
//
#include <wmistr.h>
//
#include <evntrace.h>
//
#include <evntcons.h>

#include <cstddef>
#include <cstdint>

namespace tracewright::etw {

// WMI_BUFFER_HEADER.
constexpr size_t kBufferHeaderSize = 0x48;

// The size of the event's record, without what pads it to a multiple of 8.
size_t RecordSize(const EVENT_RECORD& event);

// Writes the record. Its size must fit 16 bits.
void WriteRecord(const EVENT_RECORD& event, uint8_t* to);

// Writes the header of a buffer of `size` bytes, which are all used.
void WriteBufferHeader(size_t size, uint16_t processor, uint8_t* to);

constexpr size_t RoundedTo8(size_t size) { return (size + 7) & ~size_t{7}; }

}  // namespace tracewright::etw
