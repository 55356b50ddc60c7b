/** Sessions in processes that end, lie, or send too much; and the triggers of rules. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { AgentCounters } from '../../lib/agent/agent-counters.ts';
import { Attachment } from '../../lib/agent/attachment.ts';
import { DiskBudget } from '../../lib/agent/disk-budget.ts';
import { MemoryBudget } from '../../lib/agent/memory-budget.ts';
import type { NodeProcess } from '../../lib/agent/node-processes.ts';
import { Recorder } from '../../lib/agent/recorder.ts';
import { readAgentSettings } from '../../lib/agent/settings/agent-settings.ts';
import { checkedTarget } from '../../lib/diagnostics/client/checked-port.ts';
import { DiagnosticsClient } from '../../lib/diagnostics/client/diagnostics-client.ts';
import { TypeCode } from '../../lib/wire/nettrace/constants.ts';
import { counterTrace, mean } from '../cli/counter-trace.ts';
import { fakeOf, folder, useFakeProcesses } from '../diagnostics/client/fake-client.ts';
import { type Answer, type FakeProcess, ok, SESSION_ID } from '../diagnostics/client/fake-process.ts';
import { u64 } from '../diagnostics/server/byte-messages.ts';
import { linuxOnly, named } from '../platforms.ts';
import { AgentTrace, readEvents } from './agent-trace.ts';

useFakeProcesses();

interface Attached {
  readonly attachment: Attachment;
  readonly counters: AgentCounters;
  readonly said: string[];
  readonly files: string[];
}

/** Of a rule in a fake process. */
function attach(fake: FakeProcess, rule: object = {}, memoryLimit = 1e9): Attached {
  const json = JSON.stringify({ folder: folder.path, rules: [{ name: 'r', providers: 'P', ...rule }] });
  const [settings] = readAgentSettings(json, 'a').rules as [never];
  const [counters, said, files]: [AgentCounters, string[], string[]] = [new AgentCounters(), [], []];
  const traces = join(folder.path, 'traces');
  const disk = new DiskBudget([traces], { limit: 1e9, whenFull: 'refuseNew' }, counters);
  const say = (sentence: string) => said.push(sentence);
  const memory = new MemoryBudget(memoryLimit, counters, say);
  const onFile = ({ path }: { readonly path: string }) => files.push(path);
  const places = { folder: traces, name: 'a', disk, memory };
  const recorder = new Recorder({ rule: settings, ...places, counters, onFile, onGap: () => {}, say });
  const client = new DiagnosticsClient(checkedTarget({ address: folder.port, processId: process.pid }, 1000));
  const target: NodeProcess = {
    processId: fake.processId,
    client,
    startMs: 0,
    isKnown: false,
    name: 'app',
    service: 'app',
    resource: {},
    commandLine: 'app',
    runtime: 'dotnet',
    environment: {},
    container: '',
  };
  const attachment = new Attachment({
    process: target,
    rule: settings,
    recorder,
    memory,
    counters,
    feed: undefined,
    onStart: () => {},
    say,
  });
  return { attachment, counters, said, files };
}

const sending = (bytes: Uint8Array, ends = true) => {
  const answer: Answer = (_, socket, fake) => {
    fake.stream = socket;
    setTimeout(() => (ends ? socket.end(bytes) : socket.write(bytes)), 10);
    return ok(u64(SESSION_ID));
  };
  const answers = { '02/03': answer, '02/02': answer, '02/04': answer };
  return fakeOf({ answers }).listen(folder.port);
};

const partial = () => readdirSync(join(folder.path, 'traces')).filter((name) => name.endsWith('.partial'));
const notHere = linuxOnly('sockets that say who listens');

