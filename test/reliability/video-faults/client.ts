import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { toNewVideo, type Plan } from './planned-actions.ts';

/** Response that a client received for its order. */
export interface ClientAnswer {
  readonly status: number;
  readonly text: string;
}

/** Connection of a client: the proxy, its local key, and an image that the service has. */
export interface ClientTarget {
  readonly port: number;
  readonly localKey: string;
  readonly imageUrl: string;
  /** The image itself, for a form. */
  readonly image: Buffer;
  /** Aborts when the engine has ended. */
  readonly signal: AbortSignal;
}

const PAUSE_MS = 50;
const TOO_MANY = 429;

/** Orders a video and repeats the request unchanged until the response is definite. Returns `null` when the engine ended before. */
export async function orderWithRetries(
  wish: Plan,
  target: ClientTarget,
): Promise<ClientAnswer | null> {
  while (!target.signal.aborted) {
    const got = await orderOnce(wish, target);
    if (got !== null && got.status < 500 && got.status !== TOO_MANY) return got;
    await setTimeout(PAUSE_MS);
  }
  return null;
}

async function orderOnce(wish: Plan, target: ClientTarget): Promise<ClientAnswer | null> {
  const { port, localKey } = target;
  const { body, headers } = requestOf(wish, target);
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${localKey}`, ...headers },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    // The engine was killed during the request: the client asks the next one again.
    return null;
  }
}

/** Each form has a new boundary. */
function requestOf(wish: Plan, { imageUrl, image }: ClientTarget) {
  const { model, task, prompt, seconds, resolution } = toNewVideo(wish);
  if (wish.habit.body === 'form') {
    const body = new FormData();
    const fields = { model, task, prompt, seconds, resolution };
    for (const [name, value] of Object.entries(fields)) body.append(name, value ?? '');
    const file = new File([new Uint8Array(image)], 'client.png', { type: 'image/png' });
    body.append('input_reference', file);
    return { body, headers: {} };
  }
  const conditions = [{ type: 'image', url: imageUrl }];
  const json = JSON.stringify({ model, task, prompt, seconds, resolution, conditions });
  const type = { 'content-type': 'application/json' };
  return wish.habit.body === 'gzip'
    ? { body: new Uint8Array(gzipSync(json)), headers: { ...type, 'content-encoding': 'gzip' } }
    : { body: json, headers: type };
}
