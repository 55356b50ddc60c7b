/**
 * Where TraceEvent is wrong about a nettrace, or shows something that is not in it, case by case with the reason.
 * Everything else must be the same.
 */
import { dotnetProviderName } from '../../dist/known/dotnet.js';

/** Where an answer differs from the trace: by the names of the file and the value, with the reason. */
export const KNOWN_DIFFERENCES = [
  {
    file: 'V6ParseSimpleThreadBlock',
    key: 'eventsLost',
    answer: -2147483648,
    ours: 0,
    reason:
      'TraceEvent counts an unsorted event for the thread of the event before it in the block, not for its own, so that numbers of two threads seem to be those of one; the sum of what then seems lost overflows.',
  },
  {
    file: 'SkipExtraMetadataTagSpaceV5',
    key: 'relMSec',
    answer: 0,
    ours: -1000000,
    reason: 'The events are older than the start of the trace; TraceEvent shows no negative times.',
  },
];

/** The bits of a method's flags that TraceEvent shows as a separate field, `OptimizationTier`. */
const TIER_SHIFT = 7;
const TIER_BITS = 7 << TIER_SHIFT;
const JITTED = 8;

/** What TraceEvent shows of some events' payloads, if it differs from the trace. */
export const PAYLOAD_DIFFERENCES = [
  {
    event: /^Method\/(Load|DCStart|DCStop)Verbose$/,
    reason:
      'TraceEvent shows a part of the flags as a field, of methods that are not jitted as 0, and so what older versions do not have.',
    shown: (payload) => ({
      ...payload,
      MethodFlags: payload.MethodFlags & ~TIER_BITS,
      ReJITID: payload.ReJITID ?? '0',
      OptimizationTier:
        (payload.MethodFlags & JITTED) === 0 ? 0 : (payload.MethodFlags & TIER_BITS) >> TIER_SHIFT,
    }),
  },
  {
    event: /^Method\/ILToNativeMap/,
    reason: 'TraceEvent has the arrays only as methods, and does not show them.',
    shown: ({ ILOffsets, NativeOffsets, ...payload }) => payload,
  },
  {
    event: /^Loader\/Module(Load|Unload|DCStart|DCStop)$/,
    reason: 'TraceEvent leaves one field out, and concludes another.',
    shown: ({ ClrInstanceID, ...payload }) => ({
      ...payload,
      ModuleILFileName: payload.ModuleILPath.split(/[/\\]/).at(-1),
    }),
  },
  {
    event: /^Loader\/Assembly(Load|Unload|DCStart|DCStop)$/,
    reason: 'TraceEvent shows the fields in another order.',
    shown: ({ BindingID, ClrInstanceID, ...payload }) => ({ ...payload, BindingID, ClrInstanceID }),
  },
];

/** Attributes of a baseline's events that TraceEvent infers, or shows as 0 if the payload ends before them. */
export const ATTRIBUTES_NOT_IN_TRACE = new Map([
  ['Contention/Start', ['LockID', 'AssociatedObjectID', 'LockOwnerThreadID']],
  ['GC/HeapStats', ['TotalPromoted', 'TotalHeapSize', 'Depth', 'GenerationSize4', 'TotalPromotedSize4']],
  ['Method/LoadVerbose', ['ReJITID', 'OptimizationTier']],
]);

/** Names in baselines that differ from .NET's manifest. */
export const NAME_DIFFERENCES = [
  {
    ours: /^(Microsoft-Windows-DotNETRuntime)\/GarbageCollection\/(Increase|Decrease)MemoryPressure$/,
    theirs: '$1/GC',
    reason: 'TraceEvent does not know the events; Windows, asked for names, knew the task only.',
  },
];

/** In the trace, and similarly in the answer for another trace, but not in the baseline. */
export const NAMES_NOT_IN_BASELINE = new Set(['Microsoft-Windows-DotNETRuntime/Method/ILToNativeMap']);

/**
 * The trace has no task numbers, and no opcodes for .NET's native events: TraceEvent has both in its own tables.
 * tracewright knows the names, and the numbers of the opcodes that all providers share.
 */
export function withoutTableNumbers(expected, found) {
  const isNative = dotnetProviderName(expected.providerGuid) !== undefined;
  if (!isNative) return expected;
  return { ...expected, task: found.task, opcode: found.opcode === 0 ? 0 : expected.opcode };
}