describe('a session of the agent', () => {
  it('has a whole file when the process is killed, with the events that arrived', async () => {
    const trace = new AgentTrace();
    const sent = Buffer.concat([trace.section('A', 10), trace.section('B', 20)]);
    const { attachment, counters, files } = attach(await sending(sent));
    await attachment.ended;
    expect(files).toHaveLength(1);
    expect(await readEvents(files[0])).toEqual({ events: { A: 10, B: 20 }, lost: 0 });
    expect([counters.received.get('r'), counters.written.get('r')]).toEqual([30, 30]);
  });

  it('counts the events that the process has dropped', async () => {
    const trace = new AgentTrace();
    const sent = Buffer.concat([trace.section('A', 10, 5), trace.section('A', 10), trace.section('A', 1, 2)]);
    const { attachment, counters, files } = attach(await sending(sent));
    await attachment.ended;
    expect([counters.received.get('r'), counters.dropped.get('process')]).toEqual([21, 7]);
    expect(await readEvents(files[0])).toEqual({ events: { A: 21 }, lost: 7 });
  });

  it('has the whole blocks of a process that is killed, and says nothing about the rest', async () => {
    const trace = new AgentTrace();
    const parts = [trace.section('A', 10), trace.part('B', 20, new Uint8Array(8)), trace.section('C', 1000)];
    const all = Buffer.concat(parts);
    const { attachment, counters, files, said } = attach(await sending(all.subarray(0, -5000)));
    await attachment.ended;
    expect(await readEvents(files[0])).toEqual({ events: { A: 10, B: 20 }, lost: 0 });
    expect([counters.received.get('r'), counters.written.get('r')]).toEqual([30, 30]);
    expect(said).toEqual([]);
  });

  it('may end before it sends anything', async () => {
    const { attachment, counters, said } = attach(await sending(Buffer.alloc(0)));
    await attachment.ended;
    expect([said, counters.errors.sum]).toEqual([[], 0]);
  });

  it('counts the events of blocks that are damaged', async () => {
    const trace = new AgentTrace();
    const sent = Buffer.concat([trace.section('A', 10), trace.section('B', 20)]);
    // A field of the last event block: its events refer to no kind of events.
    const block = sent.lastIndexOf('EventBlock');
    sent.fill(0xff, block + 60, block + 70);
    const { attachment, counters, files } = attach(await sending(sent));
    await attachment.ended;
    expect(await readEvents(files[0])).toEqual({ events: { A: 10 }, lost: 0 });
    const { received, written, dropped } = counters;
    expect(written.get('r') + dropped.get('fault')).toBe(received.get('r'));
    expect(counters.errors.get('trace')).toBe(1);
  });

  it('ends with a sentence when the process sends no trace', async () => {
    const { attachment, counters, said } = attach(await sending(Buffer.alloc(5000, 'no trace ')));
    await attachment.ended;
    expect(counters.errors.get('trace')).toBe(1);
    expect(said).toEqual([expect.stringMatching(/^Process \d+ sends no usable trace: .+/)]);
    expect(partial()).toEqual([]);
  });

  it('keeps what came before the damage', async () => {
    const sent = Buffer.concat([new AgentTrace().section('A', 10), Buffer.alloc(5000, 0xff)]);
    const { attachment, counters, files } = attach(await sending(sent));
    await attachment.ended;
    expect(await readEvents(files[0])).toEqual({ events: { A: 10 }, lost: 0 });
    expect(counters.errors.get('trace')).toBe(1);
  });

  it('ends when there is no memory for what a process sends without a sequence point', async () => {
    const trace = new AgentTrace();
    const parts = [trace.section('A', 10)];
    for (let i = 0; i < 50; i++) parts.push(trace.part('B', 100, new Uint8Array(1000)));
    const { attachment, counters, said, files } = attach(await sending(Buffer.concat(parts), false), {}, 4e6);
    await attachment.ended;
    const { received, written, dropped, memoryUsed } = counters;
    expect(dropped.get('memory')).toBeGreaterThan(1000);
    expect(written.get('r') + dropped.get('memory')).toBe(received.get('r'));
    expect(await readEvents(files[0])).toEqual({ events: { A: 10 }, lost: 0 });
    expect(said).toEqual([
      expect.stringMatching(
        /^Process \d+ has sent \d+ MB without a sequence point, .+ may have 4 MB of memory; see memory\.maxBytes\.$/,
      ),
    ]);
    expect(memoryUsed).toBe(0);
  });

  it('lets a process wait that sends more than it may', async () => {
    const trace = new AgentTrace();
    const sections = Array.from({ length: 40 }, () => trace.section('A', 1000));
    const rule = { limits: { maxBytesPerSecond: 0.1e6 } };
    const { attachment, counters } = attach(await sending(Buffer.concat(sections), false), rule);
    await vi.waitFor(() => expect(counters.throttledMs).toBeGreaterThan(0), { timeout: 5000 });
    attachment.close();
    await attachment.ended;
  });

  it.skipIf(notHere !== undefined)(
    named('talks to no process that listens in place of another', notHere),
    async () => {
      const fake = await fakeOf().listen(folder.port);
      const target = checkedTarget({ address: folder.port, processId: 1 }, 1000);
      await expect(target.connect()).rejects.toThrow(
        `The diagnostic port ${folder.port} does not belong to process 1: another one listens there.`,
      );
      expect(fake.requests).toEqual([]);
    },
  );
});

