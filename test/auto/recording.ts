/** The recording of a test program, read back as activities with their contents. */

type Fields = Readonly<Record<string, unknown>>;

interface RecordedEvent {
  readonly name: string;
  readonly path?: string;
  readonly in?: string;
  readonly payload: Fields;
}

interface Recorded {
  readonly events: readonly RecordedEvent[];
  readonly notes: unknown;
}

export interface RecordedActivity {
  readonly path: string;
  /** The activity that it was started in. */
  readonly in: string | undefined;
  readonly start: Fields;
  /** All that came: there should be one. */
  readonly stop: readonly Fields[];
  /** The payloads of events directly inside that are neither a Start nor a Stop, while it ran. */
  readonly inside: readonly Fields[];
}

export class Recording {
  readonly #ways: Readonly<Record<string, Recorded>>;

  constructor(printed: unknown) {
    this.#ways = printed as Readonly<Record<string, Recorded>>;
  }

  get ways(): readonly string[] {
    return Object.keys(this.#ways);
  }

  /** What the way itself has returned. */
  notes(way: string): unknown {
    return this.#ways[way]?.notes;
  }

  events(way: string): readonly RecordedEvent[] {
    const recorded = this.#ways[way];
    if (recorded === undefined) throw new Error(`Nothing was recorded of ${way}.`);
    return recorded.events;
  }

  /** In the order of their Starts. */
  activities(way: string, name: string): readonly RecordedActivity[] {
    const events = this.events(way);
    return events
      .filter((event) => event.name === `${name}Start`)
      .map((start) => {
        const { path = '' } = start;
        const own = events.slice(events.indexOf(start)).filter((event) => event.path === path);
        const stopName = `${name}Stop`;
        const end = own.findIndex((event) => event.name === stopName);
        return {
          path,
          in: start.in,
          start: start.payload,
          stop: own.filter((event) => event.name === stopName).map(({ payload }) => payload),
          inside: own
            .slice(0, end < 0 ? own.length : end)
            .filter((event) => !/(Start|Stop)$/.test(event.name))
            .map(({ payload }) => payload),
        };
      });
  }
}
