/**
 * The activity id that Windows keeps for each thread, which native code in the process stamps its own ETW
 * events with. tracewright's events never use it: all of JavaScript shares one thread, so they carry their
 * activity's id themselves. It is for telling other native code, or hearing from it, around a call.
 *
 * Source: EventActivityIdControl of Windows. Elsewhere there is no such id: reads give undefined, the rest
 * does nothing.
 */
import { Guid } from '../activity/guid.ts';
import { theTracer } from './tracer.ts';

/** EVENT_ACTIVITY_CTRL_... of evntprov.h. */
const Control = { Get: 1, Set: 2, Create: 3, GetSet: 4, CreateSet: 5 } as const;

/** Ids are GUID text; the empty GUID means that there is none. A text that is no GUID throws GuidFormatError. */
export const threadActivityId = {
  /** The thread's id. */
  get(): string | undefined {
    return control(Control.Get, Guid.empty);
  },
  /** Gives the thread another id. Whoever changes it puts the old one back before other code goes on. */
  set(id: string): void {
    control(Control.Set, Guid.parse(id));
  },
  /** A fresh id, which the thread is not given. */
  create(): string | undefined {
    return control(Control.Create, Guid.empty);
  },
  /** Gives the thread another id; returns the old one. */
  getAndSet(id: string): string | undefined {
    return control(Control.GetSet, Guid.parse(id));
  },
  /** Gives the thread a fresh id; returns the old one. */
  createAndSet(): string | undefined {
    return control(Control.CreateSet, Guid.empty);
  },
} as const;

function control(code: number, id: Guid): string | undefined {
  const bytes = id.toBytes();
  return theTracer().threadActivityId(code, bytes) ? Guid.fromBytes(bytes).toString() : undefined;
}
