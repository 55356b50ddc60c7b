/**
 * Opens a port in a process through its inspector, and closes the inspector. Nothing but a kill keeps a visit from
 * that, and then another one closes the inspector: see `attach.ts`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ownCode } from '../../base/evaluated-code.ts';
import { thrownMessage } from '../../base/value-text.ts';
import type { DiagnosticsClientErrorCode } from '../client/client-error.ts';
import { evaluation, InspectorClient, resultIn, valueIn } from './inspector-client.ts';
import {
  closeExpression,
  guardExpression,
  prepareExpression,
  type TargetFacts,
  type TargetOutcome,
  type TargetPort,
} from './target-code.ts';
import type { UnpreparedProcess } from './unprepared-process.ts';

export interface VisitOrder {
  readonly processId: number;
  /** To close an inspector is all that remains to do after a visit that was killed. */
  readonly task: 'prepare' | 'close';
  /** The sockets that are not the inspector's, by inode. */
  readonly otherSockets: readonly string[];
  readonly leavesPort: boolean;
}

/** The reports come in this order; the last two exclude each other. */
export type VisitReport =
  | { readonly kind: 'signals' }
  | {
      readonly kind: 'prepared';
      /** How long the inspector was open, in milliseconds; undefined if it was before, and has stayed so. */
      readonly openMs: number | undefined;
      readonly workers: number;
    }
  | { readonly kind: 'failed'; readonly code: DiagnosticsClientErrorCode; readonly message: string };

/** What Node.js takes is less than 0.1 s on an idle machine. */
export const OPENING_MS = 5000;
/** An event loop that has waited for events for so long has had its chance to open the inspector. */
const IDLE_MS = 1500;
/** A process that is blocked outside JavaScript opens its inspector when it no longer is. */
const LATE_OPENING_MS = 600_000;
const LATE_POLL_MS = 50;
/** Who has waited for long looks less often, by this share of the time. */
const LATE_POLL_SHARE = 0.01;
const POLL_MS = 5;
const MAX_POLL_MS = 250;
/** Another tool may be visiting another process, whose inspector has the same port. */
const FREE_PORT_MS = 3000;
const CLOSING_MS = 2000;
const WORKERS_MS = 5000;
/**
 * A thread that has run for so long without a turn of its event loop counts as stuck: by the time it had, because a busy
 * machine does not make it so.
 */
const STUCK_MS = 200;
/** `engines` of package.json. */
const LEAST_VERSION = [20, 19] as const;

/** Sends a message of the inspector's protocol to a thread, and resolves with the result. */
type Send = (method: string, params: object) => Promise<unknown>;

export class Visit {
  readonly #order: VisitOrder;
  readonly #process: UnpreparedProcess;
  #signalledAt: number | undefined;
  #isCancelled = false;
  /** Whether the inspector may still open after a failure. */
  mayOpen = false;

  constructor(process: UnpreparedProcess, order: VisitOrder) {
    this.#order = order;
    this.#process = process;
  }

  /** Only closes the inspector from now on: nobody is there any more to use the port. */
  cancel(): void {
    this.#isCancelled = true;
  }

