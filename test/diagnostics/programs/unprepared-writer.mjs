// An application that writes events of its own all the time, in turns of 50 ms, to a session and a listener of its own.
// PACKAGE is the copy of tracewright that it uses, OUTPUT its trace. When it is ended, it says what its listener saw.
const { defineEventSource, event, EventListener, startSession } = await import(process.env.PACKAGE);

const TURN_MS = 50;
const DEPTH = 20;
const VALUES = Array.from({ length: 8 }, (_, index) => index);

const log = defineEventSource('Attached.Writer', { Tick: event({ number: 'uint32', values: 'uint32[]' }) });
const session = startSession({ providers: '*', output: process.env.OUTPUT });
const seen = [];
const listener = new EventListener({ onEventWritten: ({ payload }) => seen.push(payload.number) });
listener.enableEvents(log, 0);
let number = 0;
let isOver = false;
process.on('SIGTERM', () => {
  isOver = true;
});

function write(depth) {
  if (depth > 0) write(depth - 1);
  else log.Tick({ number: number++, values: VALUES });
}

function turn() {
  const end = performance.now() + TURN_MS;
  while (performance.now() < end) write(DEPTH);
  if (isOver) stop();
  else setImmediate(turn);
}

async function stop() {
  const { dropped, problem } = await session.close();
  const isEachHeard = seen.length === number && seen.every((each, index) => each === index);
  console.log(JSON.stringify({ count: number, isEachHeard, dropped, problem }));
  process.exit(7);
}

console.log(JSON.stringify({ pid: process.pid, port: 0 }));
turn();
