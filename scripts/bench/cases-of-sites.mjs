// What a disabled event costs in real applications: at many call sites, to many sources.

export const siteGroups = {
  sites: 'A disabled event at 200 call sites of 20 sources with the same event names, in random order',
};

const site = (form, title, comparison = {}) => ({
  id: `sites-${form}`,
  group: 'sites',
  title,
  node: { module: 'sites', workload: 'sites', arguments: [form] },
  ...comparison,
});

/** @type {readonly import('./cases.mjs').Case[]} */
export const siteCases = [
  site('bare', 'the function that the event is written in'),
  site('flag', 'with if (flag)'),
  site('event', 'with an event', { against: 'sites-flag' }),
  site('lazy', 'with an event, a lazy payload', { against: 'sites-flag' }),
  site('enabled', 'with .enabled', { against: 'sites-flag' }),
  site('flagLiteral', 'with if (flag), an object literal'),
  site('literal', 'with an event, an object literal', { against: 'sites-flagLiteral' }),
  site('flagEscaping', 'with if (flag), an object that is kept'),
  site('escaping', 'with an event, an object that is kept', { against: 'sites-flagEscaping' }),
  site('flagClosure', 'with if (flag), in a closure'),
  site('closure', 'with an event, in a closure', { against: 'sites-flagClosure' }),
  site('flagMethod', 'with if (flag), in a method'),
  site('method', 'with an event, in a method, the source in a private field', {
    against: 'sites-flagMethod',
  }),
  site('work', 'calling a closure'),
  site('activity', 'in an activity()', { against: 'sites-work' }),
  site('run', 'in an activity, by its run()', { against: 'sites-work' }),
];
