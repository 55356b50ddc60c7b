/** The running diagnostic port: where tools connect, and the sessions they have requested. */

import { systemCodeOf } from '../../base/system-code.ts';
import { thrownText } from '../../base/value-text.ts';
import { doAtExit } from '../../listen/at-exit.ts';
import { thisProcess } from '../../listen/this-process.ts';
import { type UnixSockets, unixSockets } from '../../platform/unix-socket.ts';
import { encodeAdvertise } from '../../wire/diagnostics-ipc/advertise.ts';
import { temporaryFolder } from '../port-folders.ts';
import type { Listener, OnConnection, ServerConnection } from './connection.ts';
import { Connector, type ServeAdvertised } from './connector.ts';
import type { DescriptorConnection } from './descriptor-connection.ts';
import { isDefaultPortSuspended, isRecordTraceWanted } from './environment-settings.ts';
import { NodeListener } from './node-listener.ts';
import type { DiagnosticsOptions } from './options.ts';
import { type PortSetting, parsePortSettings } from './options.ts';
import { ownAddress, PortError, systemAddress } from './port-address.ts';
import { RequestServer, StartupGate } from './request-server.ts';
import { SocketListener } from './socket-listener.ts';
import { removeStalePorts } from './stale-ports.ts';
import { StandIn } from './stand-in.ts';
import type { PassedClient } from './stand-in-messages.ts';
import { TracingSessions } from './tracing-sessions.ts';

/**
 * The maximum number of connections without a session; beyond it, the oldest are closed. A thousand tools may connect
 * at once.
 */
const MAX_CONNECTIONS = 2048;
/** How long clients may take to read the rest when the process exits, or the port is closed. */
const EXIT_MS = 1000;
const CLOSE_MS = 2000;
/** The only folder in which record-trace looks for sockets. */
const RECORD_TRACE_FOLDER = '/tmp';
/** After this time, a suspended process prints why it is waiting: the same time as in .NET's runtime. */
const WAITING_MS = 5000;

export class OpenPort {
  /** Tools find the process at this address; undefined if they cannot. */
  readonly address: string | undefined;
  /** Sentences about what could not be set up as requested. */
  readonly problems: string[] = [];
  /** Resolves when the process may continue its startup. */
  readonly ready: Promise<void>;
  readonly #sockets: UnixSockets | undefined = unixSockets();
  readonly #sessions = new TracingSessions();
  readonly #server: RequestServer;
  /** Those without a session, in order of arrival. */
  readonly #connections = new Set<ServerConnection>();
  readonly #gates: StartupGate[] = [];
  /** Listeners and connectors. */
  readonly #entrances: { close(): void }[] = [];
  readonly #standIn: StandIn | undefined;
  readonly #forgetExit: () => void;

