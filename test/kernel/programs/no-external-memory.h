// Included before all else in the addon, it makes Node-API answer as under Electron: no memory for
// JavaScript but what V8 owns.
#include <node_api.h>

template <typename... Arguments>
napi_status RefuseExternalMemory(Arguments&&...) {
  return napi_no_external_buffers_allowed;
}
#define napi_create_external_arraybuffer RefuseExternalMemory
