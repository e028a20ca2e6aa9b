import { Agent, request } from 'undici';
import { type Harness } from './harness.ts';

/** Sends `count` concurrent requests without a key; `toRequest` makes each one from its number. Returns the exchanges that the answers name. */
export async function flood(
  harness: Harness,
  count: number,
  toRequest: (at: number) => { readonly path?: string; readonly headers?: Record<string, string> },
): Promise<string[]> {
  const dispatcher = new Agent({ connections: 20 });
  const exchangeIds: string[] = [];
  const ask = async (at: number) => {
    const { path = '/v1/models', headers = {} } = toRequest(at);
    const answer = await request(harness.url + path, { headers, dispatcher });
    exchangeIds.push(String(answer.headers['x-gatehouse-exchange']));
    await answer.body.dump();
  };
  for (let from = 0; from < count; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => ask(from + at)));
  }
  await dispatcher.close();
  return exchangeIds;
}
