// Adds what a plain ARCH=um kernel (6.16 to 7.3) lacks for perf to record tracepoints and user events: the perf core
// (software events and tracepoints; there is no PMU), and a scheduler clock finer than a 10 ms jiffy for the events'
// times.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const kconfigAnchor = '\tselect HAVE_PAGE_SIZE_4KB\n';
const kconfigLine = '\tselect HAVE_PERF_EVENTS\n';

const perfEventHeader = '/* There is no PMU: the generic way to capture registers will do */\n';

// Time travel mode has its own clock
const schedulerClock = `
#ifndef CONFIG_UML_TIME_TRAVEL_SUPPORT
#include <linux/sched/clock.h>

/* The host's monotonic clock, counted from the start of this kernel */
notrace unsigned long long sched_clock(void)
{
	static unsigned long long start;

	if (!start)
		start = os_nsecs();
	return os_nsecs() - start;
}
#endif
`;

/**
 * Patches a kernel source tree in place; has no effect if it is already patched.
 * @param {string} tree
 * @throws {Error} if arch/um has changed so much that the patch does not fit
 */
export function patchUserModeLinux(tree) {
  const kconfig = join(tree, 'arch/um/Kconfig');
  const options = readFileSync(kconfig, 'utf8');
  if (!options.includes(kconfigLine)) {
    if (!options.includes(kconfigAnchor)) {
      throw new Error(
        `${kconfig} has no line "${kconfigAnchor.trim()}" to put "${kconfigLine.trim()}" after.`,
      );
    }
    writeFileSync(kconfig, options.replace(kconfigAnchor, kconfigAnchor + kconfigLine));
  }

  const header = join(tree, 'arch/um/include/asm/perf_event.h');
  if (!existsSync(header)) writeFileSync(header, perfEventHeader);

  const time = join(tree, 'arch/um/kernel/time.c');
  const source = readFileSync(time, 'utf8');
  if (!source.includes(schedulerClock)) writeFileSync(time, source + schedulerClock);
}
