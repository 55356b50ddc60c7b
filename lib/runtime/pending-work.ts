/**
 * What a thread has begun and waits for, as Node.js itself knows it: requests, connections, work of the thread pool,
 * timers. Nothing is kept for it; it is looked up when somebody asks, at the end of a trace.
 */
import type { ChildProcess } from 'node:child_process';
import type { ClientRequest, ServerResponse } from 'node:http';
import type { Session } from 'node:inspector';
import type { Socket } from 'node:net';
import { basename } from 'node:path';
import { libuvTime, wakerOfName } from '../activity/runs.ts';
import { sharedActivities } from '../activity/shared.ts';
import { ownCode } from '../base/evaluated-code.ts';
import { shortened } from '../base/thrown-fields.ts';
import { subscriptionsOf } from '../listen/subscriptions.ts';
import { writerOf } from '../source/event-functions.ts';
import { PENDING_WORK, type RuntimeEvents } from './events.ts';
import type { Observation } from './observation.ts';

interface Pending {
  /** A waker (see `ActivityRunFields.wokenBy`), or what a request that is served waits for. */
  readonly kind: string;
  readonly what: string;
  /** The time at which a timer is due; -1 for everything else. */
  readonly dueInMSec: number;
}

const MAX_LISTED = 5000;
const MAX_WHAT = 255;
const NOT_DUE = -1;

export function pendingWork(events: RuntimeEvents): Observation {
  const writer = writerOf(events.PendingWork);
  const { flow, tracker } = sharedActivities();
  let isRunning = false;
  let isAnswering = false;
  return {
    isWanted: () => {
      const { requests } = subscriptionsOf(events);
      for (const { arguments: asked } of requests.values())
        if (asked?.[PENDING_WORK.argument] === '1') return true;
      return false;
    },
    start: () => {
      isRunning = true;
      if (!isAnswering) {
        isAnswering = true;
        events.onStateRequest(({ kind }) => {
          if (kind !== 'stop' || !isRunning) return;
          let left = MAX_LISTED;
          const ownResources = new Map(tracker.open().map((each) => [each.start?.resource, each]));
          for (const [pending, owner] of allPending()) {
            if (left-- === 0) return;
            const activity = ownResources.get(owner) ?? flow.contextOf(owner)?.activity;
            const id = activity === undefined || activity.stopped ? undefined : activity.id;
            writer.write({ ...pending }, id, undefined, undefined);
          }
        });
      }
      return () => {
        isRunning = false;
      };
    },
  };
}

function* allPending(): Generator<readonly [Pending, owner: object]> {
  const { _getActiveHandles: handles, _getActiveRequests: requests } = process as unknown as {
    _getActiveHandles?(): readonly object[];
    _getActiveRequests?(): readonly object[];
  };
  for (const handle of handles?.() ?? []) {
    const pending = ofHandle(handle);
    if (pending !== undefined) yield pending;
  }
  for (const request of requests?.() ?? []) {
    const kind = wakerOfName(request.constructor?.name ?? '');
    const { hostname } = request as { readonly hostname?: unknown };
    if (kind !== '') yield [pendingOf(kind, typeof hostname === 'string' ? hostname : ''), request];
  }
  const now = libuvTime();
  for (const timer of timers()) {
    const dueInMSec = Math.max(0, timer._idleStart + timer._idleTimeout - now);
    yield [{ ...pendingOf('timer', timer._onTimeout?.name ?? ''), dueInMSec }, timer];
  }
}

function pendingOf(kind: string, what: string): Pending {
  return { kind, what: shortened(what, MAX_WHAT), dueInMSec: NOT_DUE };
}

/** What Node.js keeps on a socket, without documenting it. */
interface SocketParts {
  readonly _httpMessage?: ((ServerResponse | ClientRequest) & { readonly path?: string }) | null;
  readonly _handle?: object | null;
  readonly _host?: string | null;
}

