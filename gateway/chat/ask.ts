import { request } from 'undici';
import { ExchangeId } from '../../shared/exchange.ts';
import type { ConversationId } from '../../shared/chat.ts';
import { DIRECT } from '../loopback.ts';
import type { TextRequest } from './request.ts';

export interface Asking {
  /** Of the proxy. */
  readonly port: number;
  readonly localKey: string;
  /** The `<vendor>` of the version header (spec section 9). */
  readonly vendor: string;
  readonly conversation: ConversationId;
  readonly signal: AbortSignal;
}

/** An answer whose head has come. Whoever stops reading the body hangs up. */
export interface Asked {
  readonly status: number;
  readonly contentType: string | null;
  readonly exchangeId: ExchangeId | null;
  readonly body: AsyncIterable<Buffer>;
}

/** The version that the spec shows (section 9). */
export const VERSION = '2023-06-01';

/** One call of our own proxy, like that of any client. It waits as long as the proxy does. Rejects when no answer comes, or the signal stops it. */
export async function ask({ path, body }: TextRequest, asking: Asking): Promise<Asked> {
  const { port, localKey, vendor, conversation, signal } = asking;
  const answer = await request(`http://127.0.0.1:${port}${path}`, {
    dispatcher: DIRECT,
    method: 'POST',
    headers: {
      authorization: `Bearer ${localKey}`,
      'content-type': 'application/json',
      'user-agent': 'Gatehouse chat',
      // The history shows what belongs together by it.
      'x-session-id': conversation,
      ...(path === '/v1/messages' ? { [`${vendor}-version`]: VERSION } : {}),
    },
    body: JSON.stringify(body),
    signal,
    // A kept connection may just be closing when it is used again, and nothing is sent twice.
    reset: true,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const type = answer.headers['content-type'];
  return {
    status: answer.statusCode,
    contentType: typeof type === 'string' ? type : null,
    exchangeId: ExchangeId.safeParse(answer.headers['x-gatehouse-exchange']).data ?? null,
    body: answer.body as AsyncIterable<Buffer>,
  };
}
