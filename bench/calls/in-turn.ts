import { Client, type Dispatcher } from 'undici';
import { CHAT_PATH, requestHeaders } from '../data/exchange.ts';
import type { Target } from '../target.ts';

/** The same request to several targets, `times` times. */
export interface PairedPlan {
  readonly targets: readonly Target[];
  readonly body: string;
  readonly expected: string;
  readonly times: number;
}

/**
 * Sends the request to one target after the other, one at a time, on keep-alive connections. Each turn begins with another target, so
 * that the order favours none. Returns the milliseconds of every turn, by target. Throws on the first wrong answer.
 */
export async function callInTurn(plan: PairedPlan): Promise<number[][]> {
  const clients = plan.targets.map(({ url }) => new Client(url, { bodyTimeout: 0 }));
  const times: number[][] = plan.targets.map(() => []);
  try {
    for (let turn = 0; turn < plan.times; turn += 1) {
      for (let step = 0; step < clients.length; step += 1) {
        const place = (turn + step) % clients.length;
        const [client, target] = [clients[place], plan.targets[place]];
        if (client !== undefined && target !== undefined) {
          times[place]?.push(await callOnce(client, target, plan));
        }
      }
    }
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
  return times;
}

/** Returns the milliseconds from sending to the last byte of the answer; throws on a wrong answer. */
export async function callOnce(
  client: Dispatcher,
  target: Target,
  { body, expected }: Pick<PairedPlan, 'body' | 'expected'>,
): Promise<number> {
  const headers = requestHeaders(target);
  const start = performance.now();
  const answer = await client.request({
    path: target.path ?? CHAT_PATH,
    method: 'POST',
    headers,
    body,
  });
  const text = await answer.body.text();
  const elapsed = performance.now() - start;
  if (answer.statusCode !== 200 || text !== (target.answer ?? expected)) {
    throw new Error(
      `A wrong answer from ${target.name}: ${answer.statusCode} ${text.slice(0, 200)}`,
    );
  }
  return elapsed;
}
