import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { assert, expect, test } from 'vitest';
import { RawConnection } from '../../kit/net/raw-connection.ts';

test('a connection that was reset is closed, and nobody has to catch anything', async () => {
  const { promise, resolve } = Promise.withResolvers<Socket>();
  const server = createServer(resolve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  const connection = new RawConnection(connect(address.port, '127.0.0.1'));
  (await promise).resetAndDestroy();
  await expect(connection.closed).resolves.toBeUndefined();
  server.close();
  await once(server, 'close');
});
