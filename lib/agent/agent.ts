/**
 * The agent of a node: finds processes with a diagnostic port, has a session in each for each rule that applies, and
 * keeps the files that result within the disk budget.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { systemCodeText } from '../base/system-code.ts';
import { AgentCounters } from './agent-counters.ts';
import { lockFolder, salvageFolder } from './agent-folder.ts';
import { type Attached, Attachment } from './attachment.ts';
import { DiskBudget } from './disk-budget.ts';
import { defaultMemory, MemoryBudget } from './memory-budget.ts';
import { MetricsServer } from './metrics-server.ts';
import { matcher, type NodeProcess, NodeProcesses } from './node-processes.ts';
import { type Say, sparingly } from './notices.ts';
import { OtlpShipping } from './otlp-shipping.ts';
import { processResource, rowSource } from './process-resource.ts';
import { ProfileSchedule } from './profile-schedule.ts';
import { Recorder } from './recorder.ts';
import type { AgentSettings, RuleSettings } from './settings/agent-settings.ts';
import { FileChain, removePartialProfiles, removePartialTables, Shipping } from './shipping.ts';

const MS = 1000;
const TICK_MS = 250;
/** Processes that start together are found together. */
const NOTICE_MS = 10;
/** After a scan, it takes so many times as long until processes that start cause another one. */
const SCAN_PART = 5;
/** How long processes may take for their last events when the agent ends. */
const LAST_EVENTS_MS = 8000;
/** The last files have this long. */
const LAST_FILES_MS = 5000;
const TRACES = 'traces';
const TABLES = 'parquet';
const PROFILES = 'profiles';
/** This separates the service from the rest of a file's name. */
const SERVICE_END = '@';
const MAX_NAME = 64;
/** A session, its service and its rule, in the name of a file; see `Recorder`. */
const FILE_NAME = /^(([^@]+)@\d+-([\w-]+))-\d{8}T\d+Z-\d+-\w+\.nettrace$/;

interface Rule {
  readonly settings: RuleSettings;
  readonly matches: (process: NodeProcess) => boolean;
}

export class Agent {
  readonly counters = new AgentCounters();
  readonly #settings: AgentSettings;
  readonly #say: Say;
  readonly #unlock: () => void;
  readonly #traces: string;
  readonly #disk: DiskBudget;
  readonly #memory: MemoryBudget;
  readonly #processes: NodeProcesses;
  readonly #rules: readonly Rule[];
  readonly #otlp: OtlpShipping | undefined;
  readonly #shipping: Shipping;
  /** The key is the process id. */
  readonly #attached = new Map<number, Set<Attached>>();
  #metrics: MetricsServer | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #nextScan: NodeJS.Timeout | undefined;
  #scanning: Promise<void> = Promise.resolve();
  #isStopping = false;
  /** Times of the scans, and how long the last one took. */
  #scanStarted = 0;
  #scanMs = 0;
  #isScanning = false;
  #hasStarts = false;
  readonly #startedMs = sinceBoot();

