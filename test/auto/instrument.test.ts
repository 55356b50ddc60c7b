/** Which channels are subscribed to and when, and the options of `instrument`. */
import { channel } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type InstrumentOptions, instrument } from '../../lib/auto/index.ts';
import { optionsOfText } from '../../lib/auto/settings.ts';
import { eventSources, listen } from '../../lib/index.ts';

const http = eventSources().find(({ name }) => name === 'Node.Http');
if (http === undefined) throw new Error('There is no Node.Http.');

const CHANNELS = ['http.server.request.start', 'http.client.request.error', 'undici:request:create'];
const subscribed = () => CHANNELS.filter((name) => channel(name).hasSubscribers);

afterEach(() => instrument({ httpServer: true, httpClient: true, fetch: true }));

describe('channels', () => {
  it('are subscribed to only while somebody wants the events', async () => {
    expect(subscribed()).toEqual([]);
    const [first, second] = [listen(http, () => {}), listen(http, () => {})];
    expect(subscribed()).toEqual(CHANNELS);
    first.close();
    expect(subscribed()).toEqual(CHANNELS);
    second.close();
    // On Node.js 20 and 22 the flow of activities has the first one, for a second after the last listener.
    await vi.waitFor(() => expect(subscribed()).toEqual([]), { timeout: 5000 });
  });

  it('are subscribed to only by parts that are on, even while something listens', () => {
    instrument({ fetch: false });
    const subscription = listen(http, () => {});
    expect(subscribed()).toEqual(CHANNELS.slice(0, 2));
    instrument({ fetch: true, httpClient: false });
    expect(subscribed()).toEqual([CHANNELS[0], CHANNELS[2]]);
    subscription.close();
  });

  it('do not end the process with unexpected messages', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const subscription = listen(http, () => {});
    channel('undici:request:create').publish({ request: null });
    channel('undici:request:create').publish(undefined);
    channel('http.client.request.error').publish({});
    subscription.close();
    await vi.waitFor(() => expect(warnings).toHaveLength(2));
    process.off('warning', onWarning);
    expect(warnings.map(({ message }) => message.split(':', 4).slice(0, 3).join(':'))).toEqual([
      expect.stringContaining('A message of the channel undici:request:create'),
      expect.stringContaining('A message of the channel http.client.request.error'),
    ]);
  });
});

describe('TRACEWRIGHT_AUTO', () => {
  it('turns parts on and off by name, and reports other names', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    expect(optionsOfText('')).toEqual({});
    expect(optionsOfText('-traceparent')).toEqual({ traceparent: false });
    expect(optionsOfText('processContext')).toEqual({ processContext: true });
    expect(optionsOfText(' pg,-redis , -fetch')).toEqual({ pg: true, redis: false, fetch: false });
    expect(optionsOfText('-nothing')).toEqual({});
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    process.off('warning', onWarning);
    expect(warnings[0]?.message).toMatch(
      /^TRACEWRIGHT_AUTO contains the unknown name '-nothing'; the names are httpServer, .*\.$/,
    );
  });
});

describe('instrument', () => {
  it.each([
    [null, 'The options of instrument must be an object, not null.'],
    [
      { htpServer: false },
      expect.stringMatching(
        /^instrument has no option 'htpServer'; the options are httpServer, .*, traceparent\.$/,
      ),
    ],
    [{ fetch: 'off' }, "The option fetch of instrument must be true or false, not 'off'."],
    [
      { traceparent: 'https://a' },
      "The option traceparent of instrument must be true, false or contain origins and addresses such as 'https://example.com' and '10.0.0.0/8', not 'https://a'.",
    ],
    [
      { processContext: { 'process.pid': 1 } },
      "The option processContext of instrument must be true, false or texts by name, such as { 'service.name': 'shop' }, not { 'process.pid': 1 }.",
    ],
    [
      { processContext: null },
      expect.stringMatching(
        /^The option processContext of instrument must be true, false or texts .*, not null\.$/,
      ),
    ],
    [
      { processContext: 'shop' },
      "The option processContext of instrument must be true or false, not 'shop'.",
    ],
    ...['a.example', 'mailto:a', '10.0.0.0/33', '10.0.0.256', ''].map((entry): [object, string] => [
      { traceparent: [entry] },
      `The option traceparent of instrument contains '${entry}', which is neither an origin such as 'https://example.com' nor an address or network such as '10.0.0.0/8'.`,
    ]),
  ])('rejects %o', (options, message) => {
    expect(() => instrument(options as unknown as InstrumentOptions)).toThrow(
      expect.objectContaining({ name: 'TypeError', message }),
    );
  });
});
