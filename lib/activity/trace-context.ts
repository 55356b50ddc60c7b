/**
 * The upper tier of ids: which trace an activity belongs to when it crosses from one process to another, by W3C's
 * Trace Context. Inside a process, activities have paths; only those that cross have a trace id and a span id.
 *
 * Source: W3C Trace Context, level 2.
 */

/** What goes with a message from one process to another: as HTTP headers, or fields of an envelope. */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/s;
const NO_TRACE_ID = '0'.repeat(32);
const NO_SPAN_ID = '0'.repeat(16);
/** What follows the flags in later versions is unknown, and need not be read at all. */
const MAX_TRACEPARENT = 512;

const SAMPLED = 1;
const RANDOM_TRACE_ID = 2;

/** What everybody has to pass on. */
const MAX_TRACESTATE = 512;
/** Of the entries of a longer one, these go first. */
const LONG_ENTRY = 128;
const MAX_ENTRIES = 32;
/** Before the entries are looked at, one by one. */
const MAX_LIST = 2 ** 14;
const NOT_IN_LISTS = /[^\t\x20-\x7e]/;
const TRACESTATE_ENTRY =
  /^[a-z\d][a-z\d_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** An activity's place in a trace that several processes have a part of. Immutable. */
export class TraceContext {
  /** 32 hexadecimal digits in lower case. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the activity that crosses. Empty where none has. */
  readonly spanId: string;
  /** That of the activity that it was caused by; empty for the first of a trace. */
  readonly parentSpanId: string;
  /** 8 bits: 1 sampled, 2 the trace id is random. */
  readonly flags: number;
  /** What vendors have added, to be passed on as it came; empty for none. */
  readonly state: string;

  private constructor(traceId: string, spanId: string, parentSpanId: string, flags: number, state: string) {
    this.traceId = traceId;
    this.spanId = spanId;
    this.parentSpanId = parentSpanId;
    this.flags = flags;
    this.state = state;
  }

  /** A trace that begins here, with no activity that crosses yet. */
  static begin(): TraceContext {
    return new TraceContext(randomHex(32), '', '', SAMPLED | RANDOM_TRACE_ID, '');
  }

  /** What another process has sent. Undefined where that is none: then a trace begins here, if one is needed. */
  static parse(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
    if (typeof traceparent !== 'string' || traceparent.length > MAX_TRACEPARENT) return undefined;
    const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(traceparent) ?? [];
    if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
    if (version === '00' && rest !== undefined) return undefined;
    if (traceId === NO_TRACE_ID || spanId === NO_SPAN_ID) return undefined;
    const known = Number.parseInt(flags ?? '0', 16) & (SAMPLED | RANDOM_TRACE_ID);
    return new TraceContext(traceId, spanId, '', known, tracestateOf(tracestate));
  }

  /** Of an activity that crosses, and that this one has caused. */
  child(): TraceContext {
    return new TraceContext(this.traceId, randomHex(16), this.spanId, this.flags, this.state);
  }

  /** What another process is to be sent. */
  get headers(): TraceHeaders {
    return this.state === ''
      ? { traceparent: this.traceparent }
      : { traceparent: this.traceparent, tracestate: this.state };
  }

  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-0${this.flags}`;
  }
}

/** Empty where it is malformed as a whole, or missing; without the entries that there is no room for. */
function tracestateOf(text: unknown): string {
  if (typeof text !== 'string' || text === '' || text.length > MAX_LIST || NOT_IN_LISTS.test(text)) return '';
  let entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  if (!entries.every((entry) => TRACESTATE_ENTRY.test(entry))) return '';
  if (entries.length > MAX_ENTRIES) return '';
  const size = () => entries.join(',').length;
  if (size() > MAX_TRACESTATE) entries = entries.filter((entry) => entry.length <= LONG_ENTRY);
  while (size() > MAX_TRACESTATE) entries.pop();
  return entries.join(',');
}

/** Random digits beforehand: to ask for 16 bytes takes a hundred times as long as to take them from a text. */
const POOL_BYTES = 4096;
let pool = '';
let used = 0;

/** Random, and not all zeros. */
function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    // Not imported: loading node:crypto takes longer than all of tracewright.
    pool = process.getBuiltinModule('node:crypto').randomBytes(POOL_BYTES).toString('hex');
    used = 0;
  }
  used += digits;
  const text = pool.slice(used - digits, used);
  return /[^0]/.test(text) ? text : randomHex(digits);
}
