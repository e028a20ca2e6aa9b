import { type ExchangeBodies, type StoredBody, toUnaskedRequest } from '../exchange/body.ts';
import { TextProtocol } from '../chat/chat.ts';
import type { ExchangeRecord } from '../exchange/exchange.ts';
import { lacksLocalKey } from '../exchange/outcome.ts';
import type { ExchangeDetail } from '../history/history.ts';
import type { CodeRequest } from './code-request.ts';

/** A request to make again, or the reason why it cannot be made. */
export type ExchangeRequest =
  | { readonly request: CodeRequest }
  | { readonly request: null; readonly reason: string };

/** The paths of the text protocols (spec sections 4.2 to 4.4). */
const PATHS: Readonly<Record<TextProtocol, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** Headers that decide about the meaning of a request, such as `anthropic-beta`. */
const CARRIED = /^[a-z][\w-]*-(?:version|beta)$/iu;
const MASK = '•';
/** Ends a value that was too long to be stored whole. */
const CUT = '…';

/** Makes the request of a stored exchange to Gatehouse, as the service got it except for what Gatehouse asked it. `origin`: as in `CodeRequest`. */
export function toExchangeRequest(
  { exchange, headers }: ExchangeDetail,
  bodies: ExchangeBodies,
  origin: string,
): ExchangeRequest {
  const protocol = TextProtocol.options.find((option) => option === exchange.route) ?? null;
  const path = toPath(exchange, protocol);
  const stored = toUnaskedRequest(exchange, bodies);
  const reason = path.startsWith('/') ? findObstacle(exchange, stored) : 'Its path is not known.';
  if (reason !== null) return { request: null, reason };
  const body = stored === null || exchange.bytesIn === 0 ? null : stored.text;
  const type = body === null ? [] : [['content-type', stored?.contentType ?? 'application/json']];
  const carried = (headers?.received ?? []).filter(
    ([name, value]) => CARRIED.test(name) && !value.includes(MASK) && !value.endsWith(CUT),
  );
  const all = [...type, ...carried].map(([name = '', value = '']) => [name, value] as const);
  return { request: { protocol, method: exchange.method, origin, path, headers: all, body } };
}

/** Returns the path and the query of a request. Those of a text protocol are the right ones, whatever the client sent. */
function toPath({ pathReceived, pathSent }: ExchangeRecord, protocol: TextProtocol | null): string {
  if (protocol === null) return pathReceived;
  const [, ...query] = (pathSent ?? pathReceived).split('?');
  return [PATHS[protocol], ...query].join('?');
}

const WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Returns the reason why a body cannot be sent again. */
function findObstacle(exchange: ExchangeRecord, body: StoredBody | null): string | null {
  const { bytesIn, attempts, method } = exchange;
  if (bytesIn === 0) {
    // Gatehouse answered before it read a body.
    if (attempts > 0 || !WITH_BODY.has(method)) return null;
    return lacksLocalKey(exchange)
      ? 'The request was not stored, because it had no valid local key.'
      : 'The request was not stored, because Gatehouse answered before it read a body.';
  }
  if (body === null) return 'The request is not stored.';
  if (body.omitted !== null) return 'The middle of the request is not kept.';
  if (body.binary || body.text.includes('\0')) return 'The request is not text.';
  return null;
}
