import { Client, type Dispatcher } from 'undici';
import { CHAT_PATH, requestHeaders } from '../exchange.ts';
import type { Door } from '../door.ts';

/** The same request through several doors, `times` times. */
export interface PairedPlan {
  readonly doors: readonly Door[];
  readonly body: string;
  readonly expected: string;
  readonly times: number;
}

/**
 * Sends the request through one door after the other, one at a time, on connections that stay open. Each turn begins with another
 * door, so that none profits from its place. Returns the milliseconds of every turn by door. Throws on the first wrong answer.
 */
export async function callPaired(plan: PairedPlan): Promise<number[][]> {
  const clients = plan.doors.map(({ url }) => new Client(url, { bodyTimeout: 0 }));
  const times: number[][] = plan.doors.map(() => []);
  try {
    for (let turn = 0; turn < plan.times; turn += 1) {
      for (let step = 0; step < clients.length; step += 1) {
        const place = (turn + step) % clients.length;
        const [client, door] = [clients[place], plan.doors[place]];
        if (client !== undefined && door !== undefined) {
          times[place]?.push(await callOnce(client, door, plan));
        }
      }
    }
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
  return times;
}

/** Milliseconds from sending to the last byte of the right answer. */
export async function callOnce(
  client: Dispatcher,
  door: Door,
  { body, expected }: Pick<PairedPlan, 'body' | 'expected'>,
): Promise<number> {
  const headers = requestHeaders(door.key);
  const began = performance.now();
  const answer = await client.request({ path: CHAT_PATH, method: 'POST', headers, body });
  const text = await answer.body.text();
  const took = performance.now() - began;
  if (answer.statusCode !== 200 || text !== expected) {
    throw new Error(`A wrong answer from ${door.name}: ${answer.statusCode} ${text.slice(0, 200)}`);
  }
  return took;
}
