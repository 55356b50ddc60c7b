/**
 * The activity id that Windows keeps for each thread, with which native code in the process stamps its own ETW events.
 * tracewright's own events never use it: all JavaScript of a thread shares it, so they carry their activity's id
 * themselves. Use it to exchange the id with other native code around a call.
 *
 * Source: EventActivityIdControl of Windows. On other systems there is no such id: reads return undefined, and the rest
 * has no effect.
 */
import { Guid } from '../activity/guid.ts';
import { theTracer } from './tracer.ts';

/** EVENT_ACTIVITY_CTRL_... of evntprov.h. */
const Control = { Get: 1, Set: 2, Create: 3, GetSet: 4, CreateSet: 5 } as const;

/** Ids are GUID text; the empty GUID means no id. Text that is not a GUID throws RangeError. */
export const threadActivityId = {
  /** The thread's id. */
  get(): string | undefined {
    return control(Control.Get, Guid.empty);
  },
  /** Sets the thread's id. Restore the old one before other code runs. */
  set(id: string): void {
    control(Control.Set, Guid.parse(id));
  },
  /** A new id, without giving it to the thread. */
  create(): string | undefined {
    return control(Control.Create, Guid.empty);
  },
  /** Sets the thread's id; returns the old one. */
  getAndSet(id: string): string | undefined {
    return control(Control.GetSet, Guid.parse(id));
  },
  /** Gives the thread a new id; returns the old one. */
  createAndSet(): string | undefined {
    return control(Control.CreateSet, Guid.empty);
  },
} as const;

function control(code: number, id: Guid): string | undefined {
  const bytes = id.toBytes();
  return theTracer().threadActivityId(code, bytes) ? Guid.fromBytes(bytes).toString() : undefined;
}
