import { type Dispatcher, Pool } from 'undici';
import { readStream } from '../event-stream.ts';
import { CHAT_PATH, requestHeaders, streamBody, type StreamPlan } from '../data/exchange.ts';
import type { Target } from '../target.ts';
import { callOnce } from './in-turn.ts';
import { receiveStream } from './streamed.ts';

export interface MixedPlan extends StreamPlan {
  readonly target: Target;
  readonly body: string;
  readonly expected: string;
  readonly connections: number;
  readonly seconds: number;
}

/** Numbers of calls by their end. */
export interface MixedCounts {
  readonly complete: number;
  readonly aborted: number;
}

/** Calls of one cycle: a third of them are streams, and a sixth is aborted. */
const CYCLE = ['whole', 'stream', 'whole', 'whole', 'aborted', 'whole'] as const;

/** Sends calls of all kinds as fast as they are answered, on several connections. Throws on a wrong answer. */
export async function callMixed(plan: MixedPlan): Promise<MixedCounts> {
  const pool = new Pool(plan.target.url, { connections: plan.connections });
  const end = performance.now() + plan.seconds * 1000;
  const stream = streamBody({ events: plan.events, everyMs: plan.everyMs });
  const counts = { complete: 0, aborted: 0 };
  const callUntilEnd = async (first: number): Promise<void> => {
    for (let turn = first; performance.now() < end; turn += 1) {
      const kind = CYCLE[turn % CYCLE.length];
      if (kind === 'whole') await callOnce(pool, plan.target, plan);
      if (kind === 'stream') {
        readStream(await receiveStream(pool, plan.target, stream), plan.events);
      }
      if (kind === 'aborted') await abortStream(pool, plan.target, stream);
      counts[kind === 'aborted' ? 'aborted' : 'complete'] += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: plan.connections }, (_, first) => callUntilEnd(first)));
  } finally {
    await pool.destroy();
  }
  return counts;
}

/** Requests a stream and disconnects at its first bytes. */
function abortStream(pool: Pool, target: Target, body: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const aborted = new Error('The client leaves.');
  const handler: Dispatcher.DispatchHandler = {
    // Required by undici.
    onRequestStart: () => undefined,
    onResponseStart: () => undefined,
    onResponseData: (controller) => controller.abort(aborted),
    onResponseEnd: () => reject(new Error(`${target.name} ended a stream before its first bytes.`)),
    onResponseError: (_controller, error) => {
      if (error === aborted) resolve();
      else reject(error);
    },
  };
  const headers = requestHeaders(target);
  pool.dispatch({ path: CHAT_PATH, method: 'POST', headers, body }, handler);
  return promise;
}
