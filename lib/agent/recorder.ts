/**
 * What becomes of the sections of one session: files, one after another, while they are wanted; until then, a ring in
 * memory, or nothing.
 */
import { join } from 'node:path';
import { isFull, systemCodeText } from '../base/system-code.ts';
import type { AgentCounters } from './agent-counters.ts';
import type { DiskBudget } from './disk-budget.ts';
import type { MemoryBudget, Ring } from './memory-budget.ts';
import type { Say } from './notices.ts';
import type { RuleSettings } from './settings/agent-settings.ts';
import { TraceFile } from './trace-file.ts';
import { heldSize, type Section } from './trace-sections.ts';

const HOUR_MS = 3_600_000;

interface RecorderOptions {
  readonly rule: RuleSettings;
  readonly folder: string;
  /** The first part of the files' names. */
  readonly name: string;
  readonly disk: DiskBudget;
  readonly memory: MemoryBudget;
  readonly counters: AgentCounters;
  readonly onFile: (file: WholeFile) => void;
  /** Called after the last file before a gap: what follows does not continue it. */
  readonly onGap: () => void;
  readonly say: Say;
}

interface WholeFile {
  readonly path: string;
  readonly size: number;
}

interface HeldSection {
  readonly section: Section;
  readonly events: number;
  readonly time: number;
}

