import type { ExchangeRecord, RouteName } from '../../../../shared/exchange/exchange.ts';
import { reachedService } from '../../../../shared/exchange/outcome.ts';
import { formatTimestamp } from '../../../format/format.ts';
import { summarizeRepairs } from '../../../format/repair.ts';
import { formatCount, formatDuration } from '../../../../shared/format.ts';

const REQUEST_TEXTS: Readonly<Record<Exclude<RouteName, 'other'>, string>> = {
  models: 'asked for the list of models',
  chat: 'sent a chat request',
  responses: 'sent a Responses request',
  messages: 'sent a Messages request',
  files: 'asked for the files',
  'video-submit': 'ordered a video',
  'video-status': 'checked the status of a video',
  'video-content': 'fetched a video',
};

/** Summarizes an exchange in sentences. Names of clients and models are quoted verbatim. `heldMs`: for how long a person let it wait, where that is known. */
export function summarizeExchange(exchange: ExchangeRecord, heldMs = 0): readonly string[] {
  const { repairs, attempts } = exchange;
  const sentences = [describeCall(exchange)];
  const made = summarizeRepairs(repairs.map(({ code }) => code));
  if (made !== null) sentences.push(`Gatehouse ${made}.`);
  if (attempts > 1) {
    const tried = reachedService(exchange) ? 'sent it to' : 'tried to reach';
    sentences.push(`Gatehouse ${tried} the service ${attempts} times.`);
  }
  sentences.push(describeEnd(exchange, heldMs));
  if (exchange.times > 1) {
    sentences.push(
      `${formatCount(exchange.times)} identical requests are counted here together, the latest at ${formatTimestamp(exchange.lastAt)}.`,
    );
  }
  return sentences;
}

function describeCall(exchange: ExchangeRecord): string {
  const { clientName, errorCode, errorMessage, pathReceived } = exchange;
  if (errorCode === 'https_not_supported' && errorMessage !== null) return errorMessage;
  if (errorCode === 'malformed_request' && pathReceived === '')
    return 'A program sent bytes that are not a valid HTTP request.';
  const model = exchange.modelAsked ?? exchange.modelSent;
  const name = clientName === null ? 'A client without a valid local key' : `“${clientName}”`;
  return `${name} ${describeRequest(exchange)}${model === null ? '' : ` for “${model}”`}.`;
}

function describeRequest({ route, method, pathReceived, clientName }: ExchangeRecord): string {
  if (pathReceived === '') return 'asked for several paths';
  // Rejected before anything was forwarded: nothing was ordered or uploaded.
  if (clientName === null) return `asked for ${method} ${pathReceived}`;
  if (route === 'files' && method === 'POST') return 'uploaded a file';
  return route === 'other' ? `asked for ${method} ${pathReceived}` : REQUEST_TEXTS[route];
}

/** Video requests that Gatehouse answers without the service. */
const ANSWERED_LOCALLY: Partial<Readonly<Record<RouteName, string>>> = {
  'video-submit':
    'The same video had been ordered before: Gatehouse returned the answer of that order again. Nothing was sent or charged for this one.',
  'video-status':
    'Gatehouse returned an answer that was less than five seconds old; nothing was sent to the service.',
  'video-content': 'Gatehouse returned the video from this disk; nothing was sent to the service.',
};

function describeEnd(exchange: ExchangeRecord, heldMs: number): string {
  const { status, endedBy, attempts } = exchange;
  const total = formatDuration(exchange.durationMs);
  // The service had not got it while it waited for a person.
  const took = formatDuration(Math.max(0, exchange.durationMs - heldMs));
  if (status === null) {
    const subject = endedBy === 'client' ? 'The client disconnected' : 'It ended';
    return `${subject} after ${total}, before there was an answer.`;
  }
  if (attempts === 0) {
    const localAnswer = status < 400 ? ANSWERED_LOCALLY[exchange.route] : undefined;
    if (localAnswer !== undefined) return localAnswer;
    return `Gatehouse answered ${status} by itself; nothing was sent to the service.`;
  }
  if (endedBy === 'client')
    return `The answer (${status}) had started; the client disconnected after ${total}.`;
  if (status >= 400) {
    if (!reachedService(exchange)) {
      return `Gatehouse answered ${status} after ${took}, because there was no connection to the service.`;
    }
    if (exchange.errorCode?.startsWith('upstream_') === true) {
      return `Gatehouse answered ${status} after ${took}, because the service gave no usable answer.`;
    }
    return `${endedBy === 'gateway' ? 'Gatehouse' : 'The service'} answered ${status} after ${took}.`;
  }
  if (exchange.errorCode === 'unexpected_content_type')
    return `The service answered ${status} after ${took}, but not with JSON.`;
  if (exchange.errorCode === 'not_a_video')
    return `The service answered ${status} after ${took}, but not with a whole video.`;
  if (exchange.errorCode === 'redirected')
    return `The service redirected the request (${status}) after ${took}.`;
  if (exchange.errorCode !== null || endedBy === 'gateway') {
    return `The answer (${status}) began and was cut off after ${took}.`;
  }
  const { firstByteMs } = exchange;
  const first = firstByteMs === null ? null : Math.max(0, firstByteMs - heldMs);
  return exchange.streamed && first !== null
    ? `The service answered ${status}: the first byte came after ${formatDuration(first)}, and the stream was complete after ${took}.`
    : `The service answered ${status} after ${took}.`;
}
