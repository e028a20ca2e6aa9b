import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../../kit/random.ts';

export interface LoadOptions {
  /** Address of the proxy, without `/v1`. */
  readonly url: string;
  readonly localKey: string;
  /** Number of concurrent callers. */
  readonly callers: number;
  readonly seed: number;
  readonly stop: AbortSignal;
}

/** Results as the callers saw them. */
export interface CallStats {
  /** Requests by kind. */
  readonly sent: Map<string, number>;
  /** Responses by status; 0 for none. */
  readonly statuses: Map<number, number>;
  /** Exchanges of callers with a valid key that were answered: each must be in the history. */
  readonly exchanges: Set<string>;
}

interface Call {
  readonly name: string;
  readonly path: string;
  readonly body?: () => string;
  /** How the sandbox misbehaves. */
  readonly scenario?: string;
  readonly key?: string;
  /** Disconnects after this many milliseconds. */
  readonly leavesAfterMs?: number;
}

const MODEL = 'aurora/aurora-small';
const messages = [{ role: 'user', content: 'Hello, how are you?' }];
const chat = (more: object) => () => JSON.stringify({ model: MODEL, messages, ...more });
const CHAT = '/v1/chat/completions';
const CALLS: readonly Call[] = [
  { name: 'chat, whole', path: CHAT, body: chat({}) },
  { name: 'chat, streamed', path: CHAT, body: chat({ stream: true }) },
  { name: 'chat, doubled path', path: `${CHAT}${CHAT}`, body: chat({}) },
  {
    name: 'messages, streamed',
    path: '/v1/messages',
    body: chat({ stream: true, max_tokens: 100 }),
  },
  {
    name: 'responses, whole',
    path: '/v1/responses',
    body: () => JSON.stringify({ model: MODEL, input: 'Hello' }),
  },
  { name: 'models', path: '/v1/models' },
  { name: 'large prompt', path: CHAT, body: chat({ extra: 'x'.repeat(400_000) }) },
  {
    name: 'stream that is cut',
    path: CHAT,
    body: chat({ stream: true }),
    scenario: 'cut-stream=3',
  },
  { name: 'service says 429', path: CHAT, body: chat({}), scenario: 'rate-limit=1' },
  { name: 'service says 500', path: CHAT, body: chat({}), scenario: 'error-500' },
  {
    name: 'client that leaves',
    path: CHAT,
    body: chat({ stream: true }),
    scenario: 'slow-stream=50',
    leavesAfterMs: 120,
  },
  { name: 'wrong key', path: CHAT, body: chat({}), key: `gh-${'0'.repeat(43)}` },
  { name: 'no JSON', path: CHAT, body: () => '{"model":' },
];

/** A PNG of one transparent pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

/** Builds distinct video orders with an image that is uploaded first. */
async function videoOrders({ url, localKey }: LoadOptions): Promise<Call> {
  const form = new FormData();
  form.append('file', new Blob([PNG], { type: 'image/png' }), 'a.png');
  const headers = { authorization: `Bearer ${localKey}` };
  const uploaded = await fetch(`${url}/v1/files`, { method: 'POST', headers, body: form });
  const address = /https?:[^"\\]+/u.exec(await uploaded.text())?.[0];
  if (address === undefined) throw new Error('The upload has no address.');
  let number = 0;
  const body = () => {
    number += 1;
    const prompt = `A fox, number ${number}. [scenario render-ms=500]`;
    const conditions = [{ type: 'image', url: address }];
    const scene = { seconds: '4', resolution: '480p', conditions };
    return JSON.stringify({ model: 'h3', task: 'ref2va', prompt, ...scene });
  };
  return { name: 'video order', path: '/v1/videos', body };
}

/** Sends calls until it is stopped; each caller makes one call after the other. */
export async function load(options: LoadOptions): Promise<CallStats> {
  const snapshot: CallStats = { sent: new Map(), statuses: new Map(), exchanges: new Set() };
  const random = new Random(options.seed);
  const calls = [...CALLS, await videoOrders(options)];
  const caller = async () => {
    while (!options.stop.aborted) await call(random.pick(calls), options, snapshot);
  };
  await Promise.all(Array.from({ length: options.callers }, caller));
  return snapshot;
}

async function call(
  what: Call,
  { url, localKey }: LoadOptions,
  snapshot: CallStats,
): Promise<void> {
  const { name, path, body, scenario, leavesAfterMs } = what;
  const key = what.key ?? localKey;
  count(snapshot.sent, name);
  const leaving = leavesAfterMs === undefined ? null : AbortSignal.timeout(leavesAfterMs);
  try {
    const answer = await fetch(url + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
        ...(scenario === undefined ? {} : { 'x-sandbox-scenario': scenario }),
      },
      ...(body === undefined ? {} : { body: body() }),
      signal: leaving,
    });
    count(snapshot.statuses, answer.status);
    const id = answer.headers.get('x-gatehouse-exchange');
    if (id !== null && key === localKey) snapshot.exchanges.add(id);
    await answer.arrayBuffer();
  } catch {
    // The caller disconnected, or the response broke off: both are part of the load.
    if (leaving?.aborted !== true) count(snapshot.statuses, 0);
  }
  // A pause keeps callers that are rejected at once from sending nothing but rejected calls.
  await pause(5);
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
