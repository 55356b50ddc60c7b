/** What sessions ask of an event source; ETW only, where the provider is told. */

import type { AddonCommand } from '../platform/addon.ts';
import type { Kernel } from '../platform/kernel.ts';
import { thrownTextWithStack } from '../session/shown.ts';
import { guidText } from '../wire/guid.ts';
import type { Provider } from './provider.ts';

export interface SourceCommand {
  /** `captureState` asks for events that tell the application's state. */
  readonly kind: 'enable' | 'disable' | 'captureState';
  /** 0: all levels. */
  readonly level: number;
  /** Events with any of these are asked for; 0n: all. */
  readonly anyKeyword: bigint;
  /** Of those, events with all of these. */
  readonly allKeyword: bigint;
  /** The session's arguments, as it gave them. */
  readonly filter: Uint8Array;
}

export type CommandHandler = (command: SourceCommand) => void;

const KINDS = ['disable', 'enable', 'captureState'] as const;

/** Has the handler called for each command to the provider, after its enabled words have changed. */
export function onCommand(kernel: Kernel, provider: Provider, handler: CommandHandler): void {
  kernel.onCommand((command: AddonCommand) => {
    const kind = KINDS[command.code];
    if (kind === undefined || guidText(command.provider) !== provider.guid) return;
    const { level, anyKeyword, allKeyword, filter } = command;
    try {
      handler({ kind, level, anyKeyword, allKeyword, filter });
    } catch (error) {
      process.emitWarning(
        `A command handler of ${provider.name} threw: ${thrownTextWithStack(error)}`,
        'TracewrightWarning',
      );
    }
  });
}
