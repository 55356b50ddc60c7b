// See recorder_functions.h: for all platforms but Windows. A recorder is a value that JavaScript
// only passes back; it ends with its last reference.
#include "recorder_functions.h"

#include <string>
#include <utility>
#include <vector>

#include "recorder.h"

namespace tracewright {
namespace {

std::vector<uint8_t> Bytes(const Napi::Value& value) {
  auto array = value.As<Napi::Uint8Array>();
  return {array.Data(), array.Data() + array.ByteLength()};
}

std::string ByteText(const Napi::Value& value) {
  std::vector<uint8_t> bytes = Bytes(value);
  return {bytes.begin(), bytes.end()};
}

Napi::Value Ids(Napi::Env env, const std::vector<uint64_t>& ids) {
  Napi::BigUint64Array array = Napi::BigUint64Array::New(env, ids.size());
  for (size_t i = 0; i < ids.size(); ++i) array[i] = ids[i];
  return array;
}

Napi::Value CountsValue(Napi::Env env, const RecorderCounts& counts) {
  Napi::Object result = Napi::Object::New(env);
  result["events"] = Napi::Number::New(env, static_cast<double>(counts.events));
  result["cpuSamples"] = Napi::Number::New(env, static_cast<double>(counts.cpu_samples));
  result["bytes"] = Napi::Number::New(env, static_cast<double>(counts.bytes));
  result["lost"] = Napi::Number::New(env, static_cast<double>(counts.lost));
  result["lostInFile"] = Napi::Number::New(env, static_cast<double>(counts.lost_in_file));
  result["firstTime"] = Napi::BigInt::New(env, counts.first_time);
  result["lastTime"] = Napi::BigInt::New(env, counts.last_time);
  result["error"] = Napi::Number::New(env, counts.error);
  result["done"] = Napi::Boolean::New(env, counts.done);
  return result;
}

Recorder& From(const Napi::Value& handle) { return *handle.As<Napi::External<Recorder>>().Data(); }

// recorderOpen(attr: Uint8Array, cpus: Uint32Array, ringSize, sampleTimeAt, mark: Uint8Array, task,
// backwardAttr: Uint8Array, backwardSize, sideSize)
// -> { error, step, ids: BigUint64Array, handle? }
Napi::Value Open(const Napi::CallbackInfo& info) {
  auto cpus = info[1].As<Napi::Uint32Array>();
  RecorderOptions options;
  options.attr = ByteText(info[0]);
  options.cpus.assign(cpus.Data(), cpus.Data() + cpus.ElementLength());
  options.ring_size = static_cast<size_t>(info[2].As<Napi::Number>().Int64Value());
  options.sample_time_at = info[3].As<Napi::Number>().Uint32Value();
  options.mark = Bytes(info[4]);
  options.task = info[5].As<Napi::Number>().Int32Value();
  options.backward_attr = ByteText(info[6]);
  options.backward_size = static_cast<size_t>(info[7].As<Napi::Number>().Int64Value());
  options.side_size = static_cast<size_t>(info[8].As<Napi::Number>().Int64Value());
  Recorder::Opened opened = Recorder::Open(std::move(options));
  Napi::Object result = Napi::Object::New(info.Env());
  result["error"] = Napi::Number::New(info.Env(), opened.error);
  result["step"] = Napi::String::New(info.Env(), opened.step);
  result["ids"] = Ids(info.Env(), opened.ids);
  if (opened.recorder) {
    result["handle"] = Napi::External<Recorder>::New(
        info.Env(), opened.recorder.release(), [](Napi::Env, Recorder* gone) { delete gone; });
  }
  return result;
}

// recorderStart(handle, file: number) -> error
Napi::Value Start(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(),
                           From(info[0]).Start(info[1].As<Napi::Number>().Int32Value()));
}

// recorderClocks() -> { wall: bigint, monotonic: bigint }
Napi::Value Clocks(const Napi::CallbackInfo& info) {
  ClockPair clocks = ReadClocks();
  Napi::Object result = Napi::Object::New(info.Env());
  result["wall"] = Napi::BigInt::New(info.Env(), clocks.wall);
  result["monotonic"] = Napi::BigInt::New(info.Env(), clocks.monotonic);
  return result;
}

// recorderPipe() -> { error, readEnd: number, writeEnd: number }
Napi::Value OpenPipeEnds(const Napi::CallbackInfo& info) {
  Pipe pipe = OpenPipe();
  Napi::Object result = Napi::Object::New(info.Env());
  result["error"] = Napi::Number::New(info.Env(), pipe.error);
  result["readEnd"] = Napi::Number::New(info.Env(), pipe.read_end);
  result["writeEnd"] = Napi::Number::New(info.Env(), pipe.write_end);
  return result;
}

// recorderAdd(handle, attr: Uint8Array, tasks: Int32Array) -> { error, ids: BigUint64Array }
Napi::Value Add(const Napi::CallbackInfo& info) {
  std::vector<uint64_t> ids;
  auto tasks = info[2].As<Napi::Int32Array>();
  int error = From(info[0]).Add(
      ByteText(info[1]), {tasks.Data(), tasks.Data() + tasks.ElementLength()}, &ids);
  Napi::Object result = Napi::Object::New(info.Env());
  result["error"] = Napi::Number::New(info.Env(), error);
  result["ids"] = Ids(info.Env(), ids);
  return result;
}

// recorderEnable(handle) -> error
Napi::Value Enable(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), From(info[0]).Enable());
}

