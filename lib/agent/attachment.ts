/** A session of one rule in one process, and what becomes of its events. */

import { setTimeout as sleep } from 'node:timers/promises';
import { thrownMessage } from '../base/value-text.ts';
import { DiagnosticsClientError } from '../diagnostics/client/client-error.ts';
import type { TracingSession } from '../diagnostics/client/tracing-session.ts';
import { CHARGES, SAMPLES } from '../known/session-requests.ts';
import { openTrace } from '../trace/open-trace.ts';
import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { DEFAULT_RUNDOWN_KEYWORD } from '../wire/diagnostics-ipc/constants.ts';
import { streamingTracing } from '../wire/diagnostics-ipc/tracing.ts';
import { TraceError } from '../wire/trace-error.ts';
import type { AgentCounters } from './agent-counters.ts';
import type { MemoryBudget } from './memory-budget.ts';
import type { NodeProcess } from './node-processes.ts';
import type { Say } from './notices.ts';
import type { Recorder } from './recorder.ts';
import type { RuleSettings } from './settings/agent-settings.ts';
import { type Section, TraceSections } from './trace-sections.ts';
import { providersFor, watchTriggers } from './triggers.ts';

/** What a session's events are also sent to, as they come: it takes them all. */
export type LiveFeed = (trace: LiveTrace) => Promise<void>;

type LiveTrace = Pick<Trace, 'name' | 'info' | 'processNames' | 'batches'>;

/** What a rule has in a process. */
export interface Attached {
  /** Resolves when nothing of it is left; never rejects. */
  readonly ended: Promise<void>;
  tick(now: number): void;
  /** Asks the process for its last events, and for the end. */
  stop(): Promise<void>;
  /** Ends at once. */
  close(): void;
}

interface AttachmentOptions {
  readonly process: NodeProcess;
  readonly rule: RuleSettings;
  readonly recorder: Recorder;
  readonly memory: MemoryBudget;
  readonly counters: AgentCounters;
  readonly feed: LiveFeed | undefined;
  /** Called when the process has begun the session. */
  readonly onStart: () => void;
  readonly say: Say;
}

/** The process buffers what the agent has not taken yet, up to this size. */
const BUFFER_MEGABYTES = 64;
const BYTES_PER_MB = 1e6;
/** An event that the trace's reader holds back. */
const EVENT_OBJECT = 200;
const SECOND_MS = 1000;

export class Attachment implements Attached {
  /** Resolves when the session has ended, and its last file is whole; never rejects. */
  readonly ended: Promise<void>;
  readonly #options: AttachmentOptions;
  readonly #watch: ReturnType<typeof watchTriggers>;
  readonly #sections = new TraceSections();
  readonly #left = new AbortController();
  #session: TracingSession | undefined;
  #trace: Trace | undefined;
  #isStopped = false;
  /** Files for which the state was asked for. */
  #askedFiles = 0;
  /** Whether the process knows the command. */
  #hasState = true;
  #received = 0;
  /** Events in sections that have been taken. */
  #taken = 0;
  #lost = 0;
  /** Memory for what has arrived since the last sequence point. */
  #held = 0;
  /** Why events that have arrived are in no file. */
  #fault: 'fault' | 'memory' = 'fault';
  /** The bytes of the current second. */
  #bytes = 0;
  #secondSince = 0;

