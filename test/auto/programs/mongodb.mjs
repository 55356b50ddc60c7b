// Commands of mongodb to a fake server, each inside the activity Work. Argument: the folder of the libraries.
import { instrument, instrumentMongoClient } from '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { listenAsMongo } from './mongo-server.mjs';
import { app, printRecorded } from './recorded.mjs';

const { MongoClient } = load('mongodb');
const server = await listenAsMongo();
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