// recorderAppend(handle, records: Uint8Array) -> { error, position }
Napi::Value Append(const Napi::CallbackInfo& info) {
  uint64_t position = 0;
  int error = From(info[0]).Append(Bytes(info[1]), &position);
  Napi::Object result = Napi::Object::New(info.Env());
  result["error"] = Napi::Number::New(info.Env(), error);
  result["position"] = Napi::Number::New(info.Env(), static_cast<double>(position));
  return result;
}

// recorderDump(handle, file: number) -> like recorderCounts
Napi::Value Dump(const Napi::CallbackInfo& info) {
  RecorderCounts counts;
  counts.error = From(info[0]).Dump(info[1].As<Napi::Number>().Int32Value(), &counts);
  return CountsValue(info.Env(), counts);
}

// recorderStop(handle): ends the recording soon; recorderCounts says when it has ended.
void Stop(const Napi::CallbackInfo& info) { From(info[0]).Stop(); }

// recorderCounts(handle)
// -> { events, cpuSamples, bytes, lost, lostInFile, firstTime, lastTime, error, done }
Napi::Value Counts(const Napi::CallbackInfo& info) {
  return CountsValue(info.Env(), From(info[0]).Counts());
}

// awaitRecorder(address: string, tracepoint: string, milliseconds) -> error
Napi::Value Await(const Napi::CallbackInfo& info) {
  int error = AwaitRecorder(info[0].ToString().Utf8Value(),
                            info[1].ToString().Utf8Value(),
                            info[2].As<Napi::Number>().Int32Value());
  return Napi::Number::New(info.Env(), error);
}

}  // namespace

void AddRecorderFunctions(Napi::Env env, Napi::Object exports) {
  exports["recorderOpen"] = Napi::Function::New<Open>(env, "recorderOpen");
  exports["recorderStart"] = Napi::Function::New<Start>(env, "recorderStart");
  exports["recorderPipe"] = Napi::Function::New<OpenPipeEnds>(env, "recorderPipe");
  exports["recorderAdd"] = Napi::Function::New<Add>(env, "recorderAdd");
  exports["recorderEnable"] = Napi::Function::New<Enable>(env, "recorderEnable");
  exports["recorderAppend"] = Napi::Function::New<Append>(env, "recorderAppend");
  exports["recorderClocks"] = Napi::Function::New<Clocks>(env, "recorderClocks");
  exports["recorderDump"] = Napi::Function::New<Dump>(env, "recorderDump");
  exports["recorderStop"] = Napi::Function::New<Stop>(env, "recorderStop");
  exports["recorderCounts"] = Napi::Function::New<Counts>(env, "recorderCounts");
  exports["awaitRecorder"] = Napi::Function::New<Await>(env, "awaitRecorder");
}

}  // namespace tracewright
