// See environment.h.
#include "environment.h"

#include <memory>
#include <utility>

#include "flag_page.h"

namespace tracewright {
namespace {

// Words of an environment that cannot map the process-wide page.
constexpr uint32_t kOwnWords = 4096;

}  // namespace

Environment::~Environment() {
  provider::RemoveCommandListener(this);
  if (command_function_) command_function_.Abort();
  for (uint32_t index = 0; index < slots_.size(); ++index) Release(index);
  if (opened_) provider::Close();
}

provider::OpenResult Environment::Open(const std::string& override_path,
                                       const std::string& recorder) {
  provider::OpenResult result = provider::Open(override_path, recorder);
  if (result.error != 0) return result;
  // One use per environment, however often it opens.
  if (opened_) provider::Close();
  opened_ = true;
  return result;
}

Napi::Value Environment::Words(Napi::Env env) {
  uint32_t* page = FlagPage::Words();
  if (page != nullptr) {
    napi_value buffer;
    napi_status status = napi_create_external_arraybuffer(
        env, page, FlagPage::kWords * sizeof(uint32_t), nullptr, nullptr, &buffer);
    if (status == napi_ok) {
      words_ = page;
      return Napi::Uint32Array::New(env, FlagPage::kWords, Napi::ArrayBuffer(env, buffer), 0);
    }
  }
  // V8 keeps a backing store in place as long as it is referenced, and it is still mapped when the
  // cleanup hook runs, so the kernel may write to it until then.
  Napi::Uint32Array own = Napi::Uint32Array::New(env, kOwnWords);
  own_words_ = Napi::Persistent(own);
  own_words_.SuppressDestruct();
  words_ = own.Data();
  return own;
}

uint32_t Environment::Allocate() {
  uint32_t index = FlagPage::kNone;
  if (own_words_.IsEmpty()) {
    index = FlagPage::Allocate();
  } else if (!released_own_words_.empty()) {
    index = released_own_words_.back();
    released_own_words_.pop_back();
    words_[index] = 0;
  } else if (next_own_word_ < kOwnWords) {
    index = next_own_word_++;
  }
  if (index == FlagPage::kNone) return index;
  if (index >= slots_.size()) slots_.resize(index + 1);
  slots_[index].allocated = true;
  return index;
}

void Environment::Release(uint32_t index) {
  if (index >= slots_.size() || !slots_[index].allocated) return;
  if (slots_[index].registration.word != nullptr) provider::Unregister(slots_[index].registration);
  slots_[index] = {};
  if (own_words_.IsEmpty()) {
    FlagPage::Release(index);
  } else {
    released_own_words_.push_back(index);
  }
}

int Environment::Register(uint32_t index, const std::string& definition, Napi::Uint8Array scratch) {
  if (words_ == nullptr || index >= slots_.size() || !slots_[index].allocated) {
    return provider::kNotRegistered;
  }
  KeepAlive(scratch);
  Slot& slot = slots_[index];
  slot.scratch = scratch.Data();
  slot.scratch_size = scratch.ByteLength();
  return provider::Register(words_ + index, definition, &slot.registration);
}

namespace {

Napi::Object CommandObject(Napi::Env env, const provider::Command& command) {
  Napi::Object object = Napi::Object::New(env);
  object["provider"] = Napi::Buffer<uint8_t>::Copy(env, command.provider, sizeof command.provider);
  object["code"] = Napi::Number::New(env, command.code);
  object["level"] = Napi::Number::New(env, command.level);
  object["anyKeyword"] = Napi::BigInt::New(env, command.any_keyword);
  object["allKeyword"] = Napi::BigInt::New(env, command.all_keyword);
  object["filter"] = Napi::Buffer<char>::Copy(env, command.filter.data(), command.filter.size());
  object["order"] = Napi::Number::New(env, static_cast<double>(command.order));
  return object;
}

void CallWithCommand(Napi::Env env, Napi::Function function, provider::Command* queued) {
  std::unique_ptr<provider::Command> command(queued);
  if (env == nullptr || function == nullptr) return;
  function.Call({CommandObject(env, *command)});
}

}  // namespace

Napi::Value Environment::LastCommand(Napi::Env env, const uint8_t* provider) {
  provider::Command command;
  if (!provider::LastCommand(provider, &command)) return env.Undefined();
  return CommandObject(env, command);
}

void Environment::OnCommand(Napi::Function function) {
  if (command_function_) return;
  command_function_ = Napi::ThreadSafeFunction::New(function.Env(), function, "tracewright", 0, 1);
  command_function_.Unref(function.Env());
  provider::AddCommandListener(this, [this](const provider::Command& command) {
    auto queued = std::make_unique<provider::Command>(command);
    if (command_function_.NonBlockingCall(queued.get(), CallWithCommand) == napi_ok)
      queued.release();
  });
}

void Environment::KeepAlive(Napi::Uint8Array scratch) {
  for (auto& known : scratches_) {
    if (known.Value().Data() == scratch.Data()) return;
  }
  scratches_.push_back(Napi::Persistent(scratch));
  // The environment is gone, or about to be, when this object is destroyed.
  scratches_.back().SuppressDestruct();
}

}  // namespace tracewright
