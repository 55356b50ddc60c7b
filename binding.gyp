{
  "targets": [
    {
      "target_name": "tracewright",
      "include_dirs": ["native", "<!(node -p \"require('node-addon-api').include_dir\")"],
      "defines": [
        "NAPI_VERSION=8",
        "NAPI_DISABLE_CPP_EXCEPTIONS",
        "NODE_ADDON_API_DISABLE_DEPRECATED",
        # Otherwise an exception that can no longer be thrown, because its environment is ending, ends the process
        "NODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS"
      ],
      "sources": ["<!@(node -p \"require('./native/sources.json').all.join(' ')\")"],
      "conditions": [
        ["OS=='linux'", {
          "sources": ["<!@(node -p \"require('./native/sources.json').linux.join(' ')\")"],
          # A third of the size of -O3, and no event takes longer
          "cflags!": ["-O3"],
          "cflags": ["-Os"],
          "cflags_cc": ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-fstack-protector-strong"],
          # Never unmapped: the kernel writes to the flag page even after the last environment is gone
          "ldflags": ["-Wl,-z,nodelete", "-Wl,-z,relro", "-Wl,-z,now"]
        }],
        ["OS!='linux' and OS!='win'", {
          "sources": ["<!@(node -p \"require('./native/sources.json').none.join(' ')\")"]
        }],
        ["OS=='mac'", {
          "xcode_settings": {
            "CLANG_CXX_LANGUAGE_STANDARD": "c++17",
            "MACOSX_DEPLOYMENT_TARGET": "11.0",
            "GCC_SYMBOLS_PRIVATE_EXTERN": "YES"
          }
        }],
        ["OS=='win'", {
          "sources": ["<!@(node -p \"require('./native/sources.json').windows.join(' ')\")"],
          "variables": {
            # Users who build elsewhere may have a newer compiler with more warnings
            "warnings_as_errors%": "<!(node -p \"Boolean(process.env.CI)\")",
            "foreign_headers": "<!(node -p \"require('path').resolve(require('node-addon-api').include_dir)\")"
          },
          "defines": ["_WIN32_WINNT=0x0A00", "NOMINMAX"],
          # Node.js builds without exceptions. Nothing here throws, except the standard library when out of memory; and
          # without /EHsc, each noexcept in a header is a warning (C4577)
          "defines!": ["_HAS_EXCEPTIONS=0"],
          "msvs_settings": {
            "VCCLCompilerTool": {
              "ExceptionHandling": 1,
              "WarningLevel": 4,
              "WarnAsError": "<(warnings_as_errors)",
              "AdditionalOptions": [
                "/guard:cf",
                # We cannot fix the headers of others (Windows, Node.js, node-addon-api): C4457 and C4458 are in napi.h
                "/external:W0",
                "/external:anglebrackets",
                "/external:I \"<(node_root_dir)/include/node\"",
                "/external:I \"<(foreign_headers)\"",
                # "#pragma managed" without /clr, in win_delay_load_hook.cc, which node-gyp compiles with our options
                "/wd4949",
                # Unreachable code: found after optimization, when the headers' external lines are inlined into ours
                "/wd4702"
              ]
            },
            "VCLinkerTool": { "AdditionalOptions": ["/guard:cf"] }
          }
        }]
      ]
    }
  ]
}
