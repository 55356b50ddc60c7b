/**
 * `tracewright collect -p` on processes that nobody prepared: each is recorded, or left alone for a reason that one
 * sentence gives. It serves all its requests meanwhile, listens on the same sockets afterwards, and ends as always.
 */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { leftToAll } from '../at-length.ts';
import { describeEachNode } from '../child/each-node.ts';
import { linuxOnly, named } from '../platforms.ts';

const PROGRAM = 'diagnostics/programs/unprepared.mjs';
const TIMEOUT_MS = 180_000;

const OPENED = (how: string, later = 'closes at the end') =>
  `Process PID had no diagnostic port: through its inspector, which ${how}, tracewright was loaded into it, and opened one that ${later}.`;
const REFUSED = (why: string) =>
  `tracewright: Process PID has no diagnostic port, and none can be opened in it, because ${why}.`;
const RECORDED = {
  status: 0,
  says: OPENED('was open for N ms'),
  lost: 0,
  // It is asked nothing but what its own clients ask.
  aliens: 0,
  isServing: true,
  hasRequests: true,
  threads: 1,
  isAsBefore: true,
  exit: 7,
};
const LEFT_ALONE = { ...RECORDED, status: 1, hasRequests: false, threads: 0 };
const NOT_NODE =
  /because it runs \S+, not Node\.js\. \.NET programs have one unless DOTNET_EnableDiagnostics=0\.$/;

const KINDS: Readonly<Record<string, object>> = {
  plain: RECORDED,
  twice: RECORDED,
  leave: { ...RECORDED, says: OPENED('was open for N ms', 'stays open'), isAsBefore: false },
  // Its inspector has any port, so each has to be asked until one is found.
  inspect: { ...RECORDED, says: OPENED('is open'), aliens: expect.any(Number) },
  renamed: RECORDED,
  electron: RECORDED,
  workers: {
    ...RECORDED,
    says: OPENED('was open for N ms').replace('into it,', 'into it and N of its worker threads,'),
    threads: expect.toSatisfy((threads: number) => threads > 1),
  },
  // It is attached to in the middle of its JavaScript, and gets to its loop later.
  busy: { ...RECORDED, hasRequests: false, threads: 0 },
  // Its loop cannot close the port. Being sent SIGTERM, it has no handler that could run.
  stuck: { ...RECORDED, hasRequests: false, threads: 0, isAsBefore: false, exit: 'SIGTERM' },
  handler: {
    ...LEFT_ALONE,
    // If it is not seen to wait in its loop, it may be blocked there as well.
    says: expect.stringMatching(
      /because it has got SIGUSR1 but opened no inspector: it handles the signal itself, (?:or has --permission|has --permission, or is blocked outside JavaScript)\.$/,
    ),
  },
  'random port': RECORDED,
  blocked: {
    ...LEFT_ALONE,
    says: REFUSED(
      'it has got SIGUSR1 but opened no inspector: it handles the signal itself, has --permission, or is blocked outside JavaScript',
    ),
  },
  'taken port': { ...LEFT_ALONE, says: REFUSED('port N of its inspector is taken by another process') },
};

/** Only root can make these. */
const ROOTS_KINDS: Readonly<Record<string, object>> = {
  network: { ...RECORDED, hasRequests: false, threads: 0 },
  container: RECORDED,
  rootless: { ...RECORDED, hasRequests: false, threads: 0 },
  'other user': RECORDED,
  'as other user': {
    ...LEFT_ALONE,
    says: 'tracewright: This user may not look for the diagnostic port of process PID (EACCES).',
  },
};

const FURTHER_KINDS = new Set(['twice', 'renamed', 'busy', 'network', 'other user']);

