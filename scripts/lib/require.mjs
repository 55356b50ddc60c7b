// What a run must have: TRACEWRIGHT_REQUIRE, a comma-separated list of native, kernel, qemu, tools, wine, browser,
// nodes, registry, servers and data. If something in the list is missing, that is a failure; otherwise its tests are
// skipped with a reason.

/** Whether TRACEWRIGHT_REQUIRE contains this. */
export function isRequired(name) {
  return (process.env.TRACEWRIGHT_REQUIRE ?? '').split(',').some((entry) => entry.trim() === name);
}
