/** CollectTracing, versions 1 to 6, as bytes. */
import {
  BufferMode,
  DEFAULT_RUNDOWN_KEYWORD,
  MAX_LEVEL,
  MAX_PROVIDERS,
  SessionType,
  StreamFormat,
} from './constants.ts';
import { DiagnosticsIpcError } from './error.ts';
import type { MessageCursor } from './message-cursor.ts';
import type { MessageWriter } from './message-writer.ts';
import {
  type EventFilter,
  leastVersion,
  type StreamingTracing,
  type TracepointConfig,
  type Tracing,
  type TracingProvider,
  type TracingVersion,
} from './tracing.ts';

/** A provider takes at least these bytes: keywords, level and the lengths of name and arguments. */
const LEAST_PROVIDER_SIZE = 20;
const FORMATS: readonly number[] = Object.values(StreamFormat);

/** @throws DiagnosticsIpcError if the version cannot express it */
export function writeTracing(writer: MessageWriter, version: TracingVersion, tracing: Tracing): void {
  const least = leastVersion(tracing);
  if (version < least) {
    throw new DiagnosticsIpcError(
      'inexpressible',
      0,
      `CollectTracing ${version} cannot express this request; it needs version ${least} or later.`,
    );
  }
  if (version >= 5) {
    writer.uint32(tracing.sessionType === 'streaming' ? SessionType.Streaming : SessionType.UserEvents);
  }
  if (tracing.sessionType === 'user_events') {
    writer.uint64(tracing.rundownKeyword);
    writer.array(tracing.providers, (provider) => {
      writeProvider(writer, version, provider);
      writeTracepointConfig(writer, provider.tracepoints);
    });
    return;
  }
  writer.uint32(tracing.bufferMegabytes);
  writer.uint32(tracing.format);
  if (version >= 4) writer.uint64(tracing.rundownKeyword);
  else if (version >= 2) writer.boolean(tracing.rundownKeyword !== 0n);
  if (version >= 3) writer.boolean(tracing.collectsStacks);
  writer.array(tracing.providers, (provider) => writeProvider(writer, version, provider));
  if (version >= 6) writer.uint32(tracing.bufferMode);
}

function writeProvider(writer: MessageWriter, version: TracingVersion, provider: TracingProvider): void {
  writer.uint64(provider.keywords);
  writer.uint32(provider.level);
  writer.text(provider.name);
  writer.text(provider.arguments);
  if (version < 5) return;
  const { isAllowList, ids } = provider.filter ?? { isAllowList: false, ids: [] };
  writer.boolean(isAllowList);
  writer.uint32Array(ids);
}

/** @throws DiagnosticsIpcError */
export function readTracing(payload: MessageCursor, version: TracingVersion): Tracing {
  const at = payload.offset;
  const sessionType = version >= 5 ? payload.uint32() : SessionType.Streaming;
  switch (sessionType) {
    case SessionType.Streaming:
      return readStreaming(payload, version);
    case SessionType.UserEvents: {
      const rundownKeyword = payload.uint64();
      const providers = readProviders(payload, version, (provider) => ({
        ...provider,
        tracepoints: readTracepointConfig(payload),
      }));
      return { sessionType: 'user_events', rundownKeyword, providers };
    }
    default:
      return payload.fail(`The session type ${sessionType} does not exist.`, at);
  }
}

function readStreaming(payload: MessageCursor, version: TracingVersion): StreamingTracing {
  const bufferAt = payload.offset;
  const bufferMegabytes = payload.uint32();
  if (bufferMegabytes === 0) payload.fail('A session cannot have a buffer of 0 MB.', bufferAt);
  const formatAt = payload.offset;
  const format = payload.uint32();
  if (!FORMATS.includes(format)) payload.fail(`The format ${format} does not exist.`, formatAt);
  const rundownKeyword = readRundownKeyword(payload, version);
  const collectsStacks = version >= 3 ? payload.boolean() : true;
  const providers = readProviders(payload, version, (provider) => provider);
  const modeAt = payload.offset;
  const bufferMode = version >= 6 ? payload.uint32() : BufferMode.Drop;
  if (bufferMode !== BufferMode.Drop && bufferMode !== BufferMode.Block) {
    payload.fail(`The buffer mode ${bufferMode} does not exist.`, modeAt);
  }
  return {
    sessionType: 'streaming',
    bufferMegabytes,
    format,
    rundownKeyword,
    collectsStacks,
    bufferMode,
    providers,
  };
}

function readRundownKeyword(payload: MessageCursor, version: TracingVersion): bigint {
  if (version >= 4) return payload.uint64();
  return version === 1 || payload.boolean() ? DEFAULT_RUNDOWN_KEYWORD : 0n;
}

/** @param complete reads what follows each provider */
function readProviders<P>(
  payload: MessageCursor,
  version: TracingVersion,
  complete: (provider: TracingProvider) => P,
): P[] {
  const at = payload.offset;
  const providers = payload.array('providers', LEAST_PROVIDER_SIZE, () =>
    complete(readProvider(payload, version)),
  );
  if (providers.length === 0 || providers.length > MAX_PROVIDERS) {
    payload.fail(`A session has 1 to ${MAX_PROVIDERS} providers, not ${providers.length}.`, at);
  }
  return providers;
}

function readProvider(payload: MessageCursor, version: TracingVersion): TracingProvider {
  const keywords = payload.uint64();
  const levelAt = payload.offset;
  const level = payload.uint32();
  if (level > MAX_LEVEL) payload.fail(`The level ${level} does not exist.`, levelAt);
  const provider = { keywords, level, name: payload.name("provider's name"), arguments: payload.text() };
  return version >= 5 ? { ...provider, filter: readFilter(payload) } : provider;
}

function readFilter(payload: MessageCursor): EventFilter {
  const isAllowList = payload.boolean();
  return { isAllowList, ids: payload.eventIds() };
}

/** A set takes at least these bytes: the length of its name, a character and the NUL, and the number of its ids. */
const LEAST_SET_SIZE = 12;

function writeTracepointConfig(writer: MessageWriter, config: TracepointConfig): void {
  writer.text(config.defaultName);
  writer.array(config.sets, ({ name, ids }) => {
    writer.text(name);
    writer.uint32Array(ids);
  });
}

/**
 * A set without ids is allowed only with a default tracepoint, as in .NET's runtime.
 *
 * @throws DiagnosticsIpcError
 */
function readTracepointConfig(payload: MessageCursor): TracepointConfig {
  const at = payload.offset;
  const defaultName = payload.text() || undefined;
  const sets = payload.array('sets of events', LEAST_SET_SIZE, () => ({
    name: payload.name("tracepoint's name"),
    ids: payload.eventIds(),
  }));
  if (defaultName === undefined) {
    if (sets.length === 0) payload.fail('A provider has no tracepoint.', at);
    const empty = sets.find(({ ids }) => ids.length === 0);
    if (empty !== undefined) payload.fail(`Tracepoint ${empty.name} has no events.`, at);
  }
  const seen = new Set<number>();
  for (const id of sets.flatMap(({ ids }) => [...new Set(ids)])) {
    if (seen.has(id)) payload.fail(`Event ${id} has two tracepoints.`, at);
    seen.add(id);
  }
  return { defaultName, sets };
}
