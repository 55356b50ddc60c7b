/** How to register a tracepoint of the format. */

/** Source: dotnet/diagnostics `documentation/design-docs/ipc-protocol.md`, "Tracepoint Format V1". */
const FIELDS = 'u8 version; u16 event_id; __rel_loc u8[] extension; __rel_loc u8[] payload';

/** The kernel would take this for the end of the name, or for no name at all. */
const NOT_IN_NAMES = /[\s:;/\p{Cc}]/u;
/** The kernel's limit for the whole text, in bytes. */
const MAX_SIZE = 511;

/**
 * The text for DIAG_IOCSREG. It must match the one with which tools register the tracepoint exactly, or the kernel
 * takes it for a different one of the same name.
 */
export function tracepointV1Definition(name: string): string {
  return `${name} ${FIELDS}`;
}

/** Whether the kernel treats the whole text as the name; tools accept less, perf only letters, digits and `_`. */
export function isTracepointName(text: string): boolean {
  return (
    text !== '' &&
    !text.startsWith('.') &&
    !NOT_IN_NAMES.test(text) &&
    Buffer.byteLength(tracepointV1Definition(text)) <= MAX_SIZE
  );
}
