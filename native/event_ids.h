// Which event of a provider has which id, for the whole process: readers of traces tell a
// provider's events apart by their ids, whichever thread has written them. One id has one layout
// for as long as anybody uses it; all threads that have the same event have the same id.
//
// A provider is known by keys: more than one where formats do not know it by the same. An id that
// it takes is free, or has the same layout, under all of them. Layouts are texts, compared and no
// more.
//
// All functions may be called from any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tracewright {

class EventIds {
 public:
  using Keys = std::vector<std::string>;

  static constexpr uint32_t kNone = 0;
  // Ids above are those of events that describe the provider itself.
  static constexpr uint32_t kLast = 0xfffd;

  // One more user of the id for the layout. Returns false, and sets `owner` to the other layout,
  // where the id has one already.
  static bool Claim(const Keys& keys, const std::string& layout, uint32_t id, std::string* owner);

  // One more user of an id for the layout: the one that it has, else `wanted`, else the nearest
  // free one from `next` on, upwards or downwards; kNone when all are in use.
  static uint32_t Take(const Keys& keys, const std::string& layout, uint32_t wanted, uint32_t next,
                       bool downwards);

  // One user less. An id without users is free again.
  static void Release(const Keys& keys, uint32_t id);
};

}  // namespace tracewright
