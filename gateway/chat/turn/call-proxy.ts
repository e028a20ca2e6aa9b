import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { ConversationId } from '../../../shared/chat/chat.ts';
import { directDispatcher, request } from '../../lib/undici.ts';
import type { TextRequest } from './build-request.ts';

export interface ProxyCall {
  /** Port of the proxy. */
  readonly port: number;
  readonly localKey: string;
  /** The `<vendor>` of the version header (spec section 9). */
  readonly vendor: string;
  /** `null` for a question outside any conversation. */
  readonly conversation: ConversationId | null;
  readonly userAgent: string;
  readonly signal: AbortSignal;
}

/** An answer whose head has arrived. Ending the iteration of `body` closes the connection. */
export interface ProxyResponse {
  readonly status: number;
  readonly contentType: string | null;
  readonly exchangeId: ExchangeId | null;
  readonly body: AsyncIterable<Buffer>;
}

/** The version that the spec shows (section 9). */
export const MESSAGES_VERSION = '2023-06-01';

/** Calls our own proxy, like any client. Waits as long as the proxy does. Rejects when no answer comes, or the signal aborts. */
export async function callProxy(
  { path, body }: TextRequest,
  call: ProxyCall,
): Promise<ProxyResponse> {
  const { port, localKey, vendor, conversation, userAgent, signal } = call;
  const response = await request(`http://127.0.0.1:${port}${path}`, {
    dispatcher: directDispatcher,
    method: 'POST',
    headers: {
      authorization: `Bearer ${localKey}`,
      'content-type': 'application/json',
      'user-agent': userAgent,
      // The history groups exchanges by this header.
      ...(conversation === null ? {} : { 'x-session-id': conversation }),
      ...(path === '/v1/messages' ? { [`${vendor}-version`]: MESSAGES_VERSION } : {}),
    },
    body: JSON.stringify(body),
    signal,
    // A kept-alive connection may be closing when it is used again, and requests are never sent twice.
    reset: true,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const type = response.headers['content-type'];
  return {
    status: response.statusCode,
    contentType: typeof type === 'string' ? type : null,
    exchangeId: ExchangeId.safeParse(response.headers['x-gatehouse-exchange']).data ?? null,
    body: response.body as AsyncIterable<Buffer>,
  };
}
