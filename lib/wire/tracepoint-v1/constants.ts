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

/** The parts of the extension have these labels. */
export const Label = { Metadata: 1, ActivityId: 2, RelatedActivityId: 3 } as const;
export const LABEL_SIZE = 1;
/** The metadata's size, which follows its label, takes this many bytes. */
export const METADATA_SIZE_SIZE = 4;
export const GUID_SIZE = 16;
