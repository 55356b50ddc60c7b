/** A command whose processes connect to our diagnostic port and wait there to be resumed. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../../base/package-files.ts';
import type { ArrivedProcess } from '../../diagnostics/client/arrived-process.ts';
import { ReverseServer } from '../../diagnostics/client/reverse-server.ts';
import { type CommandEnd, RecordedCommand } from '../record/recorded-command.ts';
import { PrivatePort } from './private-port.ts';

export class TracedCommand {
  readonly #port: PrivatePort;
  readonly #server: ReverseServer;
  readonly #command: RecordedCommand;

  private constructor(port: PrivatePort, server: ReverseServer, command: RecordedCommand) {
    this.#port = port;
    this.#server = server;
    this.#command = command;
  }

  /**
   * @param output where its stdout goes
   * @param onLater called with each process after the first, which waits to be resumed
   * @throws DiagnosticsClientError
   */
  static async start(
    command: readonly string[],
    output: 'stdout' | 'stderr',
    onLater: (process: ArrivedProcess) => void,
  ): Promise<TracedCommand> {
    const port = new PrivatePort();
    try {
      const server = await ReverseServer.listen(port.address, onLater);
      const variables = portVariables(port.address);
      return new TracedCommand(port, server, new RecordedCommand(command, variables, output));
    } catch (error) {
      port.close();
      throw error;
    }
  }

  /** The first of its processes that connects, if any ever does. */
  arrived(): Promise<ArrivedProcess> {
    return this.#server.arrived();
  }

  /** Resolves when it has ended. Rejects if it could not be started. */
  get ended(): Promise<CommandEnd> {
    return this.#command.ended;
  }

  /** Tells it to end, if it is running. */
  end(): Promise<CommandEnd> {
    this.#command.end();
    return this.ended;
  }

  /** Kills it. */
  kill(): void {
    this.#command.kill();
  }

  /** No more processes can connect. */
  close(): void {
    this.#server.close();
    this.#port.close();
  }
}

/**
 * The environment variables that make a command, and everything it starts, connect to our diagnostic port and wait.
 * .NET programs connect by themselves; Node.js programs are made to, by a module of ours that they load first.
 *
 * @param address of the port
 */
function portVariables(address: string): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: options } = process.env;
  const register = pathToFileURL(join(packageFolder(), 'dist/cjs/diagnostics-register.mjs'));
  // A URL has no spaces and no quotes, which have a meaning in NODE_OPTIONS.
  const load = `--import=${register.href}`;
  return {
    DOTNET_DiagnosticPorts: `${address},connect,suspend`,
    NODE_OPTIONS: options === undefined || options === '' ? load : `${options} ${load}`,
  };
}
