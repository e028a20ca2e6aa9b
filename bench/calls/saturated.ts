import { Client } from 'undici';
import type { Target } from '../target.ts';
import { callOnce } from './in-turn.ts';

export interface SaturatedPlan {
  readonly target: Target;
  readonly body: string;
  readonly expected: string;
  readonly connections: number;
  readonly seconds: number;
}

/** Sends requests as fast as possible on several connections, where `wrk` is not installed. Returns requests per second; throws on a wrong answer. */
export async function callSaturated(
  plan: SaturatedPlan,
): Promise<{ requests: number; perSecond: number }> {
  const clients = Array.from({ length: plan.connections }, () => new Client(plan.target.url));
  const start = performance.now();
  const end = start + plan.seconds * 1000;
  let requests = 0;
  const askUntilEnd = async (client: Client): Promise<void> => {
    while (performance.now() < end) {
      await callOnce(client, plan.target, plan);
      requests += 1;
    }
  };
  try {
    await Promise.all(clients.map(askUntilEnd));
  } finally {
    await Promise.all(clients.map((client) => client.destroy()));
  }
  return { requests, perSecond: requests / ((performance.now() - start) / 1000) };
}
