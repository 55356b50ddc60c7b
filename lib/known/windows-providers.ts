/**
 * The providers of Windows: the names of those that are registered, and the events of those found in many traces, whose
 * payloads a trace does not describe. Packed by scripts/lib/windows-providers.mjs from windows-providers.tsv.
 */
import { extentOf, packedTypeOf } from '../wire/manifest/field-types.ts';
import { eventNameOf, INFO } from '../wire/manifest/names.ts';
import type { EventDescription, PackedField } from '../wire/packed/field.ts';

export interface KnownProvider {
  readonly name: string;
  /** Returns the event of this version, or of the nearest lower one, since newer versions add fields at the end. */
  event(id: number, version: number): EventDescription | undefined;
}

interface Version {
  readonly version: number;
  /** The index of the row in the columns. */
  readonly row: number;
}

type Columns = readonly (readonly string[])[];

export class WindowsProviders {
  readonly #byGuid = new Map<string, KnownProvider>();

  /** @param text as packed, before its compression */
  constructor(text: string) {
    const [heads = [], ...columns] = text.split('\0').map((lines) => lines.split('\n'));
    let row = 0;
    for (const head of heads) {
      const [guid = '', name = '', events] = head.split('\t');
      const end = row + Number(events);
      this.#byGuid.set(guid, new WindowsProvider(name, columns, row, end));
      row = end;
    }
  }

  /** @param guid lower case */
  find(guid: string): KnownProvider | undefined {
    return this.#byGuid.get(guid);
  }
}

class WindowsProvider implements KnownProvider {
  readonly name: string;
  readonly #columns: Columns;
  readonly #range: readonly [start: number, end: number];
  /** The key is the id, the newest version comes first. It is made on demand, since most providers are never asked. */
  #events: Map<number, Version[]> | undefined;

  constructor(name: string, columns: Columns, start: number, end: number) {
    this.name = name;
    this.#columns = columns;
    this.#range = [start, end];
  }

  event(id: number, version: number): EventDescription | undefined {
    this.#events ??= this.#index();
    const found = this.#events.get(id)?.find((each) => each.version <= version);
    return found && this.#describe(id, found.row);
  }

  #index(): Map<number, Version[]> {
    const events = new Map<number, Version[]>();
    const [ids = []] = this.#columns;
    for (let row = this.#range[0]; row < this.#range[1]; row++) {
      const [id = 0, version = 0] = ids[row]?.split(' ').map(Number) ?? [];
      events.set(
        id,
        [...(events.get(id) ?? []), { version, row }].sort((a, b) => b.version - a.version),
      );
    }
    return events;
  }

  #describe(id: number, row: number): EventDescription {
    const [, task = '', opcode = '', fields = ''] = this.#columns.map((column) => column[row]);
    const taskName = task === '' ? undefined : task;
    const opcodeName = opcode === '' ? INFO : opcode;
    return {
      provider: this.name,
      name: eventNameOf(id, taskName, opcodeName),
      ...(taskName === undefined ? {} : { taskName }),
      opcodeName,
      fields: fields === '' ? [] : fields.split(',').map(fieldOf),
    };
  }
}

const TEXTS_AND_BYTES = /^(?:UnicodeString|AnsiString|Binary)$/;

/** The facts do not tell lengths from counts: texts and bytes have lengths, and everything else is an array. */
function fieldOf(text: string): PackedField {
  const [, name = '', inType = '', extent] = /^([^:]*):(\w+)(?:\[(.+)\])?$/.exec(text) ?? [];
  const type = packedTypeOf(inType, inType === 'Binary' ? addressType(name) : undefined);
  return {
    name,
    type,
    ...(type === 'unknown' ? { typeName: inType } : {}),
    ...(extent === undefined
      ? {}
      : { [TEXTS_AND_BYTES.test(inType) ? 'length' : 'count']: extentOf(extent) }),
  };
}

/** The facts have no outTypes, but names tell addresses. Bytes that are no address are shown as bytes. */
function addressType(name: string): string | undefined {
  if (!/addr/i.test(name)) return undefined;
  return /^[a-z]{0,32}ip(?:v[46])?[a-z]{0,32}addr/i.test(name) ? 'IPv6' : 'SocketAddress';
}