  constructor(options: AttachmentOptions) {
    this.#options = options;
    const { rule, recorder } = options;
    this.#watch = watchTriggers(rule.triggers, performance.now(), (reason) => {
      recorder.trigger(reason);
      this.#askForState();
    });
    this.ended = this.#run();
  }

  tick(now: number): void {
    this.#watch.tick(now);
    this.#options.recorder.tick();
  }

  /** Asks the process for its last events, and for the end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#session === undefined) this.#left.abort();
    await this.#session?.stop().catch(() => {});
    await this.ended;
  }

  /** Ends the session at once. */
  close(): void {
    this.#left.abort();
    this.#session?.close();
  }

  async #run(): Promise<void> {
    const { counters, rule, recorder, process, say } = this.#options;
    counters.sessions.add(rule.name);
    try {
      await this.#collect();
      this.#takeRest();
    } catch (error) {
      // A process may end before it has sent anything.
      const isOver =
        error instanceof DiagnosticsClientError ? error.code === 'ended' : this.#sections.isEmpty;
      if (isOver && this.#session === undefined && !this.#isStopped) counters.missed++;
      if (!isOver) {
        const isTrace = error instanceof TraceError;
        const kind = isTrace ? 'trace' : 'session';
        counters.errors.add(kind);
        const reason = thrownMessage(error);
        say(isTrace ? `Process ${process.processId} sends no usable trace: ${reason}` : reason, kind);
      }
    } finally {
      this.#session?.close();
      counters.dropped.add(this.#fault, this.#received - this.#taken);
      this.#options.memory.release(this.#held);
      await recorder.end();
      counters.sessions.add(rule.name, -1);
    }
  }

  async #collect(): Promise<void> {
    const { rule, process, feed } = this.#options;
    const isProfile = rule.profile !== undefined;
    this.#session = await process.client.collectTracing(
      streamingTracing({
        bufferMegabytes: BUFFER_MEGABYTES,
        providers: [
          ...providersFor(rule.providers, rule.triggers),
          ...(isProfile ? [SAMPLES, ...CHARGES] : []),
        ],
        // .NET names the methods of stacks at the end.
        rundownKeyword: isProfile ? DEFAULT_RUNDOWN_KEYWORD : 0n,
      }),
      this.#left.signal,
    );
    this.#options.onStart();
    if (this.#isStopped) this.#session.stop().catch(() => {});
    const trace = await openTrace(this.#bytesOf(this.#session), { onDamage: 'warning' });
    this.#trace = trace;
    const batches = () => this.#counted(trace);
    if (feed === undefined) for await (const _ of batches());
    else {
      const { name, info, processNames } = trace;
      await feed({ name, info, processNames, batches });
    }
    // A process that ends leaves its trace without an end.
    if (trace.problem !== undefined && trace.problem.code !== 'truncated') throw trace.problem;
  }

  async *#counted(trace: Trace): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    const { counters, rule } = this.#options;
    const { see } = this.#watch;
    for await (const batch of trace.batches()) {
      this.#received += batch.length;
      counters.received.add(rule.name, batch.length);
      this.#countLost(trace.lostEvents);
      if (see !== undefined) for (const event of batch) see(event);
      yield batch;
    }
    this.#countLost(trace.lostEvents);
  }

  #countLost(lost: number): void {
    if (lost > this.#lost) this.#options.counters.dropped.add('process', lost - this.#lost);
    this.#lost = lost;
  }

  /**
   * What the trace's reader reads: whole blocks, so that it delivers what is in sections, and nothing else. When it asks
   * for more, it has delivered the events of the section before.
   */
  async *#bytesOf({ stream }: TracingSession): AsyncGenerator<Uint8Array, void, undefined> {
    const { counters, rule } = this.#options;
    const sections = this.#sections;
    /** These bytes belong to a block that is not whole. */
    let waiting: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of stream) {
      counters.receivedBytes.add(rule.name, chunk.length);
      let from = 0;
      for (const { section, end } of sections.push(chunk)) {
        yield* waiting;
        waiting = [];
        yield chunk.subarray(from, end);
        from = end;
        this.#take(section);
      }
      if (sections.fault !== undefined) throw sections.fault;
      const whole = sections.wholeSize - size;
      if (whole > from) {
        yield* waiting;
        waiting = [];
        yield chunk.subarray(from, whole);
        from = whole;
      }
      if (from < chunk.length) waiting.push(chunk.subarray(from));
      size += chunk.length;
      this.#hold();
      await this.#throttle(chunk.length);
    }
    if (sections.isAtEnd) yield* waiting;
  }

  /** @throws Error with a sentence if there is no memory for what the process has sent since its last sequence point */
  #hold(): void {
    const { memory, process, counters, rule } = this.#options;
    const waiting = this.#trace?.waitingEvents ?? 0;
    const held = this.#sections.heldSize + waiting * EVENT_OBJECT;
    if (held <= this.#held) memory.release(this.#held - held);
    else if (!memory.take(held - this.#held)) {
      this.#fault = 'memory';
      this.#received += waiting;
      counters.received.add(rule.name, waiting);
      throw new Error(
        `Process ${process.processId} has sent ${Math.ceil(held / BYTES_PER_MB)} MB without a sequence point, and its session ends: all processes together may have ${Math.round(memory.limit / BYTES_PER_MB)} MB of memory; see memory.maxBytes.`,
      );
    }
    this.#held = held;
  }

  #take(section: Section): void {
    const events = this.#received - this.#taken;
    this.#taken = this.#received;
    this.#options.recorder.take(section, events);
    this.#askForState();
  }

  /** Each file has the state of the process's sources: the session's beginning is in the first of a stream only. */
  #askForState(): void {
    const { process, recorder, rule } = this.#options;
    const { begunFiles } = recorder;
    if (begunFiles === this.#askedFiles) return;
    this.#askedFiles = begunFiles;
    const isBeginning = begunFiles === 1 && rule.triggers.length === 0;
    if (isBeginning || this.#session === undefined || this.#isStopped || !this.#hasState) return;
    process.client.captureState(this.#session.id).catch((error: unknown) => {
      // A process that does not answer, or has ended, is told elsewhere.
      if (error instanceof DiagnosticsClientError && error.code === 'unsupported') this.#hasState = false;
    });
  }

  /** What has arrived after the last sequence point. */
  #takeRest(): void {
    const last = this.#sections.take();
    if (last !== undefined) this.#take(last);
  }

  /** The process waits, and drops and counts events if its buffer is full. */
  async #throttle(bytes: number): Promise<void> {
    const now = performance.now();
    if (now - this.#secondSince >= SECOND_MS) {
      this.#secondSince = now;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    if (this.#bytes < this.#options.rule.limits.maxBytesPerSecond || this.#isStopped) return;
    const pause = this.#secondSince + SECOND_MS - now;
    this.#options.counters.throttledMs += pause;
    await sleep(pause);
  }
}
