/** The ports in DOTNET_DiagnosticPorts, parsed as by .NET's runtime. */
import { describe, expect, it } from 'vitest';
import { parsePortSettings } from '../../../lib/diagnostics/server/options.ts';

const connecting = { listens: false, suspends: true };

describe('the diagnostic ports in the environment', () => {
  it.each([
    ['/tmp/tool', { address: '/tmp/tool', ...connecting }],
    ['/tmp/tool,connect,suspend', { address: '/tmp/tool', ...connecting }],
    ['/tmp/tool,nosuspend', { address: '/tmp/tool', listens: false, suspends: false }],
    ['/tmp/own, Listen , NoSuspend', { address: '/tmp/own', listens: true, suspends: false }],
    ['own,suspend,listen', { address: 'own', listens: true, suspends: true }],
  ])('are parsed from %j', (text, port) => {
    expect(parsePortSettings(text)).toEqual({ ports: [port], problems: [] });
  });

  it('may be several, or none', () => {
    expect(parsePortSettings('a;;b,listen; ').ports.map(({ address }) => address)).toEqual(['a', 'b']);
    expect(parsePortSettings('')).toEqual({ ports: [], problems: [] });
  });

  it('are omitted and reported if they are invalid', () => {
    expect(parsePortSettings('a,wait;,listen;b')).toEqual({
      ports: [{ address: 'b', ...connecting }],
      problems: [
        'The diagnostic port "a,wait" has no setting "wait".',
        'The diagnostic port ",listen" has no address.',
      ],
    });
  });
});
