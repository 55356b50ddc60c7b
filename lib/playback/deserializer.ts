/** Turns one input's raw events into events: with its type maps, or unchanged. */
import type { Nanoseconds } from '../trace/trace-event.ts';
import type { Demultiplexer, Sinks } from './demultiplexer.ts';
import { type EventClass, isEventClass } from './event-type.ts';
import { type Instant, nanosecondsOf } from './instant.ts';
import { PlaybackError } from './playback-error.ts';
import type { PartitionableTypeMap, TypeMap } from './type-map.ts';

/** Receives the events that queries select. */
export type Deliver = (event: unknown, time: Nanoseconds, sinks: Sinks) => void;

/** How to read an input's raw events. */
export interface Reading<Raw> {
  /** If present, raw events are themselves events, in addition to what the maps create. */
  readonly timeOf?: (raw: Raw) => Instant;
  readonly typeMaps: readonly TypeMap<Raw>[];
}

/** Both ends are inclusive. */
interface TimeRange {
  readonly startTime?: Nanoseconds | undefined;
  readonly endTime?: Nanoseconds | undefined;
}

/** One of the ways in which an input's raw events become events. */
interface Way<Raw> {
  /** Messages contain this name. */
  readonly name: string;
  timeOf(raw: Raw): Instant;
  /** @returns null or undefined if the raw event does not apply here */
  eventOf(raw: Raw): unknown;
}

export class Deserializer<Raw> {
  readonly #reading: Reading<Raw>;
  readonly #demultiplexer: Demultiplexer;
  readonly #range: TimeRange;
  #ways: readonly Way<Raw>[] = [];
  /** How many classes had been requested when `#ways` was built. */
  #knownClasses = -1;

  /** @throws PlaybackError if a type map is of none of the three kinds */
  constructor(reading: Reading<Raw>, demultiplexer: Demultiplexer, range: TimeRange = {}) {
    reading.typeMaps.forEach(checkTypeMap);
    this.#reading = reading;
    this.#demultiplexer = demultiplexer;
    this.#range = range;
  }

  /**
   * Delivers the raw event, as whatever it becomes, to the queries that select it. Unselected events are detected
   * first, without reading even their time.
   *
   * @throws PlaybackError if two type maps return different times
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

/** @returns undefined if no class of the map has been requested */
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
    // Created on demand, and then replaces this function.
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
    `${nameOf(map, index)} is not a type map: with timeOf and transformTo, it must be a PartitionableTypeMap (inputKey, typeKey), a RootTypeMap (base) or a PlainTypeMap (type).`,
  );
}
