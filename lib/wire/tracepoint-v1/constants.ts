/**
 * The numbers of the tracepoint format that .NET's EventPipe writes. Source: dotnet/runtime `ep-session.c` and
 * dotnet/diagnostics `documentation/design-docs/ipc-protocol.md` (user_events format, version 1).
 */

export const FORMAT_VERSION = 1;

/** The positions of the fields, which are packed. */
export const EVENT_ID_OFFSET = 1;
export const EXTENSION_OFFSET = 3;
export const PAYLOAD_OFFSET = 7;
export const FIXED_SIZE = 11;
/** A `__rel_loc`: distance from its own end in the low half, size in the high half. */
export const LOCATION_SIZE = 4;

/** Of the parts of the extension. */
export const Label = { Metadata: 1, ActivityId: 2, RelatedActivityId: 3 } as const;
export const LABEL_SIZE = 1;
/** Of the metadata's size, which follows its label. */
export const METADATA_SIZE_SIZE = 4;
export const GUID_SIZE = 16;
