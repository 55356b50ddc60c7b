{
  "targets": [
    {
      "target_name": "tracewright",
      "include_dirs": ["native", "<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": [
        "NAPI_VERSION=8",
        "NAPI_DISABLE_CPP_EXCEPTIONS",
        "NODE_ADDON_API_DISABLE_DEPRECATED",
        # An exception that cannot be thrown any more, because its environment is going, ends the process otherwise
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
      ],
      "sources": [
        "native/addon.cc",
        "native/environment.cc",
        "native/flag_page.cc",
        "native/own_event_ids.cc",
        "native/passed_tracer_functions.cc"
      ],
      "conditions": [
        ["OS=='linux'", {
          "sources": [
            "native/descriptor_watches.cc",
            "native/diagnostic_port_functions.cc",
            "native/linux/executable_mapping.cc",
            "native/linux/passed_tracer.cc",
            "native/linux/provider.cc",
            "native/linux/recorder.cc",
            "native/linux/recorder_notice.cc",
            "native/linux/recorder_ring.cc",
            "native/linux/registrar.cc",
            "native/linux/tracefs.cc",
            "native/linux/unix_socket.cc",
            "native/linux/user_events.cc",
            "native/recorder_functions.cc"
          ],
          "cflags_cc": ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-fstack-protector-strong"],
          # Never unmapped: the kernel goes on writing into the flag page after the last environment is gone
          "ldflags": ["-Wl,-z,nodelete", "-Wl,-z,relro", "-Wl,-z,now"]
        }],
        ["OS!='linux' and OS!='win'", {
          "sources": [
            "native/none/diagnostic_port_functions.cc",
            "native/none/passed_tracer.cc",
            "native/none/provider.cc",
            "native/none/recorder.cc",
            "native/recorder_functions.cc"
          ]
        }],
        ["OS=='mac'", {
          "xcode_settings": {
            "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
            "MACOSX_DEPLOYMENT_TARGET": "11.0",
            "GCC_SYMBOLS_PRIVATE_EXTERN": "YES"
          }
        }],
        ["OS=='win'", {
          "sources": [
            "native/none/diagnostic_port_functions.cc",
            "native/none/passed_tracer.cc",
            "native/windows/command_listeners.cc",
            "native/windows/etw_provider.cc",
            "native/windows/provider.cc",
            "native/windows/recorder.cc",
            "native/windows/recorder_functions.cc"
          ],
          "defines": ["_WIN32_WINNT=0x0A00", "NOMINMAX"],
          "msvs_settings": {
            "VCCLCompilerTool": { "AdditionalOptions": ["/std:c++17", "/guard:cf", "/W4", "/WX"] },
            "VCLinkerTool": { "AdditionalOptions": ["/guard:cf"] }
          }
        }]
      ]
    }
  ]
}
