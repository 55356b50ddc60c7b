/**
 * Where the events of an .etl differ from TraceEvent's baselines: each with the reason, and with what must still hold.
 */

/** Names that differ here; `undefined`: there is no such event. */
const NAMES = new Map([
  // The log header is part of the trace's info, not an event, as in Windows' own consumers.
  ['Windows Kernel/EventTrace', undefined],
  // TraceEvent falls back to the provider's older name for events that its kernel parser does not know.
  ['MSNT_SystemTrace/Image/KernelBase', 'Windows Kernel/Image/KernelBase'],
  ['MSNT_SystemTrace/SystemConfig/Platform', 'Windows Kernel/SystemConfig/Platform'],
]);

/** Counts that differ. */
const COUNTS = new Map([
  // TraceLog drops samples of idle processors; the file contains them.
  ['Windows Kernel/PerfInfo/Sample', 79528],
]);

/** @returns the event's name here, or undefined if there is none */
export function ourName(name) {
  return NAMES.has(name) ? NAMES.get(name) : name;
}

export function ourCount(name, count) {
  if (NAMES.has(name) && NAMES.get(name) === undefined) return 0;
  return COUNTS.get(name) ?? count;
}

const LEVELS = ['Always', 'Critical', 'Error', 'Warning', 'Informational', 'Verbose'];
const PROCESS_FLAGS = new Map([
  ['None', 0],
  ['Protected', 4],
]);
const isNumber = (value) => typeof value === 'number' || typeof value === 'bigint';

/** Values that differ: for events with a matching name, the field, and what must hold. */
const VALUES = [
  // TraceLog knows where drives are mounted and shows kernel paths as drive paths.
  { events: /^Windows Kernel\/Image\//, fields: ['FileName'], holds: isSamePath },
  // TraceEvent treats unsigned numbers as signed ones.
  {
    events: /^Windows Kernel\/(Image|SystemConfig\/NIC)|^solar_system\//,
    fields: ['TimeDateStamp', 'PhysicalAddr', 'int64_type'],
    holds: isSameSigned,
  },
  // It shows numbers by the names of its own enumerations.
  {
    events: /^Windows Kernel\/Process\//,
    fields: ['Flags'],
    holds: (ours, theirs) => PROCESS_FLAGS.get(theirs) === ours,
  },
  { events: /^PerfView\//, fields: ['level'], holds: (ours, theirs) => LEVELS[ours] === theirs },
  { events: /^PerfView\//, fields: ['keywords', 'stacks'], holds: isNumber },
  { events: /^Windows Kernel\/DiskIO\//, fields: ['IrpFlags'], holds: isNumber },
  { events: /\/GC\/PerHeapHistory$/, fields: ['CompactMechanisms', 'ExpandMechanisms'], holds: isNumber },
  { events: /\/NgenBinder\/NgenBind$/, fields: ['ReasonCode'], holds: isNumber },
  { events: /^Microsoft-Windows-Kernel-File\/Create$/, fields: ['ShareAccess'], holds: isNumber },
  {
    events: /^Microsoft-Windows-DNS-Client\//,
    fields: ['DynamicAddress'],
    holds: (ours, theirs) => ours === 1 && theirs === 'dynamic',
  },
  // It splits the field: the lower 24 bits are the options, the others the disposition.
  {
    events: /^Microsoft-Windows-Kernel-File\/Create$/,
    fields: ['CreateOptions'],
    holds: (ours, theirs) => Number.isNaN(Number(theirs)) || (ours & 0xffffff) === Number(theirs),
  },
  { events: /^Microsoft-Windows-Kernel-File\/Create$/, fields: ['FileName'], holds: isSamePath },
  // It shows socket addresses as text, where their bytes are shown here.
  { events: /^Microsoft-Windows-DNS-Client\//, fields: ['Address'], holds: isSameAddress },
  // A schema may say that a number is a character: then it is shown as one here.
  {
    events: /^solar_system\//,
    fields: ['char_type'],
    holds: (ours, theirs) => ours === String.fromCharCode(Number(theirs)),
  },
  // It shows the day of the month or another part in place of the milliseconds.
  {
    events: /^solar_system\//,
    fields: ['system_time_type'],
    holds: (ours, theirs) => ours.slice(2, 19).replaceAll('-', '/').replace('T', ' ') === theirs.slice(0, 17),
  },
  // Events about a process have no thread there; here they have the one that ran, if it belonged to the process.
  {
    events: /^Windows Kernel\/(Image|Process)\//,
    fields: ['TID'],
    holds: (_ours, theirs) => theirs === '-1',
  },
  // It shows the process in which a service runs as that of the event, and its name in place of the field.
  { events: /^Windows Kernel\/SystemConfig\/Services$/, fields: ['PID', 'ProcessName'], holds: () => true },
  // It reads these two at the positions of other fields: a process is shown as 0 for events of process 4, a thread as
  // numbers that no thread has.
  {
    events: /^KernelTraceControl\/ImageID$/,
    fields: ['ProcessID'],
    holds: (_ours, theirs) => theirs === '0',
  },
  { events: /^Windows Kernel\/DiskIO\/FlushBuffers$/, fields: ['PID', 'TID'], holds: (ours) => ours > 0 },
];

/** Whether a value is known to differ, and is as it should be. */
export function isKnownDifference(name, field, ours, theirs) {
  return VALUES.some(
    ({ events, fields, holds }) => fields.includes(field) && events.test(name) && holds(ours, theirs),
  );
}

function isSamePath(ours, theirs) {
  const shown = theirs.replace(/\.\.\.$/, '');
  const path = ours.replace(/^\\SystemRoot/, '\\Windows').replace(/^\\Device\\(HarddiskVolume\d+|Mup)/, '');
  return path.toLowerCase().startsWith(shown.replace(/^C:|^\\(?=\\)/, '').toLowerCase());
}

/** A sockaddr of IPv4 or IPv6: the displayed part of the address must be in it. */
function isSameAddress(ours, theirs) {
  if (ours[0] === 2) return theirs === `${ours.subarray(4, 8).join('.')}:0`;
  const groups = Array.from({ length: 8 }, (_, i) => ours.readUInt16BE(8 + 2 * i).toString(16));
  return theirs.startsWith(`[${groups[0]}:${groups[1]}::`);
}

/** Numbers of 20 characters and more are cut. */
function isSameSigned(ours, theirs) {
  return [32, 64].some((bits) => {
    const text = BigInt.asIntN(bits, BigInt(ours)).toLocaleString('en-US');
    return text === theirs || (theirs.endsWith('...') && text.startsWith(theirs.slice(0, -3)));
  });
}
