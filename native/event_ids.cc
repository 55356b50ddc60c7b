// See event_ids.h.
#include "event_ids.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace tracewright {
namespace {

struct Owner {
  std::string layout;
  uint32_t users;
};

// The ids known under one key.
class Space {
 public:
  bool IsEmpty() const { return owners_.empty(); }

  const std::string* LayoutOf(uint32_t id) const {
    auto found = owners_.find(id);
    return found == owners_.end() ? nullptr : &found->second.layout;
  }

  bool Allows(uint32_t id, const std::string& layout) const {
    const std::string* known = LayoutOf(id);
    return known == nullptr || *known == layout;
  }

  // The ids of the layout: usually one; several if definitions gave it explicit ones.
  std::vector<uint32_t> IdsOf(const std::string& layout) const {
    auto found = ids_.find(layout);
    return found == ids_.end() ? std::vector<uint32_t>() : found->second;
  }

  void Add(uint32_t id, const std::string& layout) {
    auto [owner, is_new] = owners_.try_emplace(id, Owner{layout, 0});
    ++owner->second.users;
    if (is_new) ids_[layout].push_back(id);
  }

  void Remove(uint32_t id) {
    auto owner = owners_.find(id);
    if (owner == owners_.end() || --owner->second.users > 0) return;
    auto known = ids_.find(owner->second.layout);
    auto& ids = known->second;
    ids.erase(std::find(ids.begin(), ids.end(), id));
    if (ids.empty()) ids_.erase(known);
    owners_.erase(owner);
  }

 private:
  std::unordered_map<uint32_t, Owner> owners_;
  std::unordered_map<std::string, std::vector<uint32_t>> ids_;
};

struct State {
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Space>> spaces;
};

State* const state = new State;  // leaked on purpose: threads may outlive every destructor

// The spaces of a provider, which share each of its ids. Requires the mutex.
class Provider {
 public:
  explicit Provider(const EventIds::Keys& keys) {
    for (const std::string& key : keys) {
      auto& space = state->spaces[key];
      if (space == nullptr) space = std::make_unique<Space>();
      spaces_.push_back(space.get());
    }
  }

  bool Allows(uint32_t id, const std::string& layout) const {
    return id != EventIds::kNone &&
           std::all_of(spaces_.begin(), spaces_.end(), [&](const Space* space) {
             return space->Allows(id, layout);
           });
  }

  uint32_t Known(const std::string& layout) const {
    for (const Space* space : spaces_) {
      for (uint32_t id : space->IdsOf(layout)) {
        if (Allows(id, layout)) return id;
      }
    }
    return EventIds::kNone;
  }

  uint32_t NearestFree(uint32_t next, bool downwards, const std::string& layout) const {
    uint32_t id = std::clamp<uint32_t>(next, 1, EventIds::kLast);
    for (uint32_t tried = 0; tried < EventIds::kLast; ++tried) {
      if (Allows(id, layout)) return id;
      if (downwards) {
        id = id == 1 ? EventIds::kLast : id - 1;
      } else {
        id = id == EventIds::kLast ? 1 : id + 1;
      }
    }
    return EventIds::kNone;
  }

  const std::string* OtherLayoutOf(uint32_t id, const std::string& layout) const {
    for (const Space* space : spaces_) {
      if (!space->Allows(id, layout)) return space->LayoutOf(id);
    }
    return nullptr;
  }

  void Add(uint32_t id, const std::string& layout) {
    for (Space* space : spaces_) space->Add(id, layout);
  }

  void Remove(uint32_t id) {
    for (Space* space : spaces_) space->Remove(id);
  }

 private:
  std::vector<Space*> spaces_;
};

void ForgetEmpty(const EventIds::Keys& keys) {
  for (const std::string& key : keys) {
    auto space = state->spaces.find(key);
    if (space != state->spaces.end() && space->second->IsEmpty()) state->spaces.erase(space);
  }
}

}  // namespace

bool EventIds::Claim(const Keys& keys, const std::string& layout, uint32_t id, std::string* owner) {
  std::lock_guard<std::mutex> lock(state->mutex);
  Provider provider(keys);
  bool is_allowed = provider.Allows(id, layout);
  if (is_allowed) {
    provider.Add(id, layout);
  } else {
    const std::string* other = provider.OtherLayoutOf(id, layout);
    *owner = other == nullptr ? "" : *other;
    ForgetEmpty(keys);
  }
  return is_allowed;
}

uint32_t EventIds::Take(const Keys& keys, const std::string& layout, uint32_t wanted, uint32_t next,
                        bool downwards) {
  std::lock_guard<std::mutex> lock(state->mutex);
  Provider provider(keys);
  uint32_t id = provider.Known(layout);
  if (id == kNone && provider.Allows(wanted, layout)) id = wanted;
  if (id == kNone) id = provider.NearestFree(next, downwards, layout);
  if (id != kNone) provider.Add(id, layout);
  return id;
}

void EventIds::Release(const Keys& keys, uint32_t id) {
  std::lock_guard<std::mutex> lock(state->mutex);
  Provider(keys).Remove(id);
  ForgetEmpty(keys);
}

}  // namespace tracewright
