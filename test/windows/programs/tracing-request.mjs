// What a tool asks the port of a process for, to have all events of one provider.
export const requestFor = (provider) => ({
  sessionType: 'streaming',
  bufferMegabytes: 16,
  format: 1,
  rundownKeyword: 0n,
  collectsStacks: true,
  bufferMode: 0,
  providers: [{ name: provider, keywords: 0n, level: 5, arguments: '' }],
});