describeEachNode('a process that nobody prepared', (run, major) => {
  const notHere = linuxOnly('signals and /proc as this needs them');
  /** Each waits for its own processes, most of the time. */
  const onLinux = it.skipIf(notHere !== undefined).concurrent;

  const noRoot = process.getuid?.() === 0 ? undefined : 'only root can make such a process';
  /** Others prove the same of attaching, with another reason why the process is as it is. */
  const further = (kind: string) => (FURTHER_KINDS.has(kind) ? leftToAll : undefined);
  const kinds: [string, object, string | undefined][] = [
    ...Object.entries(KINDS).map(([kind, expected]): [string, object, string | undefined] => [
      kind,
      expected,
      notHere ?? further(kind),
    ]),
    ...Object.entries(ROOTS_KINDS).map(([kind, expected]): [string, object, string | undefined] => [
      kind,
      expected,
      notHere ?? noRoot ?? further(kind),
    ]),
  ];
  for (const [kind, expected, skipped] of kinds) {
    it.skipIf(skipped !== undefined).concurrent(
      named(`is recorded or refused: ${kind}`, skipped),
      { timeout: TIMEOUT_MS },
      async () => {
        expect(await run(PROGRAM, kind)).toMatchObject(expected);
      },
    );
  }

  // Node.js 20 has no such option.
  if (major !== '20') {
    onLinux(named('is not sent a signal that would end it', notHere), { timeout: TIMEOUT_MS }, async () => {
      expect(await run(PROGRAM, 'disable-sigusr1')).toMatchObject({
        ...LEFT_ALONE,
        says: REFUSED('it does not handle SIGUSR1, as with --disable-sigusr1 or before it has started'),
      });
    });
  }

  const noTerminal = spawnSync('script', ['--version']).status === 0 ? notHere : 'script(1) is missing';
  const onTerminal = it.skipIf(noTerminal !== undefined).concurrent;

  onTerminal(
    named('is opened on a terminal if the user agrees', noTerminal),
    { timeout: TIMEOUT_MS },
    async () => {
      const agreed = { isAsked: true, isOpened: true, isLeftAlone: false, isRecorded: true, exit: 7 };
      expect(await run(PROGRAM, 'asked', 'y')).toEqual(agreed);
      const refused = { isAsked: true, isOpened: false, isLeftAlone: true, isRecorded: false, exit: 7 };
      expect(await run(PROGRAM, 'asked', 'n')).toEqual(refused);
    },
  );

  onLinux(named('keeps nothing of each further recording', notHere), { timeout: TIMEOUT_MS }, async () => {
    const result = (await run(PROGRAM, 'again', '10')) as Record<string, number>;
    expect(result).toMatchObject({ lost: 0, exit: 7, listeners: 1 });
    expect(result.firstMB).toBeLessThan(8);
    expect(result.furtherMB).toBeLessThan(1);
  });

  onLinux(named('shows its events as they come', notHere), { timeout: TIMEOUT_MS }, async () => {
    expect(await run(PROGRAM, 'live')).toEqual({ hasRequests: true, lost: 0, isAsBefore: true, exit: 7 });
  });

  onLinux(named('shows its counters', notHere), { timeout: TIMEOUT_MS }, async () => {
    expect(await run(PROGRAM, 'counters')).toEqual({ hasValues: true, exit: 7 });
  });

  onLinux(named('may be a worker of a cluster', notHere), { timeout: TIMEOUT_MS }, async () => {
    const recorded = { status: 0, lost: 0, isAsBefore: true };
    expect(await run(PROGRAM, 'cluster')).toEqual({ results: [recorded, recorded], exit: 7 });
  });

  onLinux.each([
    ['sleep', '100'],
    ['python3', '-c', 'import time; time.sleep(100)'],
  ])(named('is not Node.js: %s', notHere), { timeout: TIMEOUT_MS }, async (...command) => {
    const { status, says, exit } = (await run(PROGRAM, 'program', ...command)) as Record<string, unknown>;
    expect({ status, exit }).toEqual({ status: 1, exit: 'SIGTERM' });
    expect(says).toMatch(NOT_NODE);
  });

  // In turns of 50 ms: V8 evaluates what attaching sends in the middle of its writing.
  onLinux.each([
    ['with the same copy of the package', 'cjs/index.cjs', 'collect'],
    ['with the same copy of the package', 'cjs/index.cjs', 'now'],
    ['with another copy of the package', 'index.js', 'collect'],
    ['with another copy of the package', 'index.js', 'now'],
  ])(
    named('goes on writing its own events %s: %s, %s', notHere),
    { timeout: 5 * TIMEOUT_MS },
    async (_how, copy, command) => {
      const whole = { status: 0, isEachHeard: true, dropped: 0, isWhole: true, lost: 0, exit: 7 };
      expect(await run(PROGRAM, 'writer', copy, command, leftToAll === undefined ? '20' : '4')).toEqual([
        whole,
      ]);
    },
  );

  onLinux(
    named('closes its inspector, and serves on, if the attacher is killed at any step', notHere),
    { timeout: TIMEOUT_MS },
    async () => {
      // Both of the programs that attach are killed, early and late.
      const kills = leftToAll === undefined ? '8' : '4';
      expect(await run(PROGRAM, 'kill', kills)).toMatchObject({ stuck: [], lost: 0, exits: [7] });
    },
  );
});