  private constructor(settings: AgentSettings, unlock: () => void, say: Say) {
    const { folder, disk, memory, parquet, otlp, rules } = settings;
    this.#settings = settings;
    this.#unlock = unlock;
    this.#say = say;
    this.#traces = join(folder, TRACES);
    const tables = parquet && { ...parquet, folder: parquet.folder ?? join(folder, TABLES) };
    if (tables !== undefined) removePartialTables(tables.folder);
    const { counters } = this;
    const profiles = join(folder, PROFILES);
    const folders = [this.#traces, profiles, ...(tables === undefined ? [] : [tables.folder])];
    const limits = { limit: disk.maxBytes, whenFull: disk.whenFull };
    this.#disk = new DiskBudget(folders, limits, counters);
    removePartialProfiles(profiles);
    const bytes = memory?.maxBytes ?? defaultMemory();
    this.#memory = new MemoryBudget(bytes, counters, say);
    this.#processes = new NodeProcesses(
      counters,
      say,
      (process) => this.#attach(process),
      () => this.#scanSoon(),
    );
    this.#rules = rules.map((rule) => ({ settings: rule, matches: matcher(rule) }));
    this.#otlp = otlp && new OtlpShipping(otlp, counters);
    this.#shipping = new Shipping({
      parquet: tables,
      profiles,
      disk: this.#disk,
      memory: this.#memory,
      counters,
      say,
    });
  }

  /**
   * @param say takes sentences about what happens
   * @throws Error with a sentence, or the system's
   */
  static async start(settings: AgentSettings, say: (sentence: string) => void): Promise<Agent> {
    const unlock = lockFolder(settings.folder);
    try {
      const salvaged = await salvageFolder(join(settings.folder, TRACES));
      const agent = new Agent(settings, unlock, sparingly(say));
      agent.counters.filesSalvaged = salvaged;
      await agent.#begin();
      return agent;
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** The counters are at this address. */
  get metricsUrl(): string {
    return this.#metrics?.url ?? '';
  }

  /** Ends all sessions, with their last events in files that are whole. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#nextScan);
    this.#processes.stop();
    await this.#scanning;
    const all = [...this.#attached.values()].flatMap((set) => [...set]);
    const limit = setTimeout(() => {
      for (const attachment of all) attachment.close();
    }, LAST_EVENTS_MS);
    await Promise.all(all.map((attachment) => attachment.stop()));
    clearTimeout(limit);
    clearInterval(this.#ticking);
    await this.#shipping.close(LAST_FILES_MS);
    await this.#otlp?.close();
    this.#metrics?.close();
    this.#unlock();
  }

  async #begin(): Promise<void> {
    const { host, port } = this.#settings.metrics;
    this.#metrics = await MetricsServer.listen(this.counters, host, port);
    this.#shipRest();
    this.#ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#scan();
  }

  /** What the agent had not shipped when it ended. */
  #shipRest(): void {
    const chains = new Map<string, FileChain>();
    for (const [path, size] of this.#disk.files) {
      const [, session, service, rule = ''] = FILE_NAME.exec(basename(path)) ?? [];
      if (dirname(path) !== this.#traces || session === undefined || service === undefined) continue;
      let chain = chains.get(session);
      if (chain === undefined) {
        const resource = processResource({}, '');
        const isProfile = this.#settings.rules.some(({ name, profile }) => name === rule && profile);
        const origin = { service, source: rowSource(resource, rule), resource, spans: undefined, isProfile };
        chain = new FileChain(origin);
        chains.set(session, chain);
      }
      this.#shipping.add({ path, size, chain });
    }
    for (const chain of chains.values()) this.#shipping.end(chain);
  }

  #tick(): void {
    const now = performance.now();
    for (const set of this.#attached.values()) for (const attachment of set) attachment.tick(now);
    this.#otlp?.count();
  }

  #scan(): void {
    this.#isScanning = true;
    this.#hasStarts = false;
    this.#scanStarted = performance.now();
    this.#scanning = this.#findProcesses().finally(() => {
      this.#isScanning = false;
      this.#scanMs = performance.now() - this.#scanStarted;
      if (this.#hasStarts) this.#scanSoon();
      else this.#scanAfter(this.#settings.scanIntervalMs);
    });
  }

  /** A process has started: at once, unless scans would take more than a part of the agent's time. */
  #scanSoon(): void {
    this.#hasStarts = true;
    if (this.#isScanning) return;
    const earliest = this.#scanStarted + SCAN_PART * this.#scanMs;
    this.#scanAfter(Math.max(NOTICE_MS, earliest - performance.now()));
  }

  #scanAfter(ms: number): void {
    clearTimeout(this.#nextScan);
    if (!this.#isStopping) this.#nextScan = setTimeout(() => this.#scan(), ms);
  }

  async #findProcesses(): Promise<void> {
    try {
      await this.#processes.scan();
      this.counters.scans++;
    } catch (error) {
      this.counters.errors.add('scan');
      this.#say(`The processes of this machine cannot be listed: ${systemCodeText(error)}.`, 'scan');
    }
  }

  #attach(process: NodeProcess): void {
    if (this.#isStopping) return;
    const attached = this.#attached.get(process.processId) ?? new Set();
    const rules = this.#rules.filter(({ matches }) => matches(process)).map(({ settings }) => settings);
    let isCounted = process.isKnown;
    const onStart = () => {
      if (!isCounted && process.startMs >= this.#startedMs) {
        this.counters.unwatchedMs += Math.max(0, sinceBoot() - process.startMs);
      }
      isCounted = true;
    };
    for (const rule of rules) {
      if (this.#sessionCount >= this.#settings.maxSessions) {
        this.counters.errors.add('session');
        this.#say(
          `Process ${process.processId} gets no session: there are ${this.#settings.maxSessions}, as maxSessions allows.`,
          'session',
        );
        // When others have ended, there may be room.
        if (attached.size === 0) this.#processes.forget(process.processId);
        break;
      }
      const sends = sendsSpans(rule, rules);
      const attachment =
        rule.profile === undefined
          ? this.#attachment(process, rule, sends, onStart)
          : new ProfileSchedule(process.processId, rule.profile, (onBegin) =>
              this.#attachment(process, rule, sends, () => {
                onStart();
                onBegin();
              }),
            );
      attached.add(attachment);
      this.#attached.set(process.processId, attached);
      attachment.ended.then(() => this.#detach(process, attachment));
    }
    this.counters.processes = this.#attached.size;
  }

  #attachment(process: NodeProcess, rule: RuleSettings, sends: boolean, onStart: () => void): Attachment {
    const { counters } = this;
    const { service, processId } = process;
    const spans = sends ? this.#otlp : undefined;
    const resource = { ...process.resource, 'service.name': service };
    const origin = {
      service,
      processName: process.name,
      source: rowSource(resource, rule.name),
      resource,
      // Of files, only what a trigger had written is sent: a stream is sent as it comes.
      spans: isStream(rule) ? undefined : spans,
      isProfile: rule.profile !== undefined,
    };
    let chain = new FileChain(origin);
    const recorder = new Recorder({
      // A profile is a session: .NET names its functions at the end.
      rule: rule.profile === undefined ? rule : { ...rule, file: { ...rule.file, maxAgeMs: Infinity } },
      folder: this.#traces,
      name: `${fileName(service)}${SERVICE_END}${processId}-${rule.name}`,
      disk: this.#disk,
      memory: this.#memory,
      counters,
      onFile: (file) => this.#shipping.add({ ...file, chain }),
      onGap: () => {
        this.#shipping.end(chain);
        chain = new FileChain(origin);
      },
      say: this.#say,
    });
    const sent = { spans: sends, profiles: rule.profile !== undefined && rule.otlp };
    const hasFeed = isStream(rule) && (sent.spans || sent.profiles);
    const feed = hasFeed ? this.#otlp?.feed(resource, sent) : undefined;
    const places = { recorder, memory: this.#memory, counters };
    return new Attachment({ process, rule, ...places, feed, onStart, say: this.#say });
  }

  #detach({ processId }: NodeProcess, attachment: Attached): void {
    const attached = this.#attached.get(processId);
    attached?.delete(attachment);
    if (attached?.size !== 0) return;
    this.#attached.delete(processId);
    this.#processes.forget(processId);
    this.counters.processes = this.#attached.size;
  }

  get #sessionCount(): number {
    let count = 0;
    for (const set of this.#attached.values()) count += set.size;
    return count;
  }
}

/** Returns milliseconds, or NaN where the system does not say it. */
function sinceBoot(): number {
  try {
    return Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * MS;
  } catch {
    return Number.NaN;
  }
}

/** A rule without triggers has everything written. */
function isStream({ triggers }: RuleSettings): boolean {
  return triggers.length === 0;
}

/**
 * A collector cannot tell spans apart that two rules send for the same activities of a process: a rule sends none if
 * those before it have all of its providers. Streams come before what triggers have written.
 */
function sendsSpans(rule: RuleSettings, ofProcess: readonly RuleSettings[]): boolean {
  const sending = ofProcess.filter(({ otlp }) => otlp);
  const inOrder = [...sending.filter(isStream), ...sending.filter((each) => !isStream(each))];
  const before = inOrder.slice(0, Math.max(0, inOrder.indexOf(rule)));
  const sent = new Set(before.flatMap(({ providers }) => providers.map(({ name }) => name)));
  return rule.otlp && !rule.providers.every(({ name }) => sent.has(name));
}

/** The process chooses it. */
function fileName(name: string): string {
  const plain = name
    .replaceAll(/[^\w.-]/g, '_')
    .replace(/^\.+/, '')
    .slice(0, MAX_NAME);
  return plain === '' ? 'process' : plain;
}
