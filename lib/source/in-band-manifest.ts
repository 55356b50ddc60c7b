/**
 * The manifest of a provider inside traces: written when a session enables the provider, on request, and when a source
 * is closed or the process exits. There is one for all definitions of the provider in this thread, even closed ones:
 * tools such as PerfView keep a single manifest for each provider of a trace.
 *
 * Source: .NET's EventSource.
 */
import { doAtExit } from '../listen/at-exit.ts';
import { type EnabledWord, TRACER_BIT, type Tracer } from '../platform/tracer.ts';
import { generateManifest, type ManifestSource } from '../wire/manifest/generate.ts';
import {
  encodeManifestChunk,
  MANIFEST_DESCRIPTOR,
  MAX_CHUNK_SIZE,
  MIN_CHUNK_SIZE,
  manifestChunks,
} from '../wire/manifest/in-band.ts';
import { DEFAULT_CULTURE } from '../wire/manifest/strings.ts';
import type { EventSchema, FieldSchema } from '../wire/schema.ts';
import { scratch } from '../wire/scratch.ts';
import { onEtwCommand } from './etw-commands.ts';
import type { SourceContext } from './source-context.ts';
import { etwDefinition } from './tracer-format.ts';

/** The inner key is the provider's GUID. */
const manifests = new WeakMap<Tracer, Map<string, InBandManifest>>();

/** Adds a definition to the manifest of its provider. @returns closes it */
export function writeManifestInBand(context: SourceContext, described: ManifestSource): () => void {
  const { tracer, provider } = context;
  const known = manifests.get(tracer) ?? new Map<string, InBandManifest>();
  manifests.set(tracer, known);
  const manifest = known.get(provider.guid) ?? new InBandManifest();
  known.set(provider.guid, manifest);
  return manifest.open(context, described);
}

class InBandManifest {
  #described: ManifestSource | undefined;
  readonly #events = new Map<number, EventSchema>();
  /** The contents of maps, by name. */
  readonly #maps = new Map<string, string>();
  #context: SourceContext | undefined;
  /** Enabled while a session wants the provider; undefined without open definitions. */
  #word: EnabledWord | undefined;
  #users = 0;
  #isAsked = false;
  #endings: readonly (() => void)[] = [];

  open(context: SourceContext, described: ManifestSource): () => void {
    this.#context = context;
    const isLarger = this.#add(described);
    if (this.#users++ === 0) this.#register(context);
    else if (isLarger) this.#write();
    // Each of the definitions gets a session's request.
    context.subscriptions.onCommand(({ kind }) => {
      if (kind !== 'sendManifest' || this.#isAsked) return;
      this.#isAsked = true;
      queueMicrotask(() => {
        this.#isAsked = false;
        this.#write();
      });
    });
    return () => {
      this.#write();
      if (--this.#users === 0) this.#release(context);
    };
  }

  /** @returns whether it describes more than before */
  #add(described: ManifestSource): boolean {
    const before = this.#events.size;
    // Events with one id are the same, in all definitions.
    for (const event of described.events) {
      const fields = event.fields.map((field) => this.#withOwnMap(field));
      this.#events.set(event.id, { ...event, fields });
    }
    const keywordNames = { ...described.keywordNames, ...this.#described?.keywordNames };
    const textsOf = (source: ManifestSource | undefined) => source?.messages?.[DEFAULT_CULTURE];
    const messages = { [DEFAULT_CULTURE]: { ...textsOf(described), ...textsOf(this.#described) } };
    const events = [...this.#events.values()];
    this.#described = { ...described, ...this.#described, events, keywordNames, messages };
    return this.#events.size > before;
  }

  /** Definitions may have different maps with one name. */
  #withOwnMap(field: FieldSchema): FieldSchema {
    // Manifests have no structs.
    if (field.type === 'struct' || field.map === undefined) return field;
    const { kind, names } = field.map;
    const contents = JSON.stringify([kind, names]);
    let { name } = field.map;
    while ((this.#maps.get(name) ?? contents) !== contents) name = `${name}_`;
    this.#maps.set(name, contents);
    return name === field.map.name ? field : { ...field, map: { ...field.map, name } };
  }

  #register(context: SourceContext): void {
    const { tracer, provider, account } = context;
    const word = tracer.allocate();
    const definition = etwDefinition(provider, MANIFEST_DESCRIPTOR);
    const problem = tracer.register(word, provider.name, definition, scratch);
    if (problem !== undefined) {
      tracer.release(word);
      account.tell('manifest', () => problem);
      return;
    }
    this.#word = word;
    const write = () => this.#write();
    const stopHearing = onEtwCommand(tracer, provider, ({ kind }) => {
      if (kind === 'enable') write();
    });
    this.#endings = [stopHearing, doAtExit(write)];
  }

  #release({ tracer }: SourceContext): void {
    for (const end of this.#endings) end();
    this.#endings = [];
    if (this.#word !== undefined) tracer.release(this.#word);
    this.#word = undefined;
  }

  #write(): void {
    const word = this.#word;
    if (word === undefined || ((word.words[word.index] as number) & TRACER_BIT) === 0) return;
    const { tracer, account } = this.#context as SourceContext;
    const reason = writeChunks(
      tracer,
      word,
      generateManifest(this.#described as ManifestSource, DEFAULT_CULTURE),
    );
    if (reason !== undefined) account.drop(reason);
  }
}

/** Tries smaller and smaller chunks until the session has room; returns why it has none even for the smallest. */
function writeChunks(tracer: Tracer, word: EnabledWord, xml: string): string | undefined {
  for (let size = MAX_CHUNK_SIZE; ; size = Math.max(MIN_CHUNK_SIZE, size >> 1)) {
    let reason: string | undefined;
    for (const chunk of manifestChunks(xml, size)) {
      const error = tracer.write(word, encodeManifestChunk(chunk));
      if (error === undefined) continue;
      reason = tracer.writeReason(error);
      break;
    }
    const isTooLarge = reason === 'tooLarge' || reason === 'tooLargeForSession';
    if (!isTooLarge || size === MIN_CHUNK_SIZE) return reason;
  }
}
