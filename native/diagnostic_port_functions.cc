// See diagnostic_port_functions.h. Results are those of unix_socket.h.
#include "diagnostic_port_functions.h"

#include <cerrno>
#include <string>

#include "descriptor_watches.h"
#include "linux/executable_mapping.h"
#include "linux/port_watch.h"
#include "linux/process_context.h"
#include "linux/unix_socket.h"

namespace tracewright {
namespace {

Napi::Value Number(const Napi::CallbackInfo& info, ptrdiff_t value) {
  return Napi::Number::New(info.Env(), static_cast<double>(value));
}

int Descriptor(const Napi::Value& value) {
  int32_t result = -1;
  napi_get_value_int32(value.Env(), value, &result);
  return result;
}

// A Uint8Array from an offset on.
struct Bytes {
  Bytes(const Napi::Value& array, const Napi::Value& offset) {
    if (!array.IsTypedArray()) return;
    auto bytes = array.As<Napi::Uint8Array>();
    uint32_t start = UINT32_MAX;
    napi_get_value_uint32(offset.Env(), offset, &start);
    if (start > bytes.ByteLength()) return;
    data = bytes.Data() + start;
    size = bytes.ByteLength() - start;
  }

  uint8_t* data = nullptr;
  size_t size = 0;
};

// socketListen(path: string) -> descriptor
Napi::Value Listen(const Napi::CallbackInfo& info) {
  return Number(info, unix_socket::Listen(info[0].ToString().Utf8Value()));
}

// socketConnect(path: string) -> descriptor
Napi::Value Connect(const Napi::CallbackInfo& info) {
  return Number(info, unix_socket::Connect(info[0].ToString().Utf8Value()));
}

// socketAccept(listener) -> descriptor
Napi::Value Accept(const Napi::CallbackInfo& info) {
  int accepted = unix_socket::Accept(Descriptor(info[0]));
  if (accepted >= 0) PortWatch::CountAccepted();
  return Number(info, accepted);
}

// socketDuplicate(descriptor) -> descriptor
Napi::Value Duplicate(const Napi::CallbackInfo& info) {
  return Number(info, unix_socket::Duplicate(Descriptor(info[0])));
}

// socketListeningProcess(descriptor) -> process id
Napi::Value ListeningProcess(const Napi::CallbackInfo& info) {
  return Number(info, unix_socket::ListeningProcess(Descriptor(info[0])));
}

// socketConnectedUser(descriptor) -> user id
Napi::Value ConnectedUser(const Napi::CallbackInfo& info) {
  return Number(info, unix_socket::ConnectedUser(Descriptor(info[0])));
}

// socketReceive(descriptor, bytes: Uint8Array, offset) -> number of bytes stored there; 0: the end
Napi::Value Receive(const Napi::CallbackInfo& info) {
  Bytes bytes(info[1], info[2]);
  if (bytes.size == 0) return Number(info, -EINVAL);
  return Number(info, unix_socket::Receive(Descriptor(info[0]), bytes.data, bytes.size));
}

// socketSend(descriptor, bytes: Uint8Array, offset) -> number of bytes taken from there
Napi::Value Send(const Napi::CallbackInfo& info) {
  Bytes bytes(info[1], info[2]);
  if (bytes.size == 0) return Number(info, -EINVAL);
  return Number(info, unix_socket::Send(Descriptor(info[0]), bytes.data, bytes.size));
}

// socketReceiveDescriptor(descriptor) -> { size, descriptor }: the byte, and the descriptor sent
// with it or -1
Napi::Value ReceiveDescriptor(const Napi::CallbackInfo& info) {
  int received = -1;
  ptrdiff_t size = unix_socket::ReceiveDescriptor(Descriptor(info[0]), &received);
  Napi::Object result = Napi::Object::New(info.Env());
  result["size"] = Number(info, size);
  result["descriptor"] = Number(info, received);
  return result;
}

// socketSendDescriptor(descriptor, sent) -> 1
Napi::Value SendDescriptor(const Napi::CallbackInfo& info) {
  return Number(info, unix_socket::SendDescriptor(Descriptor(info[0]), Descriptor(info[1])));
}

// socketEndSending(descriptor) -> 0
Napi::Value EndSending(const Napi::CallbackInfo& info) {
  return Number(info, unix_socket::EndSending(Descriptor(info[0])));
}

// socketAwaitSendable(descriptor, milliseconds) -> 0
Napi::Value AwaitSendable(const Napi::CallbackInfo& info) {
  return Number(info, unix_socket::AwaitSendable(Descriptor(info[0]), Descriptor(info[1])));
}

// watchDescriptor(descriptor, events, function) -> 0: see DescriptorWatches
Napi::Value Watch(const Napi::CallbackInfo& info) {
  if (!info[2].IsFunction()) return Number(info, -EINVAL);
  auto* watches = static_cast<DescriptorWatches*>(info.Data());
  return Number(
      info, watches->Watch(Descriptor(info[0]), Descriptor(info[1]), info[2].As<Napi::Function>()));
}

// unwatchDescriptor(descriptor)
void Unwatch(const Napi::CallbackInfo& info) {
  static_cast<DescriptorWatches*>(info.Data())->Unwatch(Descriptor(info[0]));
}

// watchWaiting(listener, milliseconds, function) -> 0: see PortWatch
Napi::Value WatchWaiting(const Napi::CallbackInfo& info) {
  if (!info[2].IsFunction()) return Number(info, -EINVAL);
  return Number(
      info,
      PortWatch::Start(
          info.Env(), Descriptor(info[0]), Descriptor(info[1]), info[2].As<Napi::Function>()));
}

// unwatchWaiting(listener)
void UnwatchWaiting(const Napi::CallbackInfo& info) { PortWatch::Stop(Descriptor(info[0])); }

// mapLikeDotNet() -> 0
Napi::Value Map(const Napi::CallbackInfo& info) { return Number(info, MapLikeDotNet()); }

// setProcessContext(payload: Uint8Array) -> 0: see SetProcessContext
Napi::Value SetContext(const Napi::CallbackInfo& info) {
  if (!info[0].IsTypedArray()) return Number(info, -EINVAL);
  auto bytes = info[0].As<Napi::Uint8Array>();
  return Number(info,
                SetProcessContext(
                    std::string(reinterpret_cast<const char*>(bytes.Data()), bytes.ByteLength())));
}

}  // namespace

void AddDiagnosticPortFunctions(Napi::Env env, Napi::Object exports) {
  DescriptorWatches* watches = DescriptorWatches::Create(env);
  exports["socketListen"] = Napi::Function::New<Listen>(env, "socketListen");
  exports["socketConnect"] = Napi::Function::New<Connect>(env, "socketConnect");
  exports["socketAccept"] = Napi::Function::New<Accept>(env, "socketAccept");
  exports["socketDuplicate"] = Napi::Function::New<Duplicate>(env, "socketDuplicate");
  exports["socketListeningProcess"] =
      Napi::Function::New<ListeningProcess>(env, "socketListeningProcess");
  exports["socketConnectedUser"] = Napi::Function::New<ConnectedUser>(env, "socketConnectedUser");
  exports["socketReceive"] = Napi::Function::New<Receive>(env, "socketReceive");
  exports["socketSend"] = Napi::Function::New<Send>(env, "socketSend");
  exports["socketReceiveDescriptor"] =
      Napi::Function::New<ReceiveDescriptor>(env, "socketReceiveDescriptor");
  exports["socketSendDescriptor"] =
      Napi::Function::New<SendDescriptor>(env, "socketSendDescriptor");
  exports["socketEndSending"] = Napi::Function::New<EndSending>(env, "socketEndSending");
  exports["socketAwaitSendable"] = Napi::Function::New<AwaitSendable>(env, "socketAwaitSendable");
  exports["watchDescriptor"] = Napi::Function::New<Watch>(env, "watchDescriptor", watches);
  exports["unwatchDescriptor"] = Napi::Function::New<Unwatch>(env, "unwatchDescriptor", watches);
  exports["watchWaiting"] = Napi::Function::New<WatchWaiting>(env, "watchWaiting");
  exports["unwatchWaiting"] = Napi::Function::New<UnwatchWaiting>(env, "unwatchWaiting");
  exports["mapLikeDotNet"] = Napi::Function::New<Map>(env, "mapLikeDotNet");
  exports["setProcessContext"] = Napi::Function::New<SetContext>(env, "setProcessContext");
}

}  // namespace tracewright
