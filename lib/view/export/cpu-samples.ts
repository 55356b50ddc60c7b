/** Which events of a trace are samples of what a CPU did, as the recorders of each format name them. */
import type { TraceEvent } from '../../trace/trace-event.ts';

/** Samples with a stack: of .NET's sample profiler, of dotnet-trace's collect-linux, of Windows' kernel, of perf. */
export function isCpuSample({ provider, name }: TraceEvent): boolean {
  switch (provider) {
    case 'Microsoft-DotNETCore-SampleProfiler':
      return true;
    case 'Universal.Events':
      return name === 'cpu';
    case 'Windows Kernel':
      return name === 'PerfInfo/Sample';
    case 'perf':
      return true;
    default:
      return false;
  }
}
