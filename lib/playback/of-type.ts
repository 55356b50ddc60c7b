/** One type of events of an observable, without a playback: no virtual time, no merge. */
import { Observable, type OperatorFunction } from 'rxjs';
import { Demultiplexer } from './demultiplexer.ts';
import { Deserializer } from './deserializer.ts';
import type { NamedType, OccurrenceOf } from './event-type.ts';
import type { TypeMap } from './type-map.ts';

/**
 * An RxJS operator that passes the events of a type, created from raw events by the type maps; without type maps, raw
 * events are themselves events.
 */
export function ofType<Raw, const Type extends NamedType>(
  type: Type,
  ...typeMaps: readonly TypeMap<Raw>[]
): OperatorFunction<Raw, OccurrenceOf<Type>> {
  const timeOf = () => 0n;
  const reading = typeMaps.length === 0 ? { timeOf, typeMaps } : { typeMaps };
  return (source) =>
    new Observable((subscriber) => {
      const demultiplexer = new Demultiplexer();
      demultiplexer.add(type, {
        next: (event) => subscriber.next(event as OccurrenceOf<Type>),
        complete: () => subscriber.complete(),
        error: (error) => subscriber.error(error),
      });
      const deserializer = new Deserializer(reading, demultiplexer);
      return source.subscribe({
        next: (raw) => {
          try {
            deserializer.read(raw, (event, time, [sink]) => sink?.next(event, time));
          } catch (error) {
            demultiplexer.error(error);
          }
        },
        complete: () => demultiplexer.complete(),
        error: (error) => demultiplexer.error(error),
      });
    });
}
