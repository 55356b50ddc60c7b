/**
 * Type maps: how the raw events of an input become instances of classes. Here is where a playback is extended
 * to other logs. Source of the three kinds and their rules: Tx.
 */
import type { EventClass } from './event-type.ts';
import type { Instant } from './instant.ts';

interface AnyTypeMap<Raw> {
  /** When the raw event occurred. All maps of one input have to agree on it. */
  timeOf(raw: Raw): Instant;
  /**
   * Gives what turns a raw event into one of the class; not called before the first raw event of it comes by.
   * What is turned into nothing is dropped.
   */
  transformTo(type: EventClass): (raw: Raw) => object | null | undefined;
}

/** All raw events are of one class. Asleep until somebody asks for that class. */
export interface PlainTypeMap<Raw> extends AnyTypeMap<Raw> {
  readonly type: EventClass;
}

/** All raw events are of one class or of classes that extend it. Asleep until somebody asks for the base. */
export interface RootTypeMap<Raw> extends AnyTypeMap<Raw> {
  readonly base: EventClass;
}

/**
 * Each raw event carries a key that tells its class, such as a number or a name. Only raw events whose key
 * belongs to a class that was asked for are looked at any further.
 *
 * @typeParam Key compared as a Map's keys are
 */
export interface PartitionableTypeMap<Raw, Key = unknown> extends AnyTypeMap<Raw> {
  inputKey(raw: Raw): Key;
  /** @returns undefined or null for a class that the map has nothing to do with */
  typeKey(type: EventClass): Key | undefined | null;
}

export type TypeMap<Raw> = PlainTypeMap<Raw> | RootTypeMap<Raw> | PartitionableTypeMap<Raw>;
