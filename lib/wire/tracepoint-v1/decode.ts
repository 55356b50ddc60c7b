/**
 * Events that .NET's EventPipe writes to Linux user_events (its user_events sessions, .NET 10): a tracepoint whose
 * fields are version u8, event id u16, and two byte arrays, the extension and the payload.
 *
 * The extension is a sequence of labels: 1 metadata (size u32, bytes), 2 ActivityId and 3 RelatedActivityId (a GUID in
 * struct order each). The metadata comes only with the first event of its kind. The payload is EventPipe's. Numbers are
 * little-endian. Source: dotnet/runtime `ep-session.c` and dotnet/diagnostics
 * `documentation/design-docs/ipc-protocol.md` (user_events format, version 1).
 */
import { viewOf } from '../../base/bytes.ts';
import { guidText } from '../guid.ts';
import {
  EVENT_ID_OFFSET,
  EXTENSION_OFFSET,
  FIXED_SIZE,
  FORMAT_VERSION,
  GUID_SIZE,
  LABEL_SIZE,
  Label,
  LOCATION_SIZE,
  METADATA_SIZE_SIZE,
  PAYLOAD_OFFSET,
} from './constants.ts';
import { TracepointV1Error } from './error.ts';

const FIELD_NAMES = ['version', 'event_id', 'extension', 'payload'];

export interface TracepointV1Event {
  readonly eventId: number;
  /** See `readTracepointV1Metadata`. */
  readonly metadata?: Uint8Array;
  /** The GUID is lower-case text. */
  readonly activityId?: string;
  readonly relatedActivityId?: string;
  readonly payload: Uint8Array;
}

/** Whether a tracepoint with these fields, apart from the common ones, has this format. */
export function isTracepointV1(fields: readonly { readonly name: string }[]): boolean {
  return fields.length === FIELD_NAMES.length && fields.every(({ name }, i) => name === FIELD_NAMES[i]);
}

/**
 * @param data the tracepoint's own fields; may include what follows the payload
 * @throws TracepointV1Error
 */
export function decodeTracepointV1(data: Uint8Array): TracepointV1Event {
  if (data.length < FIXED_SIZE) {
    throw new TracepointV1Error(
      0,
      `An event has at least ${FIXED_SIZE} bytes, but there are only ${data.length}.`,
    );
  }
  const view = viewOf(data);
  const version = view.getUint8(0);
  if (version !== FORMAT_VERSION) {
    throw new TracepointV1Error(0, `The event has format version ${version}, but only 1 is supported.`);
  }
  const extension = locate(data, EXTENSION_OFFSET, 'extension');
  const eventId = view.getUint16(EVENT_ID_OFFSET, true);
  return { eventId, ...readLabels(extension), payload: locate(data, PAYLOAD_OFFSET, 'payload').bytes };
}

interface Part {
  readonly bytes: Uint8Array;
  /** The start in the event's bytes. */
  readonly start: number;
}

function locate(data: Uint8Array, at: number, what: string): Part {
  const location = viewOf(data).getUint32(at, true);
  const start = at + LOCATION_SIZE + (location & 0xffff);
  const size = location >>> 16;
  if (start + size > data.length) {
    throw new TracepointV1Error(at, `The ${what} of ${size} bytes extends beyond the event.`);
  }
  return { bytes: data.subarray(start, start + size), start };
}

type Labels = { -readonly [Key in 'metadata' | 'activityId' | 'relatedActivityId']?: TracepointV1Event[Key] };

/** What follows an unknown label cannot be read, because its size is unknown. */
function readLabels({ bytes, start }: Part): Labels {
  const labels: Labels = {};
  let offset = 0;
  const take = (size: number): Uint8Array => {
    if (size > bytes.length - offset) {
      throw new TracepointV1Error(
        start + offset,
        `The extension ends early: ${size} bytes are needed, ${bytes.length - offset} are left.`,
      );
    }
    offset += size;
    return bytes.subarray(offset - size, offset);
  };
  while (offset < bytes.length) {
    const [label] = take(LABEL_SIZE);
    if (label === Label.Metadata) labels.metadata = take(viewOf(take(METADATA_SIZE_SIZE)).getUint32(0, true));
    else if (label === Label.ActivityId) labels.activityId = guidText(take(GUID_SIZE));
    else if (label === Label.RelatedActivityId) labels.relatedActivityId = guidText(take(GUID_SIZE));
    else break;
  }
  return labels;
}
