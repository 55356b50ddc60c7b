/** Shared by the tests of the diagnostic client: fake processes, and requests to them. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { StreamingTracing } from '../../../lib/wire/diagnostics-ipc/tracing.ts';
import { type FakeOptions, FakeProcess, PortFolder } from './fake-process.ts';

export const PROCESS = `Process ${process.pid}`;

export const tracing: StreamingTracing = {
  sessionType: 'streaming',
  bufferMegabytes: 250,
  format: 1,
  rundownKeyword: 0n,
  collectsStacks: true,
  bufferMode: 0,
  providers: [{ name: 'MyEventSource', keywords: 0x64n, level: 2, arguments: '' }],
};

/** Of the test that runs. */
export let folder: PortFolder;
let fakes: FakeProcess[] = [];

/** To be called by a file of tests: a folder for each test, and nothing left of it. */
export function useFakeProcesses(): void {
  beforeEach(() => {
    folder = new PortFolder();
  });
  afterEach(() => {
    for (const fake of fakes) fake.end();
    fakes = [];
    folder.remove();
  });
}

/** A process that ends with the test. */
export function fakeOf(options?: FakeOptions): FakeProcess {
  const fake = new FakeProcess(options);
  fakes.push(fake);
  return fake;
}

export const failure = (code: string, message: string) => expect.objectContaining({ code, message });

export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
