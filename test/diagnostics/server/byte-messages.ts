/**
 * Messages to a diagnostic port, assembled byte by byte from the protocol's document (ipc-protocol.md of
 * github.com/dotnet/diagnostics), independently of the port's own code.
 */
const MAGIC = Buffer.from('DOTNET_IPC_V1\0', 'latin1');
const HEADER_SIZE = 20;

export const [DUMP, EVENT_PIPE, PROFILER, PROCESS, SERVER] = [0x01, 0x02, 0x03, 0x04, 0xff];
export const [OK, ERROR] = [0x00, 0xff];

/** As the document names them. */
export const HRESULT = {
  BAD_ENCODING: 0x80131384,
  UNKNOWN_COMMAND: 0x80131385,
  UNKNOWN_MAGIC: 0x80131386,
  NOT_SUPPORTED: 0x80131515,
  FAIL: 0x80004005,
  ENVVAR_NOT_FOUND: 0x800000cb,
} as const;

/** Hexadecimal digits; spaces and line ends between them are for the reader. */
export const hex = (digits: string): Buffer => Buffer.from(digits.replaceAll(/\s/g, ''), 'hex');

export const u8 = (value: number): Buffer => Buffer.of(value);
export const u16 = (value: number): Buffer => Buffer.of(value & 0xff, value >> 8);

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Its UTF-16 units, with the NUL, counted. */
export const text = (value: string): Buffer =>
  Buffer.concat([u32(value.length + 1), Buffer.from(`${value}\0`, 'utf16le')]);

/** A text that is absent. .NET's client writes an empty one as `text('')`; both are to be taken. */
export const NO_TEXT = u32(0);

export const array = (items: readonly Buffer[]): Buffer => Buffer.concat([u32(items.length), ...items]);

/** @param size as the header is to claim it; the true one unless given */
export function header(set: number, id: number, size: number, magic: Buffer = MAGIC): Buffer {
  return Buffer.concat([magic, u16(size), u8(set), u8(id), u16(0)]);
}

export function message(set: number, id: number, ...payload: readonly Buffer[]): Buffer {
  const body = Buffer.concat(payload);
  return Buffer.concat([header(set, id, HEADER_SIZE + body.length), body]);
}

/** A reply that is nothing but an HRESULT, 24 bytes: of an error, or of a command that went well. */
export const resultReply = (id: number, result: number): Buffer => message(SERVER, id, u32(result));
export const errorReply = (name: keyof typeof HRESULT): Buffer => resultReply(ERROR, HRESULT[name]);
export const DONE = resultReply(OK, 0);

export const stopTracing = (session: bigint): Buffer => message(EVENT_PIPE, 0x01, u64(session));

export interface AskedProvider {
  readonly name: string;
  readonly keywords?: bigint;
  readonly level?: number;
  readonly arguments?: Buffer;
  /** Of CollectTracing5 and later. `denied: []`, unless given: everything passes. */
  readonly allowed?: readonly number[];
  readonly denied?: readonly number[];
}

/** A provider as CollectTracing to CollectTracing4 have it. */
export const provider = ({
  name,
  keywords = 0n,
  level = 0,
  arguments: args = NO_TEXT,
}: AskedProvider): Buffer => Buffer.concat([u64(keywords), u32(level), text(name), args]);

/** As CollectTracing5 and later have it. */
export function filteredProvider(asked: AskedProvider): Buffer {
  const { allowed, denied = [] } = asked;
  const filter = Buffer.concat([u8(allowed === undefined ? 0 : 1), array((allowed ?? denied).map(u32))]);
  return Buffer.concat([provider(asked), filter]);
}

const MEGABYTES = u32(10);
export const NET_TRACE = u32(1);
const STREAMING = u32(0);
const [NO, YES] = [u8(0), u8(1)];

export const collectTracing = (...providers: readonly AskedProvider[]): Buffer =>
  message(EVENT_PIPE, 0x02, MEGABYTES, NET_TRACE, array(providers.map(provider)));

export const collectTracing2 = (...providers: readonly AskedProvider[]): Buffer =>
  message(EVENT_PIPE, 0x03, MEGABYTES, NET_TRACE, NO, array(providers.map(provider)));

export const collectTracing3 = (...providers: readonly AskedProvider[]): Buffer =>
  message(EVENT_PIPE, 0x04, MEGABYTES, NET_TRACE, NO, YES, array(providers.map(provider)));

export const collectTracing4 = (...providers: readonly AskedProvider[]): Buffer =>
  message(EVENT_PIPE, 0x05, MEGABYTES, NET_TRACE, u64(0n), YES, array(providers.map(provider)));

const streaming5 = (providers: readonly AskedProvider[]): Buffer =>
  Buffer.concat([STREAMING, MEGABYTES, NET_TRACE, u64(0n), YES, array(providers.map(filteredProvider))]);

export const collectTracing5 = (...providers: readonly AskedProvider[]): Buffer =>
  message(EVENT_PIPE, 0x06, streaming5(providers));

const [DROP, BLOCK] = [u32(0), u32(1)];

export const collectTracing6 = (...providers: readonly AskedProvider[]): Buffer =>
  message(EVENT_PIPE, 0x07, streaming5(providers), DROP);

/** As CollectTracing6; the process waits where it would drop events. */
export const blockingTracing6 = (...providers: readonly AskedProvider[]): Buffer =>
  message(EVENT_PIPE, 0x07, streaming5(providers), BLOCK);
