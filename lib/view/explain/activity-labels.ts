/**
 * What an activity is called among others of its kind: a request by method and route, a query by its text, any other by
 * its task. Ids in paths are replaced, so that requests for different things are of one kind.
 */
import type { ScriptPlace } from '../../symbols/source-maps.ts';
import { baseName } from '../../symbols/symbol-folders.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { FrameNames } from '../cpu/frame-names.ts';
import type { TracedActivity } from '../traced-activity.ts';

const MAX_LABEL = 120;
/** The labels kept at a time. */
const MAX_LABELS = 2000;
const SPACES = /\s+/g;
/** A part of a path that is a number, a GUID, or long and with a digit. */
const ID = /\/(?:\d+|[\da-f]{8}-[\da-f-]{27}|(?=[^/]*\d)(?:[\da-f]{12,}|[\w-]{20,}))(?=\/|$)/gi;
/** Literals in the text of a query. */
const LITERAL = /'(?:[^'\\]|\\.|'')*'|\b\d+(?:\.\d+)?\b/g;
const LISTS = /\(\s*\?(?:\s*,\s*\?)+\s*\)/g;

export class ActivityLabels {
  readonly #labels = new Map<string, string>();

  /** @param start the activity's Start event */
  of({ payload }: TraceEvent, { task }: TracedActivity): string {
    const { method, pathAndQuery, text, host, port } = payload;
    if (typeof pathAndQuery === 'string') {
      const isServer = task === 'Request' || typeof host !== 'string' || host === '';
      const path = template(pathAndQuery);
      return cut(`${textOf(method) || task} ${isServer ? path : `${host}:${String(port)}${path}`}`);
    }
    if (typeof text === 'string' && text !== '') {
      return this.#once(text, () => text.replaceAll(LITERAL, '?').replaceAll(LISTS, '(…)'));
    }
    const { operation, package: ofPackage, name, program, url, path } = payload;
    const place = [url, path].find((each) => typeof each === 'string');
    if (typeof place === 'string') return cut(`${task} ${template(place)}`);
    const telling = [operation, ofPackage, name, program].find(
      (each) => typeof each === 'string' && each !== '',
    );
    return telling === undefined ? task : this.#once(String(telling), () => `${task} ${String(telling)}`);
  }

  /** Adds the route that a framework has reported at the end of a request. */
  withRoute(label: string, { payload: { route } }: TraceEvent): string {
    if (typeof route !== 'string' || route === '') return label;
    const space = label.indexOf(' ');
    const method = space < 0 ? '' : label.slice(0, space + 1);
    return `${method}${route}`.slice(0, MAX_LABEL);
  }

  /** `cart.ts:17`, of the source if `frames` know it. */
  ofPlace(place: ScriptPlace, frames: FrameNames | undefined): string {
    const { file, line, column } = place;
    return this.#once(`${file}:${line}:${column}`, () => {
      const source = frames?.sourceOf(place) ?? place;
      return `${baseName(source.file)}:${source.line}`;
    });
  }

  #once(key: string, make: () => string): string {
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    const label = cut(make().replaceAll(SPACES, ' ').trim());
    if (this.#labels.size >= MAX_LABELS) this.#labels.clear();
    this.#labels.set(key, label);
    return label;
  }
}

function cut(label: string): string {
  return label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label;
}

/** `/user/17?x=1` as `/user/:id`. */
function template(pathAndQuery: string): string {
  const end = pathAndQuery.search(/[?#]/);
  const path = pathAndQuery.slice(0, Math.min(end < 0 ? Number.POSITIVE_INFINITY : end, 4 * MAX_LABEL));
  return path.replaceAll(ID, '/:id');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
