// Reads the updates of a live view until it ends: the numbers of the events in it, and the names of what took time.
const url = process.argv[2];
let text = '';
for await (const piece of (await fetch(`${url}updates`)).body.pipeThrough(new TextDecoderStream()))
  text += piece;
const updates = [...text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json));
const numbers = updates
  .flatMap(({ rows }) => rows)
  .map(({ fields }) => Number(/number=(\d+)/.exec(fields)?.[1]));
console.log(JSON.stringify({ numbers, isEnded: /^event: end$/m.test(text) }));
