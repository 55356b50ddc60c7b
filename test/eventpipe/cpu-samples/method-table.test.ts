/** Functions, and the addresses that represent them. */
import { describe, expect, it } from 'vitest';
import { METHOD_SIZE, MethodTable } from '../../../lib/eventpipe/cpu-samples/method-table.ts';

const frame = (functionName: string, lineNumber = 11, url = 'file:///srv/cart.js') => ({
  functionName,
  scriptId: '9',
  url,
  lineNumber,
  columnNumber: 4,
});

/** Those that the addresses are inside of. */
function methodsAt(table: MethodTable, ...addresses: bigint[]) {
  return addresses.map((address) => {
    const method = table.methodAt(address);
    expect(address).toBeGreaterThanOrEqual(method.startAddress);
    expect(address).toBeLessThan(method.startAddress + BigInt(METHOD_SIZE));
    return method;
  });
}

const namesAt = (table: MethodTable, ...addresses: bigint[]) =>
  methodsAt(table, ...addresses).map(({ name }) => name);

describe('a function', () => {
  it('has one address, which no other function has', () => {
    const table = new MethodTable(false, '/srv');
    const add = table.addressOf(frame('add'));
    const addElsewhere = table.addressOf(frame('add', 12));
    const remove = table.addressOf(frame('remove'));
    expect(new Set([add, addElsewhere, remove]).size).toBe(3);
    expect(table.addressOf(frame('add'))).toBe(add);
    expect(namesAt(table, add, addElsewhere, remove)).toEqual(['add', 'add', 'remove']);
    const methods = methodsAt(table, add, addElsewhere, remove);
    expect(methods.map(({ signature }) => signature)).toEqual(['(12:5)', '(13:5)', '(12:5)']);
    expect(new Set(methods.map(({ module }) => module)).size).toBe(1);
    expect(new Set(methods.map(({ token }) => token)).size).toBe(3);
  });

  it('without a name is identified by its position', () => {
    const table = new MethodTable(false, '/srv');
    const addresses = [table.addressOf(frame('')), table.addressOf(frame('', -1))];
    expect(namesAt(table, ...addresses)).toEqual(['(anonymous):12:5', '(anonymous)']);
  });

  it('is merged with others if there are too many', () => {
    const table = new MethodTable(false, '/srv');
    const first = table.addressOf(frame('first'));
    for (let line = 0; line < 32_768; line++) table.addressOf(frame('made', line));
    const beyond = [1, 2, 3].map((line) => table.addressOf(frame('beyond', line)));
    expect(new Set(beyond).size).toBe(1);
    expect(namesAt(table, beyond[0] as bigint)).toEqual(['(functions beyond the first 32768)']);
    expect(table.addressOf(frame('first'))).toBe(first);
  });
});
