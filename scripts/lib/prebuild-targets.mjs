// The files under prebuilds/ in a release, with prebuildify's names.
export const prebuildTargets = [
  'darwin-arm64/tracewright.node',
  'darwin-x64/tracewright.node',
  'linux-arm64/tracewright.glibc.node',
  'linux-arm64/tracewright.musl.node',
  'linux-x64/tracewright.glibc.node',
  'linux-x64/tracewright.musl.node',
  'win32-arm64/tracewright.node',
  'win32-x64/tracewright.node',
];
