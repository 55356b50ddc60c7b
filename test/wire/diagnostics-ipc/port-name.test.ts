/** The names of diagnostic ports. */
import { describe, expect, it } from 'vitest';
import {
  parsePortName,
  pipeName,
  portKey,
  socketName,
  startTimeKey,
} from '../../../lib/wire/diagnostics-ipc/port-name.ts';

describe('the name of a diagnostic port', () => {
  it('names a socket with a key, or a pipe without one', () => {
    expect(socketName(4711, '12345')).toBe('dotnet-diagnostic-4711-12345-socket');
    expect(pipeName(4711)).toBe('dotnet-diagnostic-4711');
  });

  it('can be parsed', () => {
    expect(parsePortName(socketName(4711, '12345'))).toEqual({ processId: 4711, key: '12345' });
    expect(parsePortName(pipeName(4711))).toEqual({ processId: 4711, key: undefined });
  });

  it.each([
    'dotnet-diagnostic-dsrouter-4711-12345-socket',
    'dotnet-diagnostic-4711-12345-socket.old',
    'dotnet-diagnostic--12345-socket',
    'xdotnet-diagnostic-4711',
    'dotnet-diagnostic-4711-',
  ])('cannot be %s', (name) => {
    expect(parsePortName(name)).toBeUndefined();
  });
});

describe('the key of a process on Linux', () => {
  const after = 'S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20';

  it('is its start time, whatever its name', () => {
    expect(startTimeKey(`4711 (node) ${after}`)).toBe('987654');
    expect(startTimeKey(`4711 (a ) (b) 1) ${after}`)).toBe('987654');
  });

  it('is 0 if that is unknown', () => {
    expect(startTimeKey('4711 (node) S 1')).toBe('0');
    expect(startTimeKey('')).toBe('0');
  });

  it('ends with the pid namespace, except in the initial one', () => {
    const stat = `4711 (node) ${after}`;
    expect(portKey(stat, 'pid:[4026531836]')).toBe('987654');
    expect(portKey(stat, 'pid:[4026532178]')).toBe('9876544026532178');
    expect(portKey(stat, undefined)).toBe('987654');
    const years = stat.replace('987654', '12345678901');
    expect(parsePortName(socketName(7, portKey(years, 'pid:[4294967295]')))).toEqual({
      processId: 7,
      key: '123456789014294967295',
    });
  });
});
