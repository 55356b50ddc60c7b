/** Makes events of one input's raw events: by its type maps, or as they are. */
import type { Nanoseconds } from '../trace/trace-event.ts';
import type { Demultiplexer, Sinks } from './demultiplexer.ts';
import { type EventClass, isEventClass } from './event-type.ts';
import { type Instant, nanosecondsOf } from './instant.ts';
import { PlaybackError } from './playback-error.ts';
import type { PartitionableTypeMap, TypeMap } from './type-map.ts';

/** What is done with an event that somebody asked for. */
export type Deliver = (event: unknown, time: Nanoseconds, sinks: Sinks) => void;

/** How an input's raw events are read. */
export interface Reading<Raw> {
  /** Given: raw events are events as they are, beside what the maps make of them. */
  readonly timeOf?: (raw: Raw) => Instant;
  readonly typeMaps: readonly TypeMap<Raw>[];
}

/** Both ends are in it. */
export interface TimeRange {
  readonly startTime?: Nanoseconds | undefined;
  readonly endTime?: Nanoseconds | undefined;
}

/** One of the ways in which an input's raw events become events. */
interface Way<Raw> {
  /** For messages. */
  readonly name: string;
  timeOf(raw: Raw): Instant;
  /** @returns null or undefined where the raw event is nothing here */
  eventOf(raw: Raw): unknown;
}

export class Deserializer<Raw> {
  readonly #reading: Reading<Raw>;
  readonly #demultiplexer: Demultiplexer;
  readonly #range: TimeRange;
  #ways: readonly Way<Raw>[] = [];
  /** How many classes had been asked for when `#ways` was made. */
  #knownClasses = -1;

  /** @throws PlaybackError where a type map is of no kind */
  constructor(reading: Reading<Raw>, demultiplexer: Demultiplexer, range: TimeRange = {}) {
    reading.typeMaps.forEach(checkTypeMap);
    this.#reading = reading;
    this.#demultiplexer = demultiplexer;
    this.#range = range;
  }

  /**
   * Delivers what the raw event is to those who asked for it. What nobody asked for is found out first; its
   * time is not even looked at.
   *
   * @throws PlaybackError where two type maps tell different times
   */
  read(raw: Raw, deliver: Deliver): void {
    if (this.#demultiplexer.classes.size !== this.#knownClasses) this.#findWays();
    let firstWay: Way<Raw> | undefined;
    let firstTime = 0n;
    for (const way of this.#ways) {
      const event = way.eventOf(raw);
      if (event === null || event === undefined) continue;
      const sinks = this.#demultiplexer.sinksOf(event);
      if (sinks.length === 0) continue;
      const time = nanosecondsOf(way.timeOf(raw), 'The time of an event');
      if (firstWay === undefined) {
        firstWay = way;
        firstTime = time;
      } else if (time !== firstTime) {
        throw new PlaybackError(
          `Several type maps return different times for one event: ${firstWay.name} ${firstTime}, ${way.name} ${time}.`,
        );
      }
      if (this.#isInRange(time)) deliver(event, time, sinks);
    }
  }

  #isInRange(time: Nanoseconds): boolean {
    const { startTime, endTime } = this.#range;
    return (startTime === undefined || time >= startTime) && (endTime === undefined || time <= endTime);
  }

  #findWays(): void {
    const { timeOf, typeMaps } = this.#reading;
    const { classes } = this.#demultiplexer;
    const ways = typeMaps.flatMap((map, index) => wayOf(map, nameOf(map, index), classes) ?? []);
    if (timeOf !== undefined) ways.push({ name: 'the raw event', timeOf, eventOf: (raw) => raw });
    this.#ways = ways;
    this.#knownClasses = classes.size;
  }
}

/** @returns undefined where no class that the map knows has been asked for */
function wayOf<Raw>(map: TypeMap<Raw>, name: string, asked: ReadonlySet<EventClass>): Way<Raw> | undefined {
  const timeOf = (raw: Raw) => map.timeOf(raw);
  if ('typeKey' in map) return partitionedWay(map, name, asked);
  const type = 'base' in map ? map.base : map.type;
  return asked.has(type) ? { name, timeOf, eventOf: map.transformTo(type) } : undefined;
}

function partitionedWay<Raw>(
  map: PartitionableTypeMap<Raw>,
  name: string,
  asked: ReadonlySet<EventClass>,
): Way<Raw> | undefined {
  const transforms = new Map<unknown, (raw: Raw) => unknown>();
  for (const type of asked) {
    const key = map.typeKey(type);
    if (key === undefined || key === null || transforms.has(key)) continue;
    // Made when it is first needed, and then put in the place of this one.
    transforms.set(key, (raw) => {
      const transform = map.transformTo(type);
      transforms.set(key, transform);
      return transform(raw);
    });
  }
  if (transforms.size === 0) return undefined;
  return {
    name,
    timeOf: (raw) => map.timeOf(raw),
    eventOf: (raw) => transforms.get(map.inputKey(raw))?.(raw),
  };
}

function nameOf(map: TypeMap<never>, index: number): string {
  const name = map?.constructor?.name ?? '';
  return name === 'Object' || name === '' ? `type map ${index + 1}` : name;
}

type MapMember = 'timeOf' | 'transformTo' | 'inputKey' | 'typeKey' | 'base' | 'type';

function checkTypeMap(map: TypeMap<never>, index: number): void {
  const given = Object(map) as Partial<Record<MapMember, unknown>>;
  if (typeof given.timeOf === 'function' && typeof given.transformTo === 'function') {
    if (typeof given.inputKey === 'function' && typeof given.typeKey === 'function') return;
    if (isEventClass(given.base) || isEventClass(given.type)) return;
  }
  throw new PlaybackError(
    `${nameOf(map, index)} is no type map: with timeOf and transformTo it is a PartitionableTypeMap (inputKey, typeKey), a RootTypeMap (base) or a PlainTypeMap (type).`,
  );
}
