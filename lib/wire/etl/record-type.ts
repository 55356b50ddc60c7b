/** What the type of a record says about its header. */
import { RecordType } from './constants.ts';

/** The layout of the record's header; see `record.ts`. */
export const Layout = {
  /** Its contents are not documented: skipped. */
  Skipped: 0,
  /** SYSTEM_TRACE_HEADER, and the same without CPU times. */
  System: 1,
  /** PERFINFO_TRACE_HEADER: without process and thread. */
  PerfInfo: 2,
  /** EVENT_TRACE_HEADER and EVENT_INSTANCE_GUID_HEADER: events of a class GUID. */
  Classic: 3,
  /** EVENT_HEADER. */
  Event: 4,
  /** MESSAGE_TRACE_HEADER, of WPP. */
  Message: 5,
} as const;
export type Layout = (typeof Layout)[keyof typeof Layout];

export interface RecordLayout {
  readonly layout: Layout;
  /** Size of the header, without performance counters that may follow it. */
  readonly headerSize: number;
  /** The position of the record's own size, u16. */
  readonly sizeOffset: 0 | 4;
  /** The position of its time, i64; 0 if it may have none. */
  readonly timeOffset: number;
  readonly pointerSize: 4 | 8;
}

function kernel(layout: Layout, headerSize: number, timeOffset: number, pointerSize: 4 | 8): RecordLayout {
  return { layout, headerSize, sizeOffset: 4, timeOffset, pointerSize };
}

function provider(layout: Layout, headerSize: number, timeOffset: number, pointerSize: 4 | 8): RecordLayout {
  return { layout, headerSize, sizeOffset: 0, timeOffset, pointerSize };
}

const SKIPPED = provider(Layout.Skipped, 8, 0, 8);

/** The index is the type. */
const LAYOUTS: readonly (RecordLayout | undefined)[] = Array.from({ length: 256 }, (_, type) => {
  switch (type) {
    case RecordType.System32:
      return kernel(Layout.System, 0x20, 0x10, 4);
    case RecordType.System64:
      return kernel(Layout.System, 0x20, 0x10, 8);
    case RecordType.Compact32:
      return kernel(Layout.System, 0x18, 0x10, 4);
    case RecordType.Compact64:
      return kernel(Layout.System, 0x18, 0x10, 8);
    case RecordType.PerfInfo32:
      return kernel(Layout.PerfInfo, 0x10, 0x08, 4);
    case RecordType.PerfInfo64:
      return kernel(Layout.PerfInfo, 0x10, 0x08, 8);
    case RecordType.Full32:
      return provider(Layout.Classic, 0x30, 0x10, 4);
    case RecordType.Full64:
      return provider(Layout.Classic, 0x30, 0x10, 8);
    case RecordType.Instance32:
      return provider(Layout.Classic, 0x48, 0x10, 4);
    case RecordType.Instance64:
      return provider(Layout.Classic, 0x48, 0x10, 8);
    case RecordType.Event32:
      return provider(Layout.Event, 0x50, 0x10, 4);
    case RecordType.Event64:
      return provider(Layout.Event, 0x50, 0x10, 8);
    case RecordType.Timed:
    case RecordType.Error:
    case RecordType.Wnode:
      return SKIPPED;
    default:
      return undefined;
  }
});

/** The options of a message determine its header. */
const MESSAGE = provider(Layout.Message, 8, 0, 8);

/** @returns undefined if the type does not exist */
export function layoutOf(type: number): RecordLayout | undefined {
  return type === RecordType.Message ? MESSAGE : LAYOUTS[type];
}