  /** @throws DiagnosticsClientError */
  async prepare(report: (made: VisitReport) => void): Promise<void> {
    const client = (await this.#inspector()) ?? (await this.#openInspector(report));
    let workers = 0;
    try {
      const facts = await this.#guard(client);
      this.#check();
      const send: Send = (method, params) => client.send(method, params);
      const preparation = this.#preparation(facts, this.#order.leavesPort);
      const port = await this.#orRefuse(prepareThread(send, preparation, () => this.#process.mainThreadMs));
      if (port?.address === undefined) throw this.#process.refusal('refused', `of this: ${port?.problem}`);
      this.#check();
      workers = await this.#prepareWorkers(client, this.#preparation(facts, true));
    } finally {
      if (this.#signalledAt !== undefined) await this.#close(client);
      client.close();
    }
    report({ kind: 'prepared', openMs: this.#signalledAt && performance.now() - this.#signalledAt, workers });
  }

  /**
   * Closes the inspector if it opens within this time. After a while, a process whose event loop waits no longer opens it.
   *
   * @returns whether it can no longer open
   */
  async closeOpened(milliseconds: number = LATE_OPENING_MS): Promise<boolean> {
    const start = performance.now();
    for (;;) {
      const elapsed = performance.now() - start;
      // Before looking for the inspector: a process that no longer is blocked opens it before it waits.
      const isOver = elapsed >= OPENING_MS && this.#process.isIdle;
      const client = await this.#inspector();
      if (client !== undefined) await this.#close(client);
      if (client !== undefined || isOver) return true;
      if (elapsed >= milliseconds) return false;
      await sleep(Math.max(LATE_POLL_MS, elapsed * LATE_POLL_SHARE));
    }
  }

  /** The inspector, if it is open; it is the process's own socket that proves whose it is. */
  async #inspector(): Promise<InspectorClient | undefined> {
    for (const socket of this.#process.sockets()) {
      if (!socket.isOwn || this.#order.otherSockets.includes(socket.inode)) continue;
      const client = await InspectorClient.connect(socket);
      if (client !== undefined) return client;
    }
    return undefined;
  }

  async #openInspector(report: (made: VisitReport) => void): Promise<InspectorClient> {
    await this.#awaitFreePort();
    // Until now, the end of a command that was killed at once could not be noticed.
    await sleep(POLL_MS);
    this.#check();
    report({ kind: 'signals' });
    this.#signalledAt = performance.now();
    this.#process.signal();
    let idleSince: number | undefined;
    while (performance.now() < this.#signalledAt + OPENING_MS) {
      const client = await this.#inspector();
      if (client !== undefined) return client;
      idleSince = this.#process.isIdle ? (idleSince ?? performance.now()) : undefined;
      if (idleSince !== undefined && performance.now() > idleSince + IDLE_MS) break;
      await sleep(POLL_MS);
    }
    const isIdle = idleSince !== undefined;
    const why = isIdle
      ? 'handles the signal itself, or has --permission'
      : 'handles the signal itself, has --permission, or is blocked outside JavaScript';
    this.mayOpen = true;
    throw this.#process.refusal('timeout', `it has got SIGUSR1 but opened no inspector: it ${why}`);
  }

  /** @throws DiagnosticsClientError if it is cancelled */
  #check(): void {
    if (this.#isCancelled) throw this.#process.refusal('ended', 'the command has ended');
  }

  /** @throws DiagnosticsClientError if another process has the inspector's port */
  async #awaitFreePort(): Promise<void> {
    const ports = this.#process.debugPorts;
    const end = performance.now() + FREE_PORT_MS;
    for (;;) {
      const taken = this.#process.sockets().find(({ port }) => ports.includes(port));
      if (taken === undefined) return;
      if (performance.now() >= end) {
        const whose = taken.isOwn ? 'the application itself' : 'another process';
        throw this.#process.refusal('no-port', `port ${taken.port} of its inspector is taken by ${whose}`);
      }
      await sleep(LATE_POLL_MS);
    }
  }

  #preparation(facts: TargetFacts, leavesPort: boolean): string {
    return prepareExpression(this.#process.processId, facts, leavesPort);
  }

  async #guard(client: InspectorClient): Promise<TargetFacts> {
    const visitorPort = this.#signalledAt === undefined ? undefined : client.localPort;
    const facts = (await this.#orRefuse(client.evaluate(guardExpression(visitorPort)))) as TargetFacts;
    const [major = 0, minor = 0] = facts.version.slice(1).split('.').map(Number);
    const [leastMajor, leastMinor] = LEAST_VERSION;
    if (facts.processId !== this.#process.innerId) {
      throw this.#process.refusal('malformed', `its inspector is that of process ${facts.processId}`);
    }
    if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return facts;
    throw this.#process.refusal(
      'unsupported',
      `it runs Node.js ${facts.version}, which is older than ${LEAST_VERSION.join('.')}`,
    );
  }

  /** Prepares the worker threads that already run. @returns how many have done so in time */
  async #prepareWorkers(client: InspectorClient, expression: string): Promise<number> {
    const answers = new Map<string, (result: unknown) => void>();
    const preparing: Promise<void>[] = [];
    const elapsed = () => performance.now();
    let lastId = 0;
    let prepared = 0;
    const sendTo = (sessionId: string): Send => {
      return (method, params) =>
        new Promise((resolve, reject) => {
          const id = ++lastId;
          answers.set(`${sessionId} ${id}`, resolve);
          const message = JSON.stringify({ id, method, params });
          client.send('NodeWorker.sendMessageToWorker', { sessionId, message }).catch(reject);
        });
    };
    client.onEvent = (method, params) => {
      const { sessionId, message } = params as { readonly sessionId: string; readonly message: string };
      if (method === 'NodeWorker.attachedToWorker') {
        const count = () => void prepared++;
        preparing.push(prepareThread(sendTo(sessionId), expression, elapsed).then(count, () => {}));
      } else if (method === 'NodeWorker.receivedMessageFromWorker') {
        const { id, result } = messageIn(message);
        answers.get(`${sessionId} ${id}`)?.(result);
      }
    };
    // Without them, the main thread is recorded all the same.
    await client.send('NodeWorker.enable', { waitForDebuggerOnStart: false }).catch(() => {});
    await Promise.race([Promise.all(preparing), client.closed, sleep(WORKERS_MS)]);
    client.onEvent = () => {};
    return prepared;
  }

  async #close(client: InspectorClient): Promise<void> {
    // The connection ends in place of an answer.
    client.evaluate(closeExpression()).catch(() => {});
    await Promise.race([client.closed, sleep(CLOSING_MS)]);
  }

  /** @throws DiagnosticsClientError */
  async #orRefuse<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      throw this.#process.refusal('failed', `of this: ${thrownMessage(error)}`);
    }
  }
}

/**
 * Has a thread do this in a turn of its event loop or, if it is stuck, do what it can in the middle of it. It is asked less
 * and less often whether it is done: whatever it answers is sent to a visitor that may just have been killed.
 *
 * @param expression as from `prepareExpression`
 * @param ranMs how long the thread has run
 * @throws Error
 */
async function prepareThread(
  send: Send,
  expression: string,
  ranMs: () => number,
): Promise<TargetPort | undefined> {
  const start = ranMs();
  // It may also do nothing but sleep in its loop.
  const end = performance.now() + OPENING_MS;
  const { objectId } = resultIn(await send('Runtime.evaluate', evaluation(expression, false))) ?? {};
  for (let wait = POLL_MS; ; wait = Math.min(2 * wait, MAX_POLL_MS)) {
    await sleep(wait);
    const answer = await send('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: ownCode('function (isStuck) { return this(isStuck); }'),
      arguments: [{ value: ranMs() - start > STUCK_MS || performance.now() > end }],
      returnByValue: true,
      silent: true,
    });
    const outcome = valueIn(answer) as TargetOutcome | undefined;
    if (outcome !== undefined) return outcome.port;
  }
}

function messageIn(text: string): { readonly id?: number; readonly result?: unknown } {
  try {
    return JSON.parse(text) as ReturnType<typeof messageIn>;
  } catch {
    return {};
  }
}
