/** Commands to an event source: requests of its listeners, and those that an application defines. */
import { thrownTextWithStack } from '../base/value-text.ts';

/** .NET's numbers for the named commands; an application's own are 1 or more. */
const COMMAND_CODES = { sendManifest: -1, enable: -2, disable: -3 } as const;

/** A request to an event source. .NET: EventCommandEventArgs. */
export interface SourceCommand {
  /**
   * `enable` also when an existing listener changes what it wants; `sendManifest` requests the source's description and
   * state; `user` is a command that the application defines.
   */
  readonly kind: 'enable' | 'disable' | 'sendManifest' | 'user';
  /** A user command's number, 1 or more; otherwise .NET's number for the kind: -1 to -3. */
  readonly code: number;
  /** What the sender wants or, on Windows, all sessions together; 0 for all levels. */
  readonly level: number;
  /** Requests events with any of these; 0n for all. */
  readonly anyKeyword: bigint;
  /** Selects, among those, only events with all of these; ETW only. */
  readonly allKeyword: bigint;
  /** The arguments by name, as the sender passed them. */
  readonly arguments: Readonly<Record<string, string>>;
  /** ETW: the arguments as bytes, which need not be names and values. */
  readonly filter: Uint8Array;
}

export type CommandHandler = (command: SourceCommand) => void;

/**
 * The handler also receives the sender of the command: the same object for all commands of a listener or session,
 * undefined for ETW.
 */
export type SentCommandHandler = (command: SourceCommand, sender: object | undefined) => void;

/** The arguments of a command, by name. */
export type CommandArguments = Readonly<Record<string, string | number | boolean>>;

/** The values in a command that requests nothing. */
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

/** Passes the commands to one source on to its handlers, including those added later. */
export class Commands {
  readonly #provider: string;
  #handlers: readonly SentCommandHandler[] = [];
  /** What a late handler receives: the enables still in effect, and commands from before there could be a handler. */
  #replayed: readonly { readonly sender: object | undefined; readonly command: SourceCommand }[] = [];
  /** The application does not have the source yet. */
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
    for (const handler of this.#handlers) this.#call(handler, command, sender);
  }

  onCommand(handler: SentCommandHandler): void {
    this.#handlers = [...this.#handlers, handler];
    for (const { command, sender } of this.#replayed) this.#call(handler, command, sender);
  }

  /** Later commands are for the existing handlers. */
  endEarly(): void {
    this.#isEarly = false;
  }

  #call(handler: SentCommandHandler, command: SourceCommand, sender: object | undefined): void {
    try {
      handler(command, sender);
    } catch (error) {
      process.emitWarning(
        `A command handler of ${this.#provider} threw: ${thrownTextWithStack(error)}`,
        'TracewrightWarning',
      );
    }
  }
}
