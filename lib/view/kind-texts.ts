/** What the events of one kind have in common as text, which is created once for all of them. */
import { KIND_PROPERTIES, type TraceEvent } from '../trace/trace-event.ts';

/** The maximum size of what is kept, in characters: corrupt or hostile traces can have any number of kinds. */
const MAX_KEPT = 4_000_000;
/** The approximate size of an entry besides its text. */
const ENTRY_SIZE = 100;
/** The maximum number of kinds with the same name. */
const MAX_OF_NAME = 16;

const GETTERS = Object.values(KIND_PROPERTIES);

/** The values are in the order of `KIND_PROPERTIES`. */
type KindValues = readonly (string | number | undefined)[];

interface Kind {
  readonly values: readonly unknown[];
  readonly text: string;
}

const NO_KINDS: readonly Kind[] = [];

export class KindTexts {
  /** The key is a name, which events of several providers can share. */
  readonly #kinds = new Map<string, Kind[]>();
  readonly #textOf: (values: KindValues) => string;
  #room = MAX_KEPT;

  /** @param textOf makes the text; keywords are in hex */
  constructor(textOf: (values: KindValues) => string) {
    this.#textOf = textOf;
  }

  of(event: TraceEvent): string {
    const { name } = event;
    const named = this.#kinds.get(name);
    for (const kind of named ?? NO_KINDS) if (isOf(kind, event)) return kind.text;
    const values = GETTERS.map((get) => get(event));
    const text = this.#textOf(
      values.map((value) => (typeof value === 'bigint' ? `0x${value.toString(16)}` : value)),
    );
    if ((named?.length ?? 0) < MAX_OF_NAME && this.#takeRoom(text)) {
      const kind = { values, text };
      if (named === undefined) this.#kinds.set(name, [kind]);
      else named.push(kind);
    }
    return text;
  }

  #takeRoom(text: string): boolean {
    this.#room -= text.length + ENTRY_SIZE;
    return this.#room >= 0;
  }
}

function isOf({ values }: Kind, event: TraceEvent): boolean {
  for (let i = 0; i < GETTERS.length; i++) if (GETTERS[i]?.(event) !== values[i]) return false;
  return true;
}
