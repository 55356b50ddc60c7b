/** The descriptions of the WPP messages in an .etl: TMF texts, passed in or found by the messages' GUID. */
import { EmptyPayload, type Payload } from '../../wire/decoded-field.ts';
import type { EtlRecord } from '../../wire/etl/buffer.ts';
import { readMessageHeader } from '../../wire/etl/message.ts';
import { guidAt } from '../../wire/etl/record.ts';
import { decodePacked } from '../../wire/packed/decode.ts';
import { hexFieldsOf } from '../../wire/packed/hex-fields.ts';
import { argumentTexts, messageText } from '../../wire/wpp/message-text.ts';
import { parseTmf, type TmfMessage } from '../../wire/wpp/tmf.ts';
import { timeText } from '../time-text.ts';
import type { TraceEvent } from '../trace-event.ts';
import type { TmfFinder } from '../trace-reader.ts';
import type { DescribedEvent } from './described-event.ts';

/** Messages that have a component's id in place of a GUID get this provider. */
const UNKNOWN_PROVIDER = 'Unknown';

/** The field with a message's text, so that every table and export has it. The name is that of Windows' TDH. */
const TEXT = 'FormattedString';

type Messages = Map<number, TmfMessage>;

export class MessageDescriptions {
  readonly #byGuid = new Map<string, Messages>();
  readonly #find: TmfFinder | undefined;
  readonly #searched = new Set<string>();
  /** A text may describe many GUIDs. */
  readonly #parsed = new Set<string>();

  /**
   * @param tmf texts, or what finds them
   * @throws Error if a given one cannot be read
   */
  constructor(tmf: readonly string[] | TmfFinder) {
    if (typeof tmf === 'function') {
      this.#find = tmf;
      return;
    }
    for (const [index, text] of tmf.entries()) {
      const { messages, problems } = parseTmf(text, `TMF ${index + 1}`);
      if (problems[0] !== undefined) throw new Error(problems[0]);
      this.#add(messages);
    }
  }

  /** @param guid lower case */
  of(guid: string, number: number): TmfMessage | undefined {
    if (this.#find !== undefined && !this.#searched.has(guid)) {
      this.#searched.add(guid);
      for (const text of this.#find(guid)) {
        if (!this.#parsed.has(text)) this.#add(parseTmf(text, guid).messages);
        this.#parsed.add(text);
      }
    }
    return this.#byGuid.get(guid)?.get(number);
  }

  /** @param record a message */
  at(record: EtlRecord): TmfMessage | undefined {
    const { guid, number } = readMessageHeader(record);
    return guid === 0 ? undefined : this.of(guidAt(record, guid), number);
  }

  /** The first description of a message counts. */
  #add(messages: readonly TmfMessage[]): void {
    for (const message of messages) {
      const same = this.#byGuid.get(message.guid) ?? new Map<number, TmfMessage>();
      this.#byGuid.set(message.guid, same);
      if (!same.has(message.number)) same.set(message.number, message);
    }
  }
}

/** @param guid lower case; undefined for a message with a component's id */
export function describedMessage(
  message: TmfMessage | undefined,
  guid: string | undefined,
  number: number,
): DescribedEvent {
  return message === undefined ? undescribed(guid, number) : described(message);
}

function described(message: TmfMessage): DescribedEvent {
  const { component, guid, name, level, fields } = message;
  return {
    provider: component,
    providerGuid: guid,
    name,
    taskName: undefined,
    opcodeName: undefined,
    hexFields: hexFieldsOf(fields),
    texts: argumentTexts(message),
    level,
    labels: labelsOf(message),
    decode: (bytes, pointerSize) => decodePacked(fields, bytes, pointerSize),
    complete: (payload, event, pointerSize) => {
      const { threadId, processId, processor, payloadBytes } = event;
      const time = timeText(event.timestamp);
      const context = { threadId, processId, processor, sequence: sequenceOf(event), time };
      const text = messageText(message, payload, pointerSize, context, payloadBytes.length);
      payload[TEXT] = text;
      return text.length;
    },
    message: (payload) => String(payload[TEXT]),
  };
}

function labelsOf({ keys, file, line }: TmfMessage): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  if (file !== undefined) labels.Source = `${file}:${line}`;
  for (const [label, key] of Object.entries({ Function: 'FUNC', Level: 'LEVEL', Flags: 'FLAGS' })) {
    const value = keys.get(key);
    if (value) labels[label] = value;
  }
  return labels;
}

function sequenceOf({ labels }: TraceEvent): number | undefined {
  return labels?.Sequence === undefined ? undefined : Number(labels.Sequence);
}

/** Its arguments are one field of bytes. */
function undescribed(guid: string | undefined, number: number): DescribedEvent {
  const problem =
    guid === undefined
      ? `Nothing describes message ${number} (WPP), which has no GUID.`
      : `Nothing describes message ${number} (WPP) of ${guid}: pass the TMF file or the PDB of its program (--tmf).`;
  return {
    provider: guid ?? UNKNOWN_PROVIDER,
    providerGuid: guid,
    name: `Message(${number})`,
    taskName: undefined,
    opcodeName: undefined,
    decode: (bytes) => {
      const payload: Payload = new EmptyPayload();
      if (bytes.length > 0) payload.Arguments = bytes;
      return { payload, problem, values: 1 };
    },
  };
}

/** What each message says of itself: its place in the session's messages, its component. */
export function messageLabels(
  record: EtlRecord,
  common: DescribedEvent['labels'],
): Readonly<Record<string, string>> | undefined {
  const { view } = record.buffer;
  const { sequence, component } = readMessageHeader(record);
  if (sequence === 0 && component === 0) return common;
  return {
    ...common,
    ...(sequence === 0 ? {} : { Sequence: String(view.getUint32(sequence, true)) }),
    ...(component === 0 ? {} : { Component: String(view.getUint32(component, true)) }),
  };
}
