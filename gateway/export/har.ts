import { STATUS_CODES } from 'node:http';
import type { ExchangeBodies, StoredBody } from '../../shared/exchange/body.ts';
import { describeGaps, markOmitted } from '../../shared/exchange/describe-body.ts';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { toSpans } from '../../shared/exchange/exchange-spans.ts';
import type { HeaderList } from '../../shared/history/history.ts';
import type { Formatter, StoredExchange } from './formatter.ts';

export interface HarOptions {
  /** Address of the proxy, to which the requests were sent. */
  readonly address: string;
  /** Version of Gatehouse. */
  readonly version: string;
}

/** The proxy speaks no other version with its clients. */
const HTTP_VERSION = 'HTTP/1.1';
const UNKNOWN = -1;

/**
 * Formats exchanges as an HTTP archive, version 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as they were between the
 * client and Gatehouse. The record and its mark are in the field `_gatehouse`, and a request that was sent on changed in `_requestSent`.
 */
export function createHarFormatter({ address, version }: HarOptions): Formatter {
  const log = { version: '1.2', creator: { name: 'Gatehouse', version } };
  let separator = '';
  return {
    begin: `${JSON.stringify({ log }).slice(0, -2)},"entries":[`,
    format: (exchange) => {
      const entry = `${separator}\n${JSON.stringify(toEntry(exchange, address))}`;
      separator = ',';
      return entry;
    },
    end: () => '\n]}}\n',
  };
}

function toEntry({ exchange, headers, mark, bodies }: StoredExchange, address: string) {
  const { startedAt, durationMs } = exchange;
  const sent = bodies?.received == null ? null : bodies.sent;
  return {
    startedDateTime: new Date(startedAt).toISOString(),
    time: durationMs,
    request: toRequest(exchange, headers?.received ?? null, { bodies, address }),
    response: toResponse(exchange, headers?.returned ?? null, bodies),
    cache: {},
    timings: toTimings(exchange),
    _gatehouse: { ...exchange, mark },
    ...toComment([mark?.note ?? '']),
    ...(sent === null ? {} : { _requestSent: toPostData(sent) }),
  };
}

function toRequest(
  { method, pathReceived, bytesIn }: ExchangeRecord,
  headers: HeaderList | null,
  { bodies, address }: { readonly bodies: ExchangeBodies | null; readonly address: string },
) {
  const url = toUrl(pathReceived, address);
  const body = bodies?.received ?? bodies?.sent ?? null;
  return {
    method,
    url: url.href,
    httpVersion: HTTP_VERSION,
    // Cookies are credentials, which are never stored.
    cookies: [],
    headers: toPairs(headers ?? []),
    queryString: toPairs([...url.searchParams]),
    ...(body === null ? {} : { postData: toPostData(body) }),
    headersSize: UNKNOWN,
    bodySize: bytesIn,
    ...toComment([
      headers === null ? 'Its headers are not stored.' : '',
      body === null && bytesIn > 0 ? 'Its body is not stored.' : '',
    ]),
  };
}

/** Returns the address of a request. Its path is that of the client, which may be no valid one. */
function toUrl(path: string, address: string): URL {
  const absolute = `${address}${path.startsWith('/') ? '' : '/'}${path}`;
  return URL.parse(absolute) ?? new URL(address);
}

function toPairs(pairs: Iterable<readonly [string, string]>) {
  return Array.from(pairs, ([name, value]) => ({ name, value }));
}

/** Returns the field for what the other fields cannot say; none when there is nothing to say. */
function toComment(sentences: readonly string[]): { readonly comment?: string } {
  const comment = sentences.filter((sentence) => sentence !== '').join(' ');
  return comment === '' ? {} : { comment };
}

function toPostData(body: StoredBody) {
  return {
    mimeType: body.contentType ?? '',
    text: markOmitted(body),
    ...toComment([describeGaps(body)]),
  };
}

function toResponse(
  { status, bytesOut, errorMessage }: ExchangeRecord,
  headers: HeaderList | null,
  bodies: ExchangeBodies | null,
) {
  const location = headers?.find(([name]) => name.toLowerCase() === 'location');
  return {
    // The archives of browsers have 0 for a request without a response.
    status: status ?? 0,
    statusText: STATUS_CODES[status ?? 0] ?? '',
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers: toPairs(headers ?? []),
    content: toContent(bodies?.returned ?? null, bytesOut),
    redirectURL: location?.[1] ?? '',
    headersSize: UNKNOWN,
    bodySize: bytesOut,
    ...toComment([
      status === null ? 'The client disconnected before a response.' : '',
      errorMessage ?? '',
    ]),
  };
}

function toContent(body: StoredBody | null, bytesOut: number) {
  if (body === null) {
    const comment = toComment([bytesOut === 0 ? '' : 'It is not stored.']);
    return { size: bytesOut, mimeType: '', ...comment };
  }
  const { binary, bytes, contentType, omitted, text } = body;
  const size = binary ? bytes : Buffer.byteLength(text) + (omitted?.bytes ?? 0);
  return {
    size,
    mimeType: contentType ?? '',
    ...(binary ? {} : { text: markOmitted(body) }),
    ...toComment([describeGaps(body)]),
  };
}

/** Returns the phases of an exchange; their sum is its time. */
function toTimings(exchange: ExchangeRecord) {
  const spans = toSpans(exchange);
  const lengthOf = (wanted: (typeof spans)[number]['kind']) => {
    const span = spans.find(({ kind }) => kind === wanted);
    return span === undefined ? 0 : span.to - span.from;
  };
  return {
    blocked: lengthOf('gatehouse'),
    dns: UNKNOWN,
    connect: UNKNOWN,
    send: 0,
    wait: lengthOf('waiting'),
    receive: lengthOf('answering'),
    ssl: UNKNOWN,
  };
}
