/** `tracewright agent`: collects the events of a machine's processes by rules, until it is told to end. */
import { readFileSync } from 'node:fs';
import { Agent } from '../agent/agent.ts';
import type { AgentCounters } from '../agent/agent-counters.ts';
import { type AgentSettings, readAgentSettings, SettingsError } from '../agent/settings/agent-settings.ts';
import { systemCodeText } from '../base/system-code.ts';
import { countText, thousands } from '../view/number-text.ts';
import { decodeTextFile } from '../wire/text.ts';
import { FILE } from './argument-values.ts';
import { CommandLine } from './command-line.ts';
import { say, warn } from './messages.ts';
import { flag, UsageError } from './parse-options.ts';
import { StopRequest } from './stop-request.ts';

export const commandLine = new CommandLine('agent', '[OPTION]... --config FILE', [
  `Finds the processes of this machine that have a diagnostic port, in all containers, and collects the events of those
  that the rules in FILE name: as streams, or as rings that are written when something happens. Writes .nettrace files
  within a disk budget, and sends activities to an OpenTelemetry collector. Runs until Ctrl-C or SIGTERM.`,
  {
    config: FILE.option('the settings, in JSON; see docs/agent.md'),
    check: flag('only says what is wrong with them'),
  },
]);

/** @throws UsageError, Error */
export async function run(args: readonly string[]): Promise<void> {
  const values = commandLine.options(args);
  if (values === undefined) return;
  const { config, check } = values;
  if (config === undefined) throw new UsageError('agent needs the settings: --config FILE.');
  const settings = settingsOf(config);
  if (check === true) return say(`${config}: ${countText(settings.rules.length, 'rule')}, nothing wrong.`);
  const stop = new StopRequest();
  const agent = await Agent.start(settings, (sentence) => warn(timed(sentence)));
  say(timed(`Collecting into ${settings.folder}; counters at ${agent.metricsUrl}`));
  await stop.requested;
  await agent.stop();
  say(timed(summary(agent.counters)));
}

/** A line of a log, which may be read months later. */
function timed(sentence: string): string {
  return `${new Date().toISOString()} ${sentence}`;
}

function summary({ received, written, unused, dropped, filesWritten, filesRemoved }: AgentCounters): string {
  const outcomes = `${thousands(written.sum)} written, ${thousands(unused.sum)} unused, ${thousands(dropped.sum)} dropped`;
  return `Received ${countText(received.sum, 'event')}: ${outcomes}. Wrote ${countText(filesWritten, 'file')}, removed ${thousands(filesRemoved)} for room.`;
}

function settingsOf(file: string): AgentSettings {
  try {
    return readAgentSettings(textOf(file), file);
  } catch (error) {
    throw error instanceof SettingsError ? new UsageError(error.message) : error;
  }
}

function textOf(file: string): string {
  try {
    return decodeTextFile(readFileSync(file));
  } catch (error) {
    throw new UsageError(`${file} cannot be read (${systemCodeText(error)}).`);
  }
}
