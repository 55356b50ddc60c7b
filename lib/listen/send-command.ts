/** Commands from an application to its event sources. .NET: EventSource.SendCommand. */
import { argumentTexts, type CommandArguments, namedCommand, userCommand } from './commands.ts';
import { subscriptionsOf } from './subscriptions.ts';
import type { Listenable } from './written-event.ts';

/**
 * Sends the command to the source's command handlers; it changes nothing of who gets which events.
 *
 * @param command the application's own, an integer from 1 on; or `sendManifest`: what describes the source is to
 *   be written into traces once more
 * @throws RangeError for another number: those below are what listeners and sessions send
 */
export function sendCommand(
  source: Listenable,
  command: number | 'sendManifest',
  args: CommandArguments = {},
): void {
  const subscriptions = subscriptionsOf(source);
  if (command === 'sendManifest') {
    subscriptions.send(namedCommand('sendManifest', { arguments: argumentTexts(args) }));
  } else if (Number.isInteger(command) && command > 0) {
    subscriptions.send(userCommand(command, args));
  } else {
    throw new RangeError(`A command is an integer from 1 on, or 'sendManifest', not ${String(command)}.`);
  }
}
