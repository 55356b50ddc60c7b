// Sends requests to two servers over many persistent connections: some pipelined, one in twenty aborted. Arguments: the
// ports, the duration in seconds, the number of connections. It reports its requests to its parent.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const [expressPort, fastifyPort, seconds, connections] = process.argv.slice(2).map(Number);
const asked = { requests: 0, aborted: 0, pipelined: 0, connections: 0 };
const until = Date.now() + seconds * 1000;
let lastId = 0;

/** Of a number, always the same: not random, so that a run can be repeated. */
const dice = (id, sides) => ((id * 2654435761) >>> 8) % sides;

function requestOf(id) {
  const head = 'Host: soak\r\nConnection: keep-alive\r\n';
  const kind = dice(id, 10);
  if (kind === 0) return `GET /fails/${id} HTTP/1.1\r\n${head}\r\n`;
  if (kind === 1) return `GET /stream/${id} HTTP/1.1\r\n${head}\r\n`;
  if (kind > 3) return `GET /plain/${id} HTTP/1.1\r\n${head}\r\n`;
  const body = JSON.stringify({ id });
  const headers = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `POST /body/${id} HTTP/1.1\r\n${head}${headers}\r\n${body}`;
}

/** Counts the answers on a connection, and lets the caller wait for them. */
class Answers {
  #socket;
  #text = '';
  count = 0;

  constructor(socket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text) => this.#take(text));
  }

  #take(text) {
    this.#text += text;
    for (let end = this.#end(); end >= 0; end = this.#end()) {
      this.#text = this.#text.slice(end);
      this.count++;
    }
    this.#socket.emit('answers');
  }

  /** Where the first answer ends; -1 if it is not all there. */
  #end() {
    const head = this.#text.indexOf('\r\n\r\n');
    if (head < 0) return -1;
    const length = /content-length: (\d+)/i.exec(this.#text.slice(0, head + 2))?.[1];
    if (length === undefined) {
      const end = this.#text.indexOf('\r\n0\r\n\r\n', head);
      return end < 0 ? -1 : end + 7;
    }
    const end = head + 4 + Number(length);
    return end <= this.#text.length ? end : -1;
  }
}

/** Asks over one connection until it is given up. */
async function askOver(port) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true }).on('error', () => {});
  await once(socket, 'connect');
  asked.connections++;
  const closed = once(socket, 'close');
  const answers = new Answers(socket);
  let sent = 0;
  while (Date.now() < until && !socket.destroyed) {
    const id = ++lastId;
    const together = dice(id, 5) === 0 ? 3 : 1;
    if (together > 1) asked.pipelined += together;
    const ids = [id, ...Array.from({ length: together - 1 }, () => ++lastId)];
    asked.requests += ids.length;
    sent += ids.length;
    socket.write(ids.map(requestOf).join(''));
    if (dice(id, 20) === 7) {
      asked.aborted += ids.length;
      await delay(dice(id, 12));
      socket.destroy();
    }
    while (!socket.destroyed && answers.count < sent) await Promise.race([once(socket, 'answers'), closed]);
  }
  socket.destroy();
  await closed;
}

async function askOften(port) {
  while (Date.now() < until) await askOver(port);
}

await Promise.all(
  Array.from({ length: connections }, (_, i) => askOften(i % 2 === 0 ? expressPort : fastifyPort)),
);
process.send(asked);
process.disconnect();
