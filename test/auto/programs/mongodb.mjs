// Commands of mongodb to a fake server, each inside the activity Work. Argument: the folder of the libraries.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { instrument, instrumentMongoClient } from '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { app, printRecorded } from './recorded.mjs';

const { BSON, MongoClient } = load('mongodb');
const HEADER = 16;
const OP_MSG = 2013;

const ANSWERS = {
  hello: { isWritablePrimary: true, maxWireVersion: 25, minWireVersion: 0, maxBsonObjectSize: 2 ** 24 },
  find: { cursor: { id: BSON.Long.fromNumber(7), ns: 'shop.orders', firstBatch: [{ _id: 1 }] } },
  getMore: { cursor: { id: BSON.Long.fromNumber(0), ns: 'shop.orders', nextBatch: [{ _id: 2 }] } },
  insert: { ok: 0, code: 26, codeName: 'NamespaceNotFound', errmsg: "ns 'secret' does not exist" },
};

/** Of a message with one document, which is how the client asks with a version of the API. */
function answered(message) {
  const command = BSON.deserialize(message.subarray(HEADER + 5));
  const [name] = Object.keys(command);
  const document = BSON.serialize({ ok: 1, ...ANSWERS[name] });
  const answer = Buffer.alloc(HEADER + 5 + document.length);
  answer.writeInt32LE(answer.length, 0);
  answer.writeInt32LE(message.readInt32LE(4), 8);
  answer.writeInt32LE(OP_MSG, 12);
  answer.set(document, HEADER + 5);
  return answer;
}

const server = createServer((socket) => {
  let left = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (data) => {
    left = Buffer.concat([left, data]);
    while (left.length >= HEADER && left.length >= left.readInt32LE(0)) {
      const size = left.readInt32LE(0);
      socket.write(answered(left.subarray(0, size)));
      left = left.subarray(size);
    }
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const client = new MongoClient(`mongodb://127.0.0.1:${server.address().port}`, {
  serverApi: '1',
  monitorCommands: true,
  directConnection: true,
  maxPoolSize: 1,
});
await client.connect();
instrumentMongoClient(client);
instrumentMongoClient(client);
const orders = client.db('shop').collection('orders');
const note = (text) => app.Note({ text });
const inWork = (text, work) => app.activity('Work', { text }, { stop: () => ({}) }, work);

await printRecorded('Node.Database', {
  async answered() {
    await inWork('', async () => {
      note(String((await orders.find({ secret: 7 }).toArray()).length));
      await orders.insertOne({ _id: 3 }).catch(() => note('is refused'));
    });
    return server.address().port;
  },
  async concurrent() {
    const one = (text) =>
      inWork(text, async () => {
        await client.db(text).command({ ping: 1 });
        note(text);
      });
    await Promise.all(['a', 'b', 'c', 'd'].map(one));
  },
  async off() {
    instrument({ mongodb: false });
    await inWork('', () => client.db('shop').command({ ping: 1 }));
  },
});
await client.close(true);
server.close();
