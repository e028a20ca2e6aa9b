import type { Socket } from 'node:net';
import { request } from 'undici';
import { type Harness } from './harness.ts';
import { composeRequest, dial } from '../net/raw-http.ts';

export async function ask(harness: Harness, key: string, agent: string) {
  const answer = await request(`${harness.url}/v1/models`, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': agent },
  });
  await answer.body.dump();
  return answer;
}

/** Sends wrong keys of one user agent until each further one is delayed. */
export async function exhaustLimit(harness: Harness): Promise<void> {
  for (let at = 0; at < 20; at += 1) await ask(harness, `wrong-${at}`, 'guess/1');
}

/** Sends a wrong key on a new connection. */
export async function sendWrongKey(harness: Harness): Promise<Socket> {
  const socket = await dial(harness.port);
  const lines = ['Authorization: Bearer wrong', 'User-Agent: guess/1'];
  socket.write(composeRequest({ ask: 'GET /v1/models', port: harness.port, lines }));
  return socket;
}
