// The ids of each provider's events, for the whole process: readers of traces distinguish a
// provider's events by id, whichever thread wrote them. One id has one layout as long as anybody
// uses it; all threads with the same event use the same id.
// A provider is identified by keys: several if formats identify it differently. An id that it takes
// is free, or has the same layout, under all of them. Layouts are strings that are only compared.
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
  // Higher ids belong to events that describe the provider itself.
  static constexpr uint32_t kLast = 0xfffd;

  // Adds a user of the id for the layout. Returns false and sets `owner` to the other layout if the
  // id already has one.
  static bool Claim(const Keys& keys, const std::string& layout, uint32_t id, std::string* owner);

  // Adds a user of an id for the layout: the one it already has, otherwise `wanted`, otherwise the
  // nearest free one from `next` on, upwards or downwards; kNone if all are in use.
  static uint32_t Take(const Keys& keys, const std::string& layout, uint32_t wanted, uint32_t next,
                       bool downwards);

  // Removes a user. An id without users is free again.
  static void Release(const Keys& keys, uint32_t id);
};

}  // namespace tracewright
