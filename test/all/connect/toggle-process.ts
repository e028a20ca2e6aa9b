import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openClients } from '../../../gateway/clients/clients.ts';
import { openConnections } from '../../../gateway/connect/connect.ts';
import { openStore } from '../../../gateway/store/store.ts';

/** Connects and disconnects a program until it is killed, and prints a character after each. */
const [, , dataDir = '', home = ''] = process.argv;
const log = (): undefined => undefined;
const store = await openStore(join(dataDir, 'gatehouse.db'));
const clients = await openClients({ store, now: Date.now, randomBytes, log });
let port = 7000;
const connections = openConnections({
  dataDir,
  place: { home, environment: {}, platform: process.platform },
  clients,
  now: Date.now,
  log,
  address: () => `http://127.0.0.1:${(port += 1)}`,
  furtherAddresses: () => [],
  isRunning: true,
  models: () => [],
});
for (;;) {
  await connections.connect({ program: 'claude-code', model: 'model' }, null);
  process.stdout.write('+');
  await connections.connect({ program: 'claude-code', model: 'other' }, null);
  process.stdout.write('+');
  await connections.disconnect('claude-code', null);
  process.stdout.write('-');
}
