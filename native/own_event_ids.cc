// See own_event_ids.h.
#include "own_event_ids.h"

#include <mutex>
#include <unordered_map>

namespace tracewright {
namespace {

constexpr uint32_t kFirst = 0xfffd;
// Events that are known by what they are; of more, those that come again get another id.
constexpr size_t kMaxKnown = 4096;

struct Ids {
  std::mutex mutex;
  std::unordered_map<std::string, uint32_t> by_description;
  uint32_t next = kFirst;
};

Ids* const ids = new Ids;  // leaked on purpose: threads may outlive every destructor

}  // namespace

uint32_t OwnEventId(const std::string& description) {
  std::lock_guard<std::mutex> lock(ids->mutex);
  auto known = ids->by_description.find(description);
  if (known != ids->by_description.end()) return known->second;
  uint32_t id = ids->next;
  ids->next = id > 1 ? id - 1 : kFirst;
  if (ids->by_description.size() == kMaxKnown) ids->by_description.clear();
  ids->by_description.emplace(description, id);
  return id;
}

}  // namespace tracewright
