/** What a manifest's resources contain: a provider with everything that it defines, each with its message's number. */

export interface Definition {
  readonly name: string;
  /** Text without braces. */
  readonly guid: string;
  readonly message: number;
  readonly channels: readonly Channel[];
  readonly maps: readonly ValueNames[];
  readonly templates: readonly Template[];
  readonly opcodes: readonly Opcode[];
  readonly levels: readonly Named[];
  readonly tasks: readonly Named[];
  readonly keywords: readonly Keyword[];
  readonly events: readonly EventDefinition[];
  /** The outer key is the culture, the inner one the text's number. */
  readonly messages: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

export interface Named {
  /** The name has its prefix, such as `win:Error`. */
  readonly name: string;
  readonly value: number;
  readonly message: number;
}

export interface Channel extends Named {
  /** Which the events of the channel have. */
  readonly keyword: bigint;
}

export interface Opcode extends Named {
  /** The number of the task that it belongs to; 0 for any. */
  readonly task: number;
}

export interface Keyword {
  readonly name: string;
  readonly mask: bigint;
  readonly message: number;
}

export interface ValueNames {
  readonly name: string;
  readonly isBits: boolean;
  readonly entries: readonly { readonly value: number; readonly message: number }[];
}

export interface Item {
  readonly name: string;
  readonly inType: number;
  readonly outType: number;
  readonly map: ValueNames | undefined;
  /** A number of bytes or characters, or the item that has it. */
  readonly length: number | { readonly item: number } | undefined;
}

export interface Template {
  readonly items: readonly Item[];
}

export interface EventDefinition {
  readonly id: number;
  readonly version: number;
  readonly message: number;
  readonly channel: Channel | undefined;
  readonly level: Named | undefined;
  readonly opcode: Opcode | undefined;
  readonly task: Named | undefined;
  readonly keywords: readonly Keyword[];
  readonly template: Template | undefined;
}