export class Recorder implements Ring {
  readonly #options: RecorderOptions;
  /** All times are the monotonic clock's: the wall clock may go back. */
  readonly #since = performance.now();
  #ring: HeldSection[] = [];
  #ringSize = 0;
  #file: TraceFile | undefined;
  #fileSince = 0;
  #files = 0;
  #begunFiles = 0;
  /** Whether the next file continues one before it. */
  #continues = false;
  /** Files that are being completed. */
  #completing: Promise<void> = Promise.resolve();
  /** The trigger of the files that are being written. */
  #reason: string;
  #wantedUntil: number;
  /** Whether the section in which the trigger was has not come yet. */
  #wantsNext = false;
  /** The times of the triggers in the last hour. */
  #recent: number[] = [];
  #triggers = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const isStream = options.rule.triggers.length === 0;
    this.#wantedUntil = isStream ? Number.POSITIVE_INFINITY : 0;
    this.#reason = 'stream';
    options.memory.add(this);
  }

  /** @param events in the section */
  take(section: Section, events: number): void {
    const now = performance.now();
    if (this.#isWanted(now)) {
      this.#wantsNext = false;
      this.#write(section, events, now);
      return;
    }
    // A file has no gaps: what describes its events could be in one.
    this.#endRun();
    if (this.#options.rule.collect === 'ring') {
      this.#hold({ section, events, time: now });
    } else {
      this.#options.counters.unused.add(this.#options.rule.name, events);
    }
  }

  /** Writes the ring and what follows, unless a limit forbids it, or it is already being done. */
  trigger(reason: string): void {
    const now = performance.now();
    if (this.#isWanted(now)) return;
    const { counters, rule } = this.#options;
    if (!this.#mayWrite(now)) {
      counters.suppressed++;
      return;
    }
    counters.triggers.add(rule.name);
    this.#triggers++;
    this.#recent.push(now);
    this.#reason = reason;
    this.#wantedUntil = now + rule.durationMs;
    this.#wantsNext = true;
    const ring = this.#ring;
    this.#ring = [];
    for (const held of ring) {
      this.#uncount(held);
      this.#write(held.section, held.events, now);
    }
  }

  /** How many files have been begun, with something in them. */
  get begunFiles(): number {
    return this.#begunFiles;
  }

  /** Ends a file whose time is over. To be called often. */
  tick(): void {
    const now = performance.now();
    if (!this.#isWanted(now)) this.#endRun();
    else if (this.#isFull(now)) this.#endFile();
    this.#dropOld(now);
  }

  /** Ends the file. Resolves when all files are whole; never rejects. */
  async end(): Promise<void> {
    this.#endRun();
    this.#dropOld(Number.POSITIVE_INFINITY);
    this.#options.memory.remove(this);
    await this.#completing;
  }

  /** The size of the ring in memory. */
  get size(): number {
    return this.#ringSize;
  }

  /** Makes room in memory for others. */
  dropOldest(): void {
    const oldest = this.#ring.shift();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #isWanted(now: number): boolean {
    return this.#wantsNext || now < this.#wantedUntil;
  }

  #mayWrite(now: number): boolean {
    const {
      count = Number.POSITIVE_INFINITY,
      perHour,
      maxAgeMs = Number.POSITIVE_INFINITY,
    } = this.#options.rule.limits;
    this.#recent = this.#recent.filter((time) => time > now - HOUR_MS);
    return this.#triggers < count && this.#recent.length < perHour && now - this.#since < maxAgeMs;
  }

  #hold(held: HeldSection): void {
    const { counters, memory } = this.#options;
    if (!memory.take(heldSize(held.section))) {
      counters.dropped.add('memory', held.events);
      return;
    }
    this.#ring.push(held);
    this.#ringSize += heldSize(held.section);
    counters.held += held.events;
    counters.heldBytes += heldSize(held.section);
    this.#dropOld(held.time);
  }

  /** Leaves the newest section in the ring, however large it is: its size is bounded. */
  #dropOld(now: number): void {
    const { maxBytes, maxAgeMs } = this.#options.rule.ring;
    const oldest = now - maxAgeMs;
    let count = 0;
    for (const held of this.#ring) {
      if (this.#ringSize <= maxBytes && held.time >= oldest) break;
      this.#drop(held);
      count++;
    }
    if (count > 0) this.#ring = this.#ring.slice(count);
  }

  #drop(held: HeldSection): void {
    this.#uncount(held);
    this.#options.counters.unused.add(this.#options.rule.name, held.events);
  }

  #uncount({ section, events }: HeldSection): void {
    const { counters, memory } = this.#options;
    const size = heldSize(section);
    this.#ringSize -= size;
    counters.held -= events;
    counters.heldBytes -= size;
    memory.release(size);
  }

  #write(section: Section, events: number, now: number): void {
    if (this.#isFull(now)) this.#endFile();
    const continued = this.#file;
    if (events === 0 && continued === undefined) return;
    const reason = this.#append(section, events, now);
    if (reason === undefined) {
      if (this.#file !== continued) this.#begunFiles++;
      return;
    }
    this.#options.counters.dropped.add(reason, events);
    this.#endFile();
  }

  /** @returns why it could not be written */
  #append(section: Section, events: number, now: number): 'budget' | 'disk' | undefined {
    const { counters, disk, folder, say } = this.#options;
    for (;;) {
      let reserved = 0;
      let path = '';
      try {
        const file = this.#file ?? this.#open(now);
        path = file.path;
        reserved = file.roomFor(section);
        if (!disk.take(path, reserved)) return 'budget';
        const before = file.size;
        file.append(section, events);
        disk.release(path, reserved - (file.size - before));
        return undefined;
      } catch (error) {
        disk.release(path, reserved);
        if (isFull(error) && disk.makeRoom(path)) continue;
        counters.errors.add('disk');
        say(`${folder} cannot be written: ${systemCodeText(error)}.`, 'disk');
        return 'disk';
      }
    }
  }

  #isFull(now: number): boolean {
    const file = this.#file;
    const { maxBytes, maxAgeMs } = this.#options.rule.file;
    return file !== undefined && (file.size >= maxBytes || now - this.#fileSince >= maxAgeMs);
  }

  #open(now: number): TraceFile {
    const { folder, name } = this.#options;
    const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
    const path = join(folder, `${name}-${time}-${++this.#files}-${this.#reason}.nettrace`);
    this.#file = new TraceFile(path);
    this.#fileSince = now;
    this.#continues = true;
    return this.#file;
  }

  #endRun(): void {
    this.#endFile();
    if (!this.#continues) return;
    this.#continues = false;
    this.#completing = this.#completing.then(() => this.#options.onGap());
  }

  #endFile(): void {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    if (file.events > 0) {
      this.#completing = this.#completing.then(() => this.#complete(file));
      return;
    }
    this.#options.disk.release(file.path, file.size);
    file.abandon();
  }

  async #complete(file: TraceFile): Promise<void> {
    const { counters, disk, rule, onFile } = this.#options;
    const { path, size, events } = file;
    try {
      await file.commit();
    } catch (error) {
      disk.release(path, size);
      counters.errors.add('disk');
      counters.dropped.add('disk', events);
      this.#options.say(`${path} cannot be completed: ${systemCodeText(error)}.`, 'disk');
      return;
    }
    disk.release(path, size);
    disk.add(path, size);
    counters.filesWritten++;
    counters.fileBytesWritten += size;
    counters.written.add(rule.name, events);
    onFile({ path, size });
  }
}
