/**
 * Type maps: how the raw events of an input become instances of classes. This is how a playback is extended to other
 * logs. The three kinds and their rules are from Tx.
 */
import type { EventClass } from './event-type.ts';
import type { Instant } from './instant.ts';

interface AnyTypeMap<Raw> {
  /** The time of the raw event. All maps of one input must agree on it. */
  timeOf(raw: Raw): Instant;
  /**
   * Returns the function that turns a raw event into an instance of the class; called only when its first raw event
   * arrives. Raw events for which that function returns nothing are dropped.
   */
  transformTo(type: EventClass): (raw: Raw) => object | null | undefined;
}

/** All raw events are of one class. Inactive until that class is requested. */
export interface PlainTypeMap<Raw> extends AnyTypeMap<Raw> {
  readonly type: EventClass;
}

/** All raw events are of one class or its subclasses. Inactive until the base class is requested. */
export interface RootTypeMap<Raw> extends AnyTypeMap<Raw> {
  readonly base: EventClass;
}

/**
 * Each raw event carries a key that identifies its class, such as a number or a name. Only raw events whose key belongs
 * to a requested class are examined further.
 *
 * @typeParam Key compared like the keys of a Map
 */
export interface PartitionableTypeMap<Raw, Key = unknown> extends AnyTypeMap<Raw> {
  inputKey(raw: Raw): Key;
  /** @returns undefined or null for a class that does not belong to the map */
  typeKey(type: EventClass): Key | undefined | null;
}

export type TypeMap<Raw> = PlainTypeMap<Raw> | RootTypeMap<Raw> | PartitionableTypeMap<Raw>;
