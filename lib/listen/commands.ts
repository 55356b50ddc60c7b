/** Commands to an event source: what those who listen to it ask of it, and what an application makes up. */
import { thrownTextWithStack } from '../base/value-text.ts';

/** .NET's numbers of the commands that have names; those of an application are 1 and more. */
const COMMAND_CODES = { sendManifest: -1, enable: -2, disable: -3 } as const;

/** What is asked of an event source. .NET: EventCommandEventArgs. */
export interface SourceCommand {
  /**
   * `enable` also when somebody who listens already changes what they want; `sendManifest` asks for what
   * describes the source and its state; `user` is a command of the application's own.
   */
  readonly kind: 'enable' | 'disable' | 'sendManifest' | 'user';
  /** A user command's number, 1 or more; else .NET's number for the kind: -1 to -3. */
  readonly code: number;
  /** What the one who asks wants, or, on Windows, all sessions together; 0: all levels. */
  readonly level: number;
  /** Events with any of these are asked for; 0n: all. */
  readonly anyKeyword: bigint;
  /** Of those, events with all of these; ETW only. */
  readonly allKeyword: bigint;
  /** By name, as the one who asks gave them. */
  readonly arguments: Readonly<Record<string, string>>;
  /** ETW: the arguments as bytes, which need not be names and values. */
  readonly filter: Uint8Array;
}

export type CommandHandler = (command: SourceCommand) => void;

/** Arguments of a command, by name. */
export type CommandArguments = Readonly<Record<string, string | number | boolean>>;

/** What a command says where nothing is asked for. */
const PLAIN = { level: 0, anyKeyword: 0n, allKeyword: 0n, arguments: {}, filter: new Uint8Array(0) };

export function namedCommand(
  kind: keyof typeof COMMAND_CODES,
  details: Partial<SourceCommand> = {},
): SourceCommand {
  return { ...PLAIN, ...details, kind, code: COMMAND_CODES[kind] };
}

/** @param code 1 or more */
export function userCommand(code: number, args: CommandArguments): SourceCommand {
  return { ...PLAIN, kind: 'user', code, arguments: argumentTexts(args) };
}

export function argumentTexts(args: CommandArguments): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, String(value)]));
}

/** Hands the commands to one source on to its handlers, also to those that come later. */
export class Commands {
  readonly #provider: string;
  #handlers: readonly CommandHandler[] = [];
  /** What a late handler is told: the enables that hold, and what came before there could be a handler. */
  #replayed: readonly { readonly sender: object | undefined; readonly command: SourceCommand }[] = [];
  /** Until the source is in the application's hands. */
  #isEarly = true;

  /** @param provider for warnings */
  constructor(provider: string) {
    this.#provider = provider;
  }

  /** @param sender the same object for all commands of one listener or session */
  send(command: SourceCommand, sender?: object): void {
    if (command.kind === 'enable' || command.kind === 'disable') {
      this.#replayed = this.#replayed.filter((kept) => kept.sender !== sender);
    }
    if (command.kind === 'enable') this.#replayed = [...this.#replayed, { sender, command }];
    else if (command.kind !== 'disable' && this.#isEarly) {
      this.#replayed = [...this.#replayed, { sender: {}, command }];
    }
    for (const handler of this.#handlers) this.#call(handler, command);
  }

  onCommand(handler: CommandHandler): void {
    this.#handlers = [...this.#handlers, handler];
    for (const { command } of this.#replayed) this.#call(handler, command);
  }

  /** Commands that come from now on are for the handlers that are there. */
  endEarly(): void {
    this.#isEarly = false;
  }

  #call(handler: CommandHandler, command: SourceCommand): void {
    try {
      handler(command);
    } catch (error) {
      process.emitWarning(
        `A command handler of ${this.#provider} threw: ${thrownTextWithStack(error)}`,
        'TracewrightWarning',
      );
    }
  }
}
