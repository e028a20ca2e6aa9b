import { setTimeout } from 'node:timers/promises';
import { videoOf, type Wish } from './wishes.ts';

/** What a client got for its order. */
export interface Got {
  readonly status: number;
  readonly text: string;
}

/** The way of a client: the proxy and its key there, and an image that the service has. */
export interface ClientWay {
  readonly port: number;
  readonly localKey: string;
  readonly imageUrl: string;
  /** Aborts when there is nobody to ask any more. */
  readonly gone: AbortSignal;
}

const PAUSE_MS = 50;
const TOO_MANY = 429;

/** Orders a video as a stubborn script does: the very same request until there is an answer that tells. `null` when the engine was gone before. */
export async function orderStubbornly(wish: Wish, way: ClientWay): Promise<Got | null> {
  while (!way.gone.aborted) {
    const got = await orderOnce(wish, way);
    if (got !== null && got.status < 500 && got.status !== TOO_MANY) return got;
    await setTimeout(PAUSE_MS);
  }
  return null;
}

async function orderOnce(wish: Wish, { port, localKey, imageUrl }: ClientWay): Promise<Got | null> {
  const { model, task, prompt, seconds, resolution } = videoOf(wish);
  const conditions = [{ type: 'image', url: imageUrl }];
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/videos`, {
      method: 'POST',
      headers: { authorization: `Bearer ${localKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, task, prompt, seconds, resolution, conditions }),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    // The engine was killed in the middle: the next one is asked again.
    return null;
  }
}
