/** `tracewright sessions` and `providers` on a kernel: what its instances, perf and programs show of themselves. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { runScript, skipReason, suiteName } from './guest.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));

describe.skipIf(skipReason('uml') !== undefined)(suiteName('the lists of a machine', 'uml'), () => {
  /** What each command printed, by its arguments. */
  const printed = new Map<string, string>();

  beforeAll(async () => {
    const commands = ['sessions', 'sessions mine', 'providers', 'providers Demo', 'providers --json Plain'];
    const output = await runScript(`true
      node registered.mjs Demo_L4K0 Demo_L5K2 Plain >/run/registered & tool=$!
      until grep -q registered /run/registered; do sleep 0.1; done
      cd /sys/kernel/tracing && mkdir instances/mine
      echo 0 >instances/mine/options/overwrite; echo 1408 >instances/mine/buffer_size_kb
      echo user_events:Demo_L4K0 >instances/mine/set_event
      echo sched:sched_switch >>instances/mine/set_event
      perf record -q -a -e user_events:Demo_L5K2 -o /run/perf.data sleep 60 & perf=$!
      until grep -q perf user_events_status; do sleep 0.1; done
      ${commands.map((args) => `echo "@ ${args}"; node ${main} ${args} 2>&1`).join('\n')}
      echo "@ refused"; setpriv --reuid 65534 --clear-groups node ${main} providers 2>&1
      kill $perf $tool; wait $perf; cd /; rmdir /sys/kernel/tracing/instances/mine`);
    for (const section of output.split('@ ').slice(1)) {
      const [args = '', ...lines] = section.trimEnd().split('\n');
      printed.set(args, lines.join('\n').replaceAll(/\(\d+\)/g, '(PID)'));
    }
  }, 120_000);

  const cells = (args: string) =>
    printed
      .get(args)
      ?.split('\n')
      .map((line) => line.trim().split(/ {2,}/));

  it('have instances, with who uses perf events', () => {
    expect(cells('sessions')).toEqual([
      ['SESSION', 'PROCESS', 'MODE', 'BUFFERS', 'LOST', 'PROVIDERS'],
      ['mine', 'trace instance, stops when full', expect.stringMatching(/^\d+ x 1,4\d\d KiB$/), '0', '2'],
      ['perf', 'perf (PID)', 'perf events'],
    ]);
    expect(cells('sessions mine')?.slice(2)).toEqual([
      [''],
      ['PROVIDER', 'TRACEPOINT', 'LEVEL', 'KEYWORDS'],
      ['Demo', 'Demo_L4K0', '4', '0x0'],
      ['sched', 'sched_switch'],
    ]);
  });

  it('have tracepoints by provider, with the sessions that have enabled them', () => {
    const processes = ['Processes that have user_events open: node (PID).'];
    expect(cells('providers')).toEqual(
      [
        ['PROVIDER', 'SOURCE', 'TRACEPOINTS', 'ENABLED BY'],
        ['Demo', 'user_events', '2', 'mine (1), perf (1)'],
        ['Plain', 'user_events', '1'],
        ['sched', 'kernel', '1', 'mine (1)'],
        processes,
      ].map((row) => row.map((cell) => cell.replaceAll(/\(1\)/g, '(PID)'))),
    );
    expect(cells('providers Demo')?.slice(3)).toEqual([
      ['ENABLED BY', 'TRACEPOINT', 'LEVEL', 'KEYWORDS'],
      ['mine', 'Demo_L4K0', '4', '0x0'],
      ['perf', 'Demo_L5K2', '5', '0x2'],
      processes,
    ]);
    const [json = ''] = printed.get('providers --json Plain')?.split('\n') ?? [];
    const plain = { name: 'Plain', source: 'user_events', tracepoints: ['Plain'], enabledBy: [] };
    expect(JSON.parse(json)).toEqual(plain);
  });

  it('say in a sentence what a user without permission needs', () => {
    expect(printed.get('refused')).toMatch(
      /^tracewright: This user may not read the tracepoints in \/sys\/kernel\/tracing \(EACCES\)\. As root: mount /,
    );
  });
});
