/** What ETW's sessions ask of a provider, as commands to its event source. Other tracers tell nobody. */
import type { AddonCommand } from '../platform/addon.ts';
import type { Kernel } from '../platform/kernel.ts';
import { namedCommand, type SourceCommand } from '../session/commands.ts';
import { guidText } from '../wire/guid.ts';
import { decodeUtf8 } from '../wire/text.ts';
import type { Provider } from './provider.ts';

/** By ETW's control code. Like .NET, it takes a request for the provider's state for one to describe itself. */
const KINDS = ['disable', 'enable', 'sendManifest'] as const;

/** Has the handler called for each command to the provider, after its enabled words have changed. */
export function onEtwCommand(
  kernel: Kernel,
  provider: Provider,
  handler: (command: SourceCommand) => void,
): void {
  kernel.onCommand((command: AddonCommand) => {
    const kind = KINDS[command.code];
    if (kind === undefined || guidText(command.provider) !== provider.guid) return;
    const { level, anyKeyword, allKeyword, filter } = command;
    handler(
      namedCommand(kind, { level, anyKeyword, allKeyword, arguments: sessionArguments(filter), filter }),
    );
  });
}

/**
 * Arguments as names and values, each with a NUL at its end; whatever else the bytes are gives none, or few.
 * Source: .NET's EventSource, which takes them in this form from its ETW tools.
 */
function sessionArguments(filter: Uint8Array): Readonly<Record<string, string>> {
  // What follows the last NUL is not whole.
  const texts = decodeUtf8(filter).split('\0').slice(0, -1);
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < texts.length; index += 2) {
    pairs.push([texts[index] as string, texts[index + 1] as string]);
  }
  return Object.fromEntries(pairs);
}