  constructor(options: DiagnosticsOptions) {
    this.#server = new RequestServer(this.#sessions, options.exposeSecrets ?? false);
    this.#standIn = this.#sockets && new StandIn(this.#sockets);
    const gate = this.#gate(isDefaultPortSuspended(), OWN_PORT_REMEDY);
    const folder = options.folder ?? temporaryFolder();
    if (this.#sockets !== undefined) removeStalePorts(folder, this.#sockets);
    this.address = this.#attempt(() => this.#listen(ownAddress(folder), gate), gate);
    if (options.discoverableByRecordTrace ?? isRecordTraceWanted()) this.#showToRecordTrace(folder, gate);
    const portsText = options.ports ?? process.env.DOTNET_DiagnosticPorts ?? '';
    const { ports, problems } = parsePortSettings(portsText);
    this.problems.push(...problems);
    for (const port of ports) {
      const own = this.#gate(port.suspends, remedyOf(port));
      this.#attempt(() => this.#open(port, own), own);
    }
    this.ready = Promise.all(this.#gates.map(({ passed }) => passed)).then(() => {});
    if (this.#gates.some(({ isOpen }) => !isOpen)) {
      const timer = setTimeout(() => this.#tellOfWaiting(portsText), WAITING_MS).unref();
      this.ready.then(() => clearTimeout(timer));
    }
    // Before the sessions' own handlers, which write their ends.
    this.#forgetExit = doAtExit(() => this.#exit());
  }

  get hasClients(): boolean {
    return this.#connections.size > 0 || this.#sessions.connections().length > 0;
  }

  /** Ends all sessions, whose clients still receive everything, and removes the port. */
  async close(): Promise<void> {
    this.#closeEntrances();
    // Keeps the process alive: otherwise one with nothing else to do would exit in the middle of this.
    const timer = setTimeout(() => this.#closeConnections(), CLOSE_MS);
    await this.#sessions.stopAll();
    clearTimeout(timer);
    this.#closeConnections();
    this.#forgetExit();
    for (const gate of this.#gates) gate.open();
  }

  /** @returns the address */
  #listen(wanted: string, gate: StartupGate): string {
    const address = systemAddress(wanted);
    const serve = (connection: ServerConnection): void => this.#serve(connection, gate);
    const listener = listenAt(address, this.#sockets, serve);
    if (listener.socket !== undefined && this.#standIn !== undefined) {
      const unwatch = this.#standIn.watch(listener.socket, (...client) => this.#serveOn(gate, ...client));
      this.#entrances.push({ close: unwatch });
    }
    this.#entrances.push(listener);
    return address;
  }

  #serveOn(gate: StartupGate, connection: DescriptorConnection, { request, session }: PassedClient): void {
    if (session === undefined) this.#serve(connection, gate);
    else this.#server.continue(request, connection, session);
  }

  #open({ address, listens }: PortSetting, gate: StartupGate): void {
    if (listens) {
      this.#listen(address, gate);
    } else {
      const greeting = encodeAdvertise(thisProcess());
      const serve: ServeAdvertised = (connection, onRequest) => this.#serve(connection, gate, onRequest);
      const onNobody = (isStaleSocket: boolean): void => {
        if (isStaleSocket && !gate.isOpen) {
          warn(`Nothing listens at ${JSON.stringify(address)} any more: the process starts without a tool.`);
        }
        gate.open();
      };
      this.#entrances.push(new Connector(systemAddress(address), this.#sockets, greeting, serve, onNobody));
    }
  }

  #serve(connection: ServerConnection, gate: StartupGate, onRequest?: (isThere: boolean) => void): void {
    this.#connections.add(connection);
    const [oldest] = this.#connections;
    if (this.#connections.size > MAX_CONNECTIONS) oldest?.close();
    this.#server.serve(connection, gate, onRequest).finally(() => this.#connections.delete(connection));
  }

  /** Uses the words of .NET's runtime, which people search for. */
  #tellOfWaiting(ports: string): void {
    const closed = this.#gates.filter(({ isOpen }) => !isOpen);
    const isOwnSuspended = isDefaultPortSuspended() ? 1 : 0;
    const settings = `DOTNET_DiagnosticPorts=${JSON.stringify(ports)}, DOTNET_DefaultDiagnosticPortSuspend=${isOwnSuspended}`;
    warn(
      'The process has been configured to pause during startup and is awaiting a Diagnostics IPC ResumeStartup ' +
        `command from a diagnostic port (${settings}). ${closed.map(({ remedy }) => remedy).join(' ')}`,
    );
  }

  #gate(isSuspended: boolean, remedy: string): StartupGate {
    const gate = new StartupGate(isSuspended, remedy);
    this.#gates.push(gate);
    return gate;
  }

  #showToRecordTrace(folder: string, gate: StartupGate): void {
    this.#attempt(() => {
      if (this.#sockets === undefined) {
        throw new PortError(
          'record-trace cannot find this process: that needs Linux, and the native addon of tracewright.',
        );
      }
      this.#sockets.mapLikeDotNet();
    });
    if (this.#sockets === undefined) return;
    this.#attempt(() => {
      const address = ownAddress(RECORD_TRACE_FOLDER);
      if (address !== ownAddress(folder)) this.#listen(address, gate);
    });
  }

  /**
   * Reports what the environment does not permit, and continues without it.
   *
   * @param gate of the port to open: without the port, nothing could ever resume the process
   */
  #attempt<T>(work: () => T, gate?: StartupGate): T | undefined {
    try {
      return work();
    } catch (error) {
      this.problems.push(error instanceof PortError ? error.message : thrownText(error));
      gate?.open();
      return undefined;
    }
  }

  #exit(): void {
    const deadline = performance.now() + EXIT_MS;
    for (const connection of this.#allConnections()) connection.hurry(deadline);
    this.#closeEntrances();
  }

  #closeEntrances(): void {
    for (const entrance of this.#entrances.splice(0)) entrance.close();
  }

  #closeConnections(): void {
    for (const connection of this.#allConnections()) connection.close();
  }

  #allConnections(): ServerConnection[] {
    return [...this.#connections, ...this.#sessions.connections()];
  }
}

const OWN_PORT_REMEDY =
  "Have a tool resume it at the process's own port, or unset DOTNET_DefaultDiagnosticPortSuspend.";

/** How to resume a process that waits at this port. */
function remedyOf({ address, listens }: PortSetting): string {
  const shown = JSON.stringify(address);
  return listens
    ? `Have a tool resume it at ${shown}, or add ",nosuspend" to that port.`
    : `Start a tool that listens at ${shown}, such as "tracewright collect --diagnostic-port ${address}", or add ` +
        '",nosuspend" to that port.';
}

function warn(sentence: string): void {
  process.emitWarning(sentence, 'TracewrightWarning');
}

/**
 * Listens at once; does not keep the process alive.
 *
 * @param address as from `systemAddress`
 * @param sockets undefined for Node.js's own
 * @throws PortError
 */
export function listenAt(
  address: string,
  sockets: UnixSockets | undefined,
  onConnection: OnConnection,
): Listener {
  try {
    return sockets === undefined
      ? new NodeListener(address, onConnection)
      : new SocketListener(address, sockets, onConnection);
  } catch (error) {
    const code = systemCodeOf(error);
    throw new PortError(
      code === 'EADDRINUSE'
        ? `Another process already listens at the diagnostic port's address ${address} (${code}).`
        : `The diagnostic port cannot listen at ${address} (${code}).`,
    );
  }
}
