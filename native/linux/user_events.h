// The kernel's user_events, as offered by a descriptor of its user_events_data: registering and
// writing.
//
// Source of the numbers: the kernel's include/uapi/linux/user_events.h, 6.12; tested on 6.12 and
// 7.3.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tracewright::linux_user_events {

// Binds a bit of the word to a tracepoint: it is 1 while somebody records the tracepoint. Must be
// called by the registrar. `definition` is the text of DIAG_IOCSREG's name_args; `write_index` is
// for writes through this open file. Returns 0, or an errno.
int RegisterWord(int fd, uint32_t* word, uint8_t bit, const char* definition,
                 uint32_t* write_index);
void UnregisterWord(int fd, uint32_t* word, uint8_t bit);

// Writes one event. Its first 4 bytes receive the write index, the rest is its payload. Returns 0,
// an errno, provider::kFileClosed or provider::kNobodyListens.
int WriteEvent(int fd, uint32_t write_index, uint8_t* data, size_t size);

}  // namespace tracewright::linux_user_events
