/**
 * The upper tier of ids: the trace to which an activity belongs when it crosses process boundaries, by W3C Trace
 * Context. Within a process, activities have paths; only those that cross have a trace id and a span id.
 *
 * Source: W3C Trace Context, level 2.
 */

/** What is sent with a message to another process: as HTTP headers, or as fields of an envelope. */
export interface TraceHeaders {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/s;
const NO_TRACE_ID = '0'.repeat(32);
const NO_SPAN_ID = '0'.repeat(16);
/** Later versions may add anything after the flags; it can be ignored. */
const MAX_TRACEPARENT = 512;

const SAMPLED = 1;
const RANDOM_TRACE_ID = 2;

/** The length that every participant must pass on. */
const MAX_TRACESTATE = 512;
/** The entries to drop first from a longer one. */
const LONG_ENTRY = 128;
const MAX_ENTRIES = 32;
/** A longer list is refused before its entries are examined one by one. */
const MAX_LIST = 2 ** 14;
const NOT_IN_LISTS = /[^\t\x20-\x7e]/;
const TRACESTATE_ENTRY =
  /^[a-z\d][a-z\d_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** The place of an activity in a trace across processes. Immutable. */
export class TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the crossing activity. Empty if there is none. */
  readonly spanId: string;
  /** The span id of the activity that caused it; empty for the first in a trace. */
  readonly parentSpanId: string;
  /** 8 bits: 1 for sampled, 2 for a random trace id. */
  readonly flags: number;
  /** Additions by vendors, passed on unchanged; empty if there are none. */
  readonly state: string;

  private constructor(traceId: string, spanId: string, parentSpanId: string, flags: number, state: string) {
    this.traceId = traceId;
    this.spanId = spanId;
    this.parentSpanId = parentSpanId;
    this.flags = flags;
    this.state = state;
  }

  /** A trace that begins here, with no crossing activity yet. */
  static begin(): TraceContext {
    return new TraceContext(randomHex(32), '', '', SAMPLED | RANDOM_TRACE_ID, '');
  }

  /** The context sent by another process. Undefined if it is invalid: then a trace begins here, if one is needed. */
  static parse(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
    if (typeof traceparent !== 'string' || traceparent.length > MAX_TRACEPARENT) return undefined;
    const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(traceparent) ?? [];
    if (traceId === undefined || spanId === undefined || version === 'ff') return undefined;
    if (version === '00' && rest !== undefined) return undefined;
    if (traceId === NO_TRACE_ID || spanId === NO_SPAN_ID) return undefined;
    const known = Number.parseInt(flags ?? '0', 16) & (SAMPLED | RANDOM_TRACE_ID);
    return new TraceContext(traceId, spanId, '', known, tracestateOf(tracestate));
  }

  /** Returns the context of a crossing activity that this one causes. */
  child(): TraceContext {
    return new TraceContext(this.traceId, randomHex(16), this.spanId, this.flags, this.state);
  }

  /** What to send to another process. */
  get headers(): TraceHeaders {
    return this.state === ''
      ? { traceparent: this.traceparent }
      : { traceparent: this.traceparent, tracestate: this.state };
  }

  get traceparent(): string {
    return `00-${this.traceId}-${this.spanId}-0${this.flags}`;
  }
}

/**
 * Returns an empty text if it is missing or entirely malformed; otherwise the list without the entries that do not fit.
 */
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

/**
 * Random digits in advance: generating 16 bytes takes a hundred times as long as slicing a string. In a server, where the
 * code that fills the pool is never in the processor's caches, filling 4 KiB takes 32 µs, of which 20 are for the call.
 */
const POOL_BYTES = 16_384;
let bytes: Buffer | undefined;
let pool = '';
let used = 0;

/** Random, but not all zeros. */
function randomHex(digits: number): string {
  if (used + digits > pool.length) {
    // Not imported: loading node:crypto takes longer than loading all of tracewright.
    const { randomFillSync } = process.getBuiltinModule('node:crypto');
    bytes ??= Buffer.allocUnsafeSlow(POOL_BYTES);
    pool = randomFillSync(bytes).toString('hex');
    used = 0;
  }
  used += digits;
  const text = pool.slice(used - digits, used);
  return text === NO_TRACE_ID || text === NO_SPAN_ID ? randomHex(digits) : text;
}
