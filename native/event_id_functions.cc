// See event_id_functions.h.
#include "event_id_functions.h"

#include <map>
#include <string>
#include <utility>

#include "event_ids.h"

namespace tracewright {
namespace {

// What one environment uses, so that an exiting thread leaves nothing behind.
class UsedIds {
 public:
  UsedIds() = default;
  UsedIds(const UsedIds&) = delete;
  UsedIds& operator=(const UsedIds&) = delete;
  ~UsedIds() {
    for (const auto& [used, count] : counts_) {
      for (uint32_t each = 0; each < count; ++each) EventIds::Release(used.first, used.second);
    }
  }

  void Add(const EventIds::Keys& keys, uint32_t id) { ++counts_[{keys, id}]; }

  void Release(const EventIds::Keys& keys, uint32_t id) {
    auto found = counts_.find({keys, id});
    if (found == counts_.end()) return;
    if (--found->second == 0) counts_.erase(found);
    EventIds::Release(keys, id);
  }

 private:
  std::map<std::pair<EventIds::Keys, uint32_t>, uint32_t> counts_;
};

UsedIds& From(const Napi::CallbackInfo& info) { return *static_cast<UsedIds*>(info.Data()); }

EventIds::Keys Keys(const Napi::Value& value) {
  EventIds::Keys keys;
  if (!value.IsArray()) return keys;
  auto array = value.As<Napi::Array>();
  for (uint32_t index = 0; index < array.Length(); ++index) {
    keys.push_back(array.Get(index).ToString().Utf8Value());
  }
  return keys;
}

uint32_t Uint32(const Napi::Value& value) {
  uint32_t result = EventIds::kNone;
  napi_get_value_uint32(value.Env(), value, &result);
  return result;
}

// claimEventId(keys: string[], layout, id) -> undefined, or the layout that has the id
Napi::Value Claim(const Napi::CallbackInfo& info) {
  EventIds::Keys keys = Keys(info[0]);
  uint32_t id = Uint32(info[2]);
  std::string owner;
  if (!EventIds::Claim(keys, info[1].ToString().Utf8Value(), id, &owner)) {
    return Napi::String::New(info.Env(), owner);
  }
  From(info).Add(keys, id);
  return info.Env().Undefined();
}

// takeEventId(keys: string[], layout, wanted, next, downwards) -> id, or 0
Napi::Value Take(const Napi::CallbackInfo& info) {
  EventIds::Keys keys = Keys(info[0]);
  uint32_t id = EventIds::Take(keys,
                               info[1].ToString().Utf8Value(),
                               Uint32(info[2]),
                               Uint32(info[3]),
                               info[4].ToBoolean().Value());
  if (id != EventIds::kNone) From(info).Add(keys, id);
  return Napi::Number::New(info.Env(), id);
}

// releaseEventId(keys: string[], id)
void Release(const Napi::CallbackInfo& info) { From(info).Release(Keys(info[0]), Uint32(info[1])); }

}  // namespace

void AddEventIdFunctions(Napi::Env env, Napi::Object exports) {
  auto* used = new UsedIds;
  // No JavaScript runs after the hook, so nothing is left that could use the pointer.
  env.AddCleanupHook([](UsedIds* gone) { delete gone; }, used);
  exports["claimEventId"] = Napi::Function::New<Claim>(env, "claimEventId", used);
  exports["takeEventId"] = Napi::Function::New<Take>(env, "takeEventId", used);
  exports["releaseEventId"] = Napi::Function::New<Release>(env, "releaseEventId", used);
}

}  // namespace tracewright
