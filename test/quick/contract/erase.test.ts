import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assert, expect, test } from 'vitest';
import { question, sendRequest } from '../../kit/gateway/request.ts';
import { startWindow } from '../../kit/gateway/window.ts';
import { TRANSPORTS } from './transports.ts';

test('erasing everything removes requests and responses first, because a crash later would leave them', async () => {
  await using window = await startWindow();
  const { harness } = window;
  const [transport] = TRANSPORTS;
  assert(transport !== undefined);
  const connection = await transport.connect(window);
  await sendRequest(harness, question('chat'));
  await harness.recorded(1);
  await harness.gateway.bodies.flush();
  const file = join(harness.dataDir, 'bodies.db');
  expect(existsSync(file)).toBe(true);
  const other = new DatabaseSync(join(harness.dataDir, 'gatehouse.db'));
  // The history cannot be erased meanwhile.
  other.exec('begin immediate');
  const erasing = connection.client.history.erase();
  await expect.poll(() => existsSync(file)).toBe(false);
  other.exec('rollback');
  other.close();
  expect(await erasing).toBe(1);
  connection.close();
});