describe('a trigger', () => {
  const counter = { type: 'counter', provider: 'System.Runtime', counter: 'cpu-usage' };
  const counted = (value: number) => counterTrace(mean('cpu-usage', 'CPU Usage', value, '%'));

  it('is a counter beyond a value, which the session asks for each second', async () => {
    const fake = await sending(counted(95));
    const { attachment, counters } = attach(fake, { triggers: [{ ...counter, above: 90 }] });
    await attachment.ended;
    expect(counters.triggers.get('r')).toBe(1);
    expect(fake.requests[0]?.includes(Buffer.from('EventCounterIntervalSec=1', 'utf16le'))).toBe(true);
    expect(fake.requests[0]?.includes(Buffer.from('System.Runtime', 'utf16le'))).toBe(true);
  });

  describe('of an event', () => {
    const text = { code: TypeCode.Utf16Text };
    const object = { code: TypeCode.Object, fields: [{ name: 'id', type: text }] };
    const fields = [
      { name: 'user', type: object },
      { name: 'tags', type: { code: TypeCode.Array, element: text } },
    ];
    // { user: { id: 'a' }, tags: ['b'] }
    const payload = Uint8Array.from([97, 0, 0, 0, 1, 0, 98, 0, 0, 0]);

    it.each([
      [{ user: '{"id":"a"}' }, 1],
      [{ tags: '*"b"*' }, 1],
      [{ user: '*', tags: '*' }, 1],
      [{ user: 'a' }, 0],
      [{ toString: '*' }, 0],
    ])('compares structs and arrays as JSON: %j', async (wanted, triggers) => {
      const sent = new AgentTrace().event('E', fields, payload);
      const rule = { triggers: [{ type: 'event', event: 'E', fields: wanted }] };
      const { attachment, counters, said } = attach(await sending(sent), rule);
      await attachment.ended;
      expect([counters.triggers.get('r'), counters.received.get('r'), said]).toEqual([triggers, 1, []]);
    });
  });

  it('is none while the counter is within it', async () => {
    const { attachment, counters } = attach(await sending(counted(80)), {
      triggers: [{ ...counter, above: 90 }],
    });
    await attachment.ended;
    expect([counters.triggers.get('r'), counters.unused.get('r')]).toEqual([0, counters.received.get('r')]);
  });

  it.each([{ type: 'startup' }, { type: 'interval', intervalMs: 60000 }])('is $type', async (trigger) => {
    const fake = await sending(new AgentTrace().section('A', 10), false);
    const { attachment, counters } = attach(fake, { collect: 'ring', triggers: [trigger] });
    await vi.waitFor(() => expect(counters.held).toBe(10));
    attachment.tick(performance.now() + 60_000);
    expect(counters.triggers.get('r')).toBe(1);
    attachment.close();
    await attachment.ended;
    expect(counters.written.get('r')).toBe(10);
  });
});
