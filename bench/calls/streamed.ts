import { setTimeout as wait } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { type Arrival, readStream, sharedClock } from '../event-stream.ts';
import { CHAT_PATH, requestHeaders, streamBody, type StreamPlan } from '../data/exchange.ts';
import type { Target } from '../target.ts';

export interface StreamedPlan extends StreamPlan {
  readonly target: Target;
  readonly streams: number;
  /** The starts of the streams are spread evenly over this many milliseconds. */
  readonly spreadMs: number;
}

/** Reads many streams at the same time. Returns the delay of every event in milliseconds; throws when a stream is incomplete. */
export async function callStreamed(plan: StreamedPlan): Promise<Float64Array> {
  const pool = new Pool(plan.target.url, { connections: null, bodyTimeout: 0, headersTimeout: 0 });
  const body = streamBody({ events: plan.events, everyMs: plan.everyMs });
  const receive = async (index: number): Promise<readonly Arrival[]> => {
    await wait((plan.spreadMs * index) / plan.streams);
    return await receiveStream(pool, plan.target, body);
  };
  try {
    const received = await Promise.all(Array.from({ length: plan.streams }, (_, i) => receive(i)));
    // Checked at the end, so that checking does not delay the measurement.
    return Float64Array.from(received.flatMap((arrivals) => readStream(arrivals, plan.events)));
  } finally {
    await pool.destroy();
  }
}

/** Receives one stream, which is not checked yet. */
export function receiveStream(
  pool: Pool,
  target: Target,
  body: string,
): Promise<readonly Arrival[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Arrival[]>();
  const arrivals: Arrival[] = [];
  const handler: Dispatcher.DispatchHandler = {
    // Required by undici.
    onRequestStart: () => undefined,
    onResponseStart: (controller, status) => {
      if (status !== 200) controller.abort(new Error(`${target.name} answered ${status}.`));
    },
    onResponseData: (_controller, bytes) => {
      arrivals.push({ at: sharedClock(), bytes });
    },
    onResponseEnd: () => resolve(arrivals),
    onResponseError: (_controller, error) => reject(error),
  };
  const headers = requestHeaders(target);
  pool.dispatch({ path: CHAT_PATH, method: 'POST', headers, body }, handler);
  return promise;
}
