/**
 * The names of compiled JavaScript for perf, in /tmp/perf-PID.map. V8 decides at its start whether it writes them:
 * flags that are set later change nothing, as was tried with Node.js 20, 24 and 26.
 */
import { ErrorCode, PerfMapType } from '../../wire/diagnostics-ipc/constants.ts';

/**
 * @param type one of `PerfMapType`
 * @returns one of `ErrorCode` where V8 does not write it
 */
export function enablePerfMap(type: number): number | undefined {
  if (type === PerfMapType.Disabled) return undefined;
  const flag = type === PerfMapType.JitDump ? '--perf-prof' : '--perf-basic-prof';
  return isStartedWith(flag) ? undefined : ErrorCode.NotSupported;
}

function isStartedWith(flag: string): boolean {
  const flags = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(/\s+/)];
  // V8 takes `_` for `-`.
  return flags.some((text) => text.replaceAll('_', '-').split('=', 1)[0] === flag);
}
