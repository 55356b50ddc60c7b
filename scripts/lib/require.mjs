// What a run is told it must have: TRACEWRIGHT_REQUIRE, a comma-separated list of native, kernel, qemu, tools,
// wine, browser, nodes, registry, servers and data. What is in the list and missing is a failure, where it would otherwise be left out with a reason.

/** Whether TRACEWRIGHT_REQUIRE names this. */
export function isRequired(name) {
  return (process.env.TRACEWRIGHT_REQUIRE ?? '').split(',').some((entry) => entry.trim() === name);
}
