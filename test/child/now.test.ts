/** What `tracewright now` says of a server in which each request waits for something else, on each version of Node.js. */
import { expect, it } from 'vitest';
import { leftToAll } from '../at-length.ts';
import { linuxOnly, named } from '../platforms.ts';
import { describeEachNode } from './each-node.ts';

const PROGRAM = 'child/explain-programs/ask-now.mjs';
const TIMEOUT_MS = 180_000;

interface Said {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}
interface Look {
  readonly text: Said;
  readonly json: Said;
}
interface Answer {
  readonly loop: { readonly isStuck: boolean; readonly by?: string; readonly code?: string };
  readonly activities: readonly {
    readonly label: string;
    readonly activityId: string;
    readonly parentId?: string;
    readonly ageMSec: number;
    readonly isRunning: boolean;
    readonly waitsFor: readonly { readonly state: string; readonly text: string }[];
  }[];
  readonly others: readonly { readonly text: string; readonly count: number }[];
}

const QUERY = 'SELECT * FROM tea WHERE id = ?';
/** V8 in Node.js 20 names the function that calls the optimized loop. */
const BURNING = /^(?:burn|\(anonymous\):\d+:\d+) in .*open-waits\.mjs$/;
/** What each route waits for, and what that waits for. */
const WAITS: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  'GET /query/:id': [QUERY, 'the database'],
  'GET /connect/:id': ['Connect', 'a connection'],
  'GET /acquire/:id': ['Acquire', 'a connection of the pool'],
  'GET /sleep/:id': [/^a timer, due in \d+\.\d s$/],
  'GET /fs/:id': ['the thread pool: fs'],
  'GET /outgoing/:id': [/^GET 127\.0\.0\.1:\d+\/slow$/, 'the response'],
  'POST /body/:id': ['the rest of the request body'],
  'GET /drain/:id': ['the reader of what it wrote'],
  'GET /never/:id': [],
};

function answerOf({ text, json }: Look): Answer {
  expect(text).toMatchObject({ status: 0, stderr: '' });
  expect(json).toMatchObject({ status: 0, stderr: '' });
  return JSON.parse(json.stdout) as Answer;
}

describeEachNode('tracewright now', (run) => {
  const notHere = linuxOnly('what is asked here of other processes');
  /** Each waits for its own processes, most of the time. */
  const onLinux = it.skipIf(notHere !== undefined).concurrent;

  onLinux(
    named('names what each activity waits for, if they are kept', notHere),
    { timeout: TIMEOUT_MS },
    async () => {
      const { waiting, stuck } = (await run(PROGRAM, 'kept')) as { waiting: Look; stuck: Look };
      const answer = answerOf(waiting);
      expect(answer.loop.isStuck).toBe(false);
      for (const [label, waits] of Object.entries(WAITS)) {
        const outer = answer.activities.find((each) => each.label === label);
        const inner = answer.activities.find(({ parentId }) => parentId === outer?.activityId);
        const found = [outer, inner].flatMap((each) => each?.waitsFor.map(({ text }) => text) ?? []);
        expect({ label, found }).toEqual({
          label,
          found: waits.map((wait) => (typeof wait === 'string' ? wait : expect.stringMatching(wait))),
        });
        // They began a second before anybody asked.
        expect(outer?.ageMSec).toBeGreaterThan(1000);
      }
      expect(waiting.text.stdout).toMatch(/GET \/never\/:id: waits for nothing that Node\.js knows/);
      expect(waiting.text.stdout).toContain(`    ${QUERY}: waits for the database\n`);

      const blocked = answerOf(stuck);
      expect(blocked.loop).toMatchObject({ isStuck: true, by: 'GET /stuck/:id' });
      expect(blocked.loop.code).toMatch(BURNING);
      const running = blocked.activities.filter(({ isRunning }) => isRunning);
      expect(running.map(({ label }) => label)).toEqual(['GET /stuck/:id']);
      expect(blocked.activities.length).toBeGreaterThan(Object.keys(WAITS).length);
      expect(stuck.text.stdout).toMatch(/GET \/sleep\/:id: cannot go on, the loop runs GET \/stuck\/:id/);
    },
  );

  const kinds = [
    ['unprepared', notHere],
    ['prepared', notHere ?? leftToAll],
  ] as const;
  for (const [kind, skipped] of kinds) {
    it.skipIf(skipped !== undefined).concurrent(
      named(`shows what Node.js knows of what began before anybody asked: ${kind}`, skipped),
      { timeout: TIMEOUT_MS },
      async () => {
        const { waiting, stuck } = (await run(PROGRAM, kind)) as { waiting: Look; stuck: Look };
        const { others } = JSON.parse(waiting.json.stdout) as Answer;
        expect(others.map(({ text }) => text)).toEqual(
          expect.arrayContaining([
            'GET /query/7',
            'POST /body/7: waits for the rest of the request body',
            'GET /drain/7: waits for the reader of what it wrote',
            expect.stringMatching(/^GET 127\.0\.0\.1:\d+\/slow: waits for the response$/),
            'the thread pool: fs',
            'a timer',
          ]),
        );
        const [, code] =
          /^Process \d+: 0 open activities\. The event loop is stuck: it has run (.*) for at least /.exec(
            stuck.text.stdout,
          ) ?? [stuck.text.stdout];
        expect(code).toMatch(BURNING);
      },
    );
  }
});
