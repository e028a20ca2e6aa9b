import { type Agent, type IncomingMessage, request } from 'node:http';
import type { PlannedExchange } from './plan.ts';

/** The end of an exchange as its client saw it. `failed`: it got no whole answer, and had not left. */
export interface SeenExchange {
  readonly status: number | null;
  readonly ending: 'whole' | 'left' | 'failed';
  /** `x-gatehouse-error`, where Gatehouse refused it. */
  readonly refusal: string | null;
}

export interface ProofTarget {
  readonly port: number;
  readonly agent: Agent;
  /** The local key of the exchange's client. */
  readonly localKey: string;
}

const TAIL = 200;
const LAST_EVENT = /\[DONE\]|message_stop|"type":"response\.(?:completed|incomplete)"/;
/** Time after which a client that leaves early does so. */
const LEAVE_AFTER_MS = 4;

/** Sends a planned exchange, and leaves when its plan says so. Never rejects. */
export function sendPlanned(
  planned: PlannedExchange,
  { port, agent, localKey }: ProofTarget,
): Promise<SeenExchange> {
  const { path, body, sender, acceptsGzip, leaving } = planned;
  return new Promise((resolve) => {
    const sending = request({
      host: '127.0.0.1',
      port,
      path,
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${localKey}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'anthropic-version': '2023-06-01',
        ...sender,
        ...(acceptsGzip ? { 'accept-encoding': 'gzip' } : {}),
      },
    });
    const leave = (status: number | null) => {
      sending.destroy();
      resolve({ status, ending: 'left', refusal: null });
    };
    sending.once('error', () => resolve({ status: null, ending: 'failed', refusal: null }));
    sending.once('response', (answer) => void readAnswer(answer, planned, leave).then(resolve));
    sending.end(body);
    if (leaving.kind === 'before-answer') setTimeout(() => leave(null), LEAVE_AFTER_MS);
  });
}

async function readAnswer(
  answer: IncomingMessage,
  { leaving }: PlannedExchange,
  leave: (status: number | null) => void,
): Promise<SeenExchange> {
  const status = answer.statusCode ?? null;
  const { 'x-gatehouse-error': refusal } = answer.headers;
  let received = 0;
  let tail = '';
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      received += chunk.length;
      if (leaving.kind === 'after-bytes' && received >= leaving.bytes) leave(status);
      if (leaving.kind !== 'after-end') continue;
      tail = (tail + chunk.toString('latin1')).slice(-TAIL - chunk.length);
      if (LAST_EVENT.test(tail)) leave(status);
    }
  } catch {
    return { status, ending: 'failed', refusal: null };
  }
  return {
    status,
    ending: answer.complete ? 'whole' : 'failed',
    refusal: typeof refusal === 'string' ? refusal : null,
  };
}
