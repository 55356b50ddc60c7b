/**
 * Names of EventHeader tracepoints: `<Provider>_L<level>K<keyword>[G<group>]`, with numbers in lower-case hex without
 * leading zeros, and the definition that registers one with user_events.
 *
 * Source: LinuxTracepoints `eventheader.h`. One tracepoint serves all events of a provider with the same level and
 * keyword; it is the unit that a collector enables and disables.
 */

/** The declared fields: EventHeader's fixed part. The event itself describes the rest. */
const HEADER_FIELDS = 'u8 eventheader_flags; u8 version; u16 id; u16 tag; u8 opcode; u8 level';

/**
 * @param provider used unchanged; see `tracepointProviderName`
 * @param level 1 to 255
 * @param keyword 64 bits
 * @param group lower-case letters and digits, or empty
 */
export function tracepointName(provider: string, level: number, keyword: bigint, group = ''): string {
  const options = group === '' ? '' : `G${group}`;
  return `${provider}_L${level.toString(16)}K${keyword.toString(16)}${options}`;
}

/**
 * The name_args string of DIAG_IOCSREG. It must match that of other EventHeader writers exactly (`; ` with the space),
 * or the kernel takes it for a different event of the same name and refuses it.
 */
export function tracepointDefinition(tracepoint: string): string {
  return `${tracepoint} ${HEADER_FIELDS}`;
}

/**
 * A provider's name as part of a tracepoint name. The kernel accepts nearly anything; `perf record` (6.1) only letters,
 * digits and `_`, not starting with a digit. Other characters become `_`.
 */
export function tracepointProviderName(provider: string): string {
  const name = provider.replace(/[^A-Za-z0-9_]/g, '_');
  return /^[0-9]/.test(name) ? `_${name}` : name;
}
