# Writes the project that node-gyp makes for Visual Studio, on a machine that has neither Windows nor its SDK:
#   vcxproj.py FOLDER_OF_GYP FOLDER_OF_NODE_HEADERS OUTPUT_FOLDER, in the folder of binding.gyp
import locale
import os
import sys

gyp_folder, headers, output = sys.argv[1:]
sys.path.insert(0, os.path.join(gyp_folder, "pylib"))
import gyp  # noqa: E402
import gyp.generator.msvs as msvs  # noqa: E402

msvs._ConfigWindowsTargetPlatformVersion = lambda config, version: "10.0"
# gyp writes no file where this is UTF-8, which it never is on Windows
locale.getdefaultlocale = lambda *_: ("en_US", "cp1252")

node_gyp = os.path.dirname(gyp_folder)
defines = {
    "OS": "win",
    "target_arch": "x64",
    "library": "shared_library",
    "visibility": "default",
    "standalone_static_library": "0",
    "node_root_dir": headers,
    "node_gyp_dir": node_gyp,
    "node_lib_file": "node.lib",
    "module_root_dir": os.getcwd(),
    "node_engine": "v8",
}
arguments = ["binding.gyp", "-f", "msvs", "-G", "msvs_version=2022", "-G", "output_dir=.", "--depth=.", "--no-parallel"]
for name in ("common.gypi", "config.gypi"):
    arguments += ["-I", os.path.join(headers, "include/node", name)]
arguments += ["-I", os.path.join(node_gyp, "addon.gypi"), "--generator-output", output]
for name, value in defines.items():
    arguments += ["-D", f"{name}={value}"]
sys.exit(gyp.main(arguments))
