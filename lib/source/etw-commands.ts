/** The commands of ETW sessions to a provider, passed to its event source. Other tracers send none. */

import { namedCommand, type SourceCommand } from '../listen/commands.ts';
import type { AddonCommand } from '../platform/addon-functions.ts';
import type { Tracer } from '../platform/tracer.ts';
import { guidBytes, guidText } from '../wire/guid.ts';
import { decodeUtf8 } from '../wire/text.ts';
import type { Provider } from './source-context.ts';

/** The index is ETW's control code. As in .NET, a request for the provider's state is a request to describe itself. */
const KINDS = ['disable', 'enable', 'sendManifest'] as const;
const ENABLE = 1;
const CAPTURE_STATE = 2;

/**
 * Calls the handler with each command to the provider, after its enabled words have changed: immediately if sessions
 * have already enabled the provider, because ETW reports them only when a process registers it for the first time.
 *
 * @param provider registered
 * @returns ends it
 */
export function onEtwCommand(
  tracer: Tracer,
  provider: Provider,
  handler: (command: SourceCommand) => void,
): () => void {
  const last = tracer.lastCommand(guidBytes(provider.guid));
  const known = last?.order ?? 0;
  const send = (command: AddonCommand) => {
    const kind = KINDS[command.code];
    if (kind === undefined) return;
    const { level, anyKeyword, allKeyword, filter } = command;
    handler(
      namedCommand(kind, { level, anyKeyword, allKeyword, arguments: sessionArguments(filter), filter }),
    );
  };
  const stop = tracer.onCommand((command: AddonCommand) => {
    if (guidText(command.provider) !== provider.guid) return;
    // Of the commands on their way to this thread, the last state says everything.
    if (command.code === CAPTURE_STATE || command.order > known) send(command);
  });
  if (last?.code === ENABLE) send(last);
  return stop;
}

/**
 * Arguments as names and values, each NUL-terminated; any other bytes yield none, or only some. Source: .NET's
 * EventSource, which gets them in this form from its ETW tools.
 */
function sessionArguments(filter: Uint8Array): Readonly<Record<string, string>> {
  // What follows the last NUL is incomplete.
  const texts = decodeUtf8(filter).split('\0').slice(0, -1);
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < texts.length; index += 2) {
    pairs.push([texts[index] as string, texts[index + 1] as string]);
  }
  return Object.fromEntries(pairs);
}
