// What writing costs besides the time of one event on this Node.js: texts of several scripts, instruction counts,
// and awaits on other versions of Node.js.
export const writeGroups = {
  texts: 'An event with a text of 1,200 bytes, or an address, to /dev/null',
};

const textForms = {
  ascii: 'ASCII',
  latin: 'Latin-1: é',
  cjk: 'CJK',
  emoji: 'emoji',
  concatenated: 'ASCII, concatenated for each event',
  ipv4: 'an IPv4 address, as text',
  ipv6: 'an IPv6 address, as text',
};

const texts = Object.entries(textForms).map(([form, title]) => ({
  id: `text-${form}`,
  group: 'texts',
  title,
  target: 'devNull',
  ...(form === 'ascii' ? {} : { against: 'text-ascii' }),
  node: { module: 'texts', workload: 'text', arguments: [form] },
}));

/** @type {readonly import('./cases.mjs').Case[]} */
export const writeCases = texts;