function ofHandle(handle: object): readonly [Pending, owner: object] | undefined {
  const type = handle.constructor?.name;
  if (type === 'ChildProcess') {
    const { spawnfile = '', _handle: owner = handle } = handle as ChildProcess & { _handle?: object };
    return [pendingOf('process', basename(spawnfile)), owner];
  }
  const { connecting, _httpMessage: message, _handle, _host } = handle as Partial<Socket> & SocketParts;
  if (message != null) {
    return [('req' in message ? ofResponse : ofRequest)(message as ServerResponse & ClientRequest), message];
  }
  return connecting === true ? [pendingOf('connect', _host ?? ''), _handle ?? handle] : undefined;
}

function ofResponse(response: ServerResponse): Pending {
  const { req, writableLength } = response;
  const isRead = req.readableFlowing === true || req.listenerCount('readable') > 0;
  const state = writableLength > 0 ? '.reader' : !req.complete && isRead ? '.body' : '';
  // The query may have secrets.
  const [path = ''] = (req.url ?? '').split('?', 1);
  return pendingOf(`http.server${state}`, `${req.method} ${path}`);
}

function ofRequest(request: ClientRequest): Pending {
  const { method, host, path } = request;
  return pendingOf('http.client', `${method} ${request.getHeader('host') ?? host}${path.split('?', 1)[0]}`);
}

interface Timer {
  readonly _idleStart: number;
  readonly _idleTimeout: number;
  readonly _onTimeout?: { readonly name?: string } | null;
  readonly _idlePrev: Timer;
  hasRef(): boolean;
}

const LISTS = Symbol.for('tracewright.timerLists');

/**
 * The timers that keep the process alive. Node.js has them in lists by duration, in a variable of the module `timers`,
 * which an inspector can read: checked on Node.js 20 to 26. Empty where that is not so, or is not permitted.
 */
function timers(): Timer[] {
  const found: Timer[] = [];
  try {
    const { Session } = process.getBuiltinModule('node:inspector');
    const session = new Session();
    session.connect();
    try {
      for (const list of Object.values(timerLists(session))) {
        for (
          let timer = list._idlePrev;
          timer !== list && found.length < MAX_LISTED;
          timer = timer._idlePrev
        ) {
          if (timer.hasRef()) found.push(timer);
        }
      }
    } finally {
      session.disconnect();
    }
  } catch {
    // Nothing promises that this works.
  }
  return found;
}

interface Remote {
  readonly objectId?: string;
}

function timerLists(session: Session): Readonly<Record<string, Timer>> {
  const post = (method: string, parameters: object): Record<string, unknown> => {
    let result: unknown;
    // On the same thread, the answer comes before the call returns.
    session.post(method, parameters, (_error, answer) => {
      result = answer;
    });
    return (result ?? {}) as Record<string, unknown>;
  };
  const propertiesOf = ({ objectId }: Remote) => {
    const { result = [], internalProperties = [] } = post('Runtime.getProperties', {
      objectId,
      ownProperties: true,
    });
    return [...(result as unknown[]), ...(internalProperties as unknown[])] as {
      name: string;
      value?: Remote;
    }[];
  };
  const expression = ownCode("process.getBuiltinModule('node:timers').clearTimeout");
  const clear = post('Runtime.evaluate', { expression }).result as Remote;
  const scopes = propertiesOf(clear).find(({ name }) => name === '[[Scopes]]')?.value;
  const [module] = scopes === undefined ? [] : propertiesOf(scopes);
  const lists =
    module?.value && propertiesOf(module.value).find(({ name }) => name === 'timerListMap')?.value;
  if (lists === undefined) return {};
  // On this thread, an object can be passed on as it is.
  const handOver = `function () { globalThis[Symbol.for('${LISTS.description}')] = this; }`;
  post('Runtime.callFunctionOn', { objectId: lists.objectId, functionDeclaration: ownCode(handOver) });
  const shared = globalThis as { [LISTS]?: Readonly<Record<string, Timer>> };
  const found = shared[LISTS];
  delete shared[LISTS];
  return found ?? {};
}
