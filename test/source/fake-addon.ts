/** A fake kernel: an addon with the same interface whose tracer is switched by hand and keeps what it receives. */
import { NO_WORD } from '../../lib/platform/addon.ts';
import type { AddonCommand, Backend, TracerAddon } from '../../lib/platform/addon-functions.ts';
import { TRACER_BIT } from '../../lib/platform/tracer.ts';

const WRITE_INDEX_SIZE = 4;

export class FakeAddon implements TracerAddon {
  readonly platform: Backend;
  readonly codes = { unsupported: 1001, fileClosed: 1002, notRegistered: 1003, nobodyListens: 1004 };
  /** What `open` and `register` answer, and what `write` does. */
  openError = 0;
  registerError = 0;
  writeError = 0;
  /** The definitions that were registered, by word. */
  readonly definitions = new Map<number, string>();
  readonly released: number[] = [];
  /** The events that were written, from their headers on. */
  readonly events: Uint8Array[] = [];
  readonly #words: Uint32Array;
  readonly #scratches = new Map<number, Uint8Array>();
  #allocated = 0;

  constructor({ platform = 'user_events', words = 64 }: { platform?: Backend; words?: number } = {}) {
    this.platform = platform;
    this.#words = new Uint32Array(words);
  }

  /** As when a tracer begins to record every tracepoint, or ends. */
  record(on: boolean): void {
    for (const index of this.definitions.keys()) {
      if (on) Atomics.or(this.#words, index, TRACER_BIT);
      else Atomics.and(this.#words, index, ~TRACER_BIT);
    }
  }

  open(path: string): { readonly error: number; readonly path: string } {
    return { error: this.openError, path: path || '/sys/kernel/tracing/user_events_data' };
  }

  words(): Uint32Array {
    return this.#words;
  }

  allocate(): number {
    return this.#allocated < this.#words.length ? this.#allocated++ : NO_WORD;
  }

  release(index: number): void {
    this.released.push(index);
  }

  register(index: number, definition: Uint8Array, scratch: Uint8Array): number {
    if (this.registerError !== 0) return this.registerError;
    this.definitions.set(index, Buffer.from(definition).toString());
    this.#scratches.set(index, scratch);
    return 0;
  }

  /** The tracepoints that a recorder was told of, and what it answers. */
  readonly announced: string[] = [];
  recorderError = 0;

  awaitRecorder(address: string, tracepoint: string): number {
    this.announced.push(`${address} ${tracepoint}`);
    return this.recorderError;
  }

  /** Sends a command, as when a session asks something of the provider. */
  command: (command: AddonCommand) => void = () => {};

  onCommand(handler: (command: AddonCommand) => void): void {
    this.command = handler;
  }

  lastCommand(): AddonCommand | undefined {
    return undefined;
  }

  threadActivityId(): number {
    return this.codes.unsupported;
  }

  threadCpuMSec(): number {
    return 0;
  }

  probeThreadPool(): void {}

  watchLoop(): number {
    return 0;
  }

  unwatchLoop(): void {}

  write(index: number, size: number): number | undefined {
    const scratch = this.#scratches.get(index);
    if (scratch === undefined) return this.codes.notRegistered;
    if (this.writeError === 0) this.events.push(Uint8Array.from(scratch.subarray(WRITE_INDEX_SIZE, size)));
    return this.writeError === 0 ? undefined : this.writeError;
  }
}
