/** How a tracepoint of the format is registered. */

/** Source: dotnet/diagnostics `documentation/design-docs/ipc-protocol.md`, "Tracepoint Format V1". */
const FIELDS = 'u8 version; u16 event_id; __rel_loc u8[] extension; __rel_loc u8[] payload';

/** What the kernel would take for the end of the name, or for no name at all. */
const NOT_IN_NAMES = /[\s:;/\p{Cc}]/u;
/** The kernel's, of the whole text in bytes. */
const MAX_SIZE = 511;

/**
 * The text that DIAG_IOCSREG takes. Letter for letter the one that tools register the tracepoint with, or the
 * kernel takes it for another one of the same name.
 */
export function tracepointV1Definition(name: string): string {
  return `${name} ${FIELDS}`;
}

/** Whether the text is all name to the kernel; tools take less, perf only letters, digits and `_`. */
export function isTracepointName(text: string): boolean {
  return (
    text !== '' &&
    !text.startsWith('.') &&
    !NOT_IN_NAMES.test(text) &&
    Buffer.byteLength(tracepointV1Definition(text)) <= MAX_SIZE
  );
}
