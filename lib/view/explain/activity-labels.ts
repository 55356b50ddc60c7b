/**
 * What an activity is called among others of its kind: a request by method and route, a query by its text, any other by
 * its task. Ids in paths are replaced, so that requests for different things are of one kind.
 */
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { TracedActivity } from '../traced-activity.ts';

const MAX_LABEL = 120;
/** Further ones are called by their task alone. */
const MAX_LABELS = 20_000;
const ID = /^(?:\d+|[\da-f]{8}-[\da-f-]{27}|(?=.*\d)[\da-f]{12,}|(?=.*\d)[\w-]{20,})$/i;
/** Literals in the text of a query. */
const LITERAL = /'(?:[^'\\]|\\.|'')*'|\b\d+(?:\.\d+)?\b/g;
const LISTS = /\(\s*\?(?:\s*,\s*\?)+\s*\)/g;

export class ActivityLabels {
  readonly #labels = new Map<string, string>();

  /** @param start the activity's Start event */
  of({ payload }: TraceEvent, { task }: TracedActivity): string {
    const { method, pathAndQuery, text, host, port } = payload;
    if (typeof pathAndQuery === 'string') {
      const isServer = task === 'Request';
      const place = isServer || typeof host !== 'string' || host === '' ? '' : `${host}:${String(port)}`;
      return this.#once(`${textOf(method)}${place}${pathAndQuery}`, task, () =>
        [textOf(method), `${place}${template(pathAndQuery)}`].filter(Boolean).join(' '),
      );
    }
    if (typeof text === 'string' && text !== '') {
      return this.#once(text, task, () => text.replaceAll(LITERAL, '?').replaceAll(LISTS, '(…)'));
    }
    const { operation, name, url, path } = payload;
    const place = [url, path].find((each) => typeof each === 'string');
    if (typeof place === 'string') return this.#once(place, task, () => `${task} ${template(place)}`);
    const telling = [operation, name].find((each) => typeof each === 'string' && each !== '');
    return telling === undefined
      ? task
      : this.#once(String(telling), task, () => `${task} ${String(telling)}`);
  }

  /** With the route that a framework has reported at the end of a request. */
  withRoute(label: string, { payload: { route } }: TraceEvent): string {
    if (typeof route !== 'string' || route === '') return label;
    const space = label.indexOf(' ');
    const method = space < 0 ? '' : label.slice(0, space + 1);
    return `${method}${route}`.slice(0, MAX_LABEL);
  }

  #once(key: string, task: string, make: () => string): string {
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    if (this.#labels.size >= MAX_LABELS) return task;
    const made = make().replaceAll(/\s+/g, ' ').trim();
    const label = made.length > MAX_LABEL ? `${made.slice(0, MAX_LABEL - 1)}…` : made;
    this.#labels.set(key, label);
    return label;
  }
}

/** `/user/17?x=1` as `/user/:id`. */
function template(pathAndQuery: string): string {
  const path = pathAndQuery.split(/[?#]/, 1)[0] ?? '';
  return path
    .slice(0, 4 * MAX_LABEL)
    .split('/')
    .map((part) => (ID.test(part) ? ':id' : part))
    .join('/');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
