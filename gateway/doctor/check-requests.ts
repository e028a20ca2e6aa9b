import { z } from 'zod';
import type { TextProtocol } from '../../shared/chat/chat.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import { describeUnexpectedAnswer } from '../../shared/exchange/outcome.ts';
import { routeLabel } from '../../shared/exchange/route-label.ts';
import { formatDuration } from '../../shared/format.ts';
import { directDispatcher, request } from '../lib/undici.ts';
import { fail, ok, warn } from './finding.ts';

const TIMEOUT_MS = 60_000;
const MAX_TOKENS = 64;
const PROMPT = 'Count from one to twenty in words.';
/** An answer that took longer than this, and came in one piece at its end, was held back on the way. */
const HELD_BACK_MS = 1_000;

/** The request of each protocol (spec sections 4 to 6). */
const REQUESTS: Readonly<Record<TextProtocol, { readonly path: string; readonly body: object }>> = {
  chat: {
    path: '/v1/chat/completions',
    body: { max_tokens: MAX_TOKENS, messages: [{ role: 'user', content: PROMPT }] },
  },
  responses: { path: '/v1/responses', body: { max_output_tokens: MAX_TOKENS, input: PROMPT } },
  messages: {
    path: '/v1/messages',
    body: { max_tokens: MAX_TOKENS, messages: [{ role: 'user', content: PROMPT }] },
  },
};

const ErrorBody = z.object({ error: z.object({ message: z.string() }) });

/** Requests to a model through the proxy of this machine. */
export interface ModelTrial {
  /** Port of the proxy. */
  readonly port: number;
  /** The local key of the client in whose name they are sent. */
  readonly localKey: string;
  readonly model: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends one short streamed request of each protocol to a model, through the proxy: does the model answer, how fast, and does its stream
 * arrive in pieces. The service may charge for them. Rejects only with the signal's reason.
 */
export async function checkRequests(trial: ModelTrial): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const protocol of ['chat', 'responses', 'messages'] as const) {
    findings.push(await checkProtocol(protocol, trial));
  }
  return findings;
}

async function checkProtocol(
  protocol: TextProtocol,
  { port, localKey, model, signal }: ModelTrial,
): Promise<Finding> {
  const { path, body } = REQUESTS[protocol];
  const name = `${routeLabel(protocol)}, ${model}`;
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      dispatcher: directDispatcher,
      method: 'POST',
      headers: {
        authorization: `Bearer ${localKey}`,
        'content-type': 'application/json',
        'user-agent': 'Gatehouse doctor',
      },
      body: JSON.stringify({ model, stream: true, ...body }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const status = answer.statusCode;
    if (status !== 200) return describeRefusal(protocol, name, status, await answer.body.text());
    const type = String(answer.headers['content-type'] ?? 'an answer without a type');
    if (!/event-stream|json/iu.test(type)) {
      await answer.body.dump();
      return fail(protocol, `${name}: no model answered.`, describeUnexpectedAnswer(type));
    }
    let firstMs: number | null = null;
    for await (const _ of answer.body) firstMs ??= performance.now() - startedAt;
    const wholeMs = performance.now() - startedAt;
    if (firstMs === null) return fail(protocol, `${name}: the answer was empty.`, '');
    const times = `${formatDuration(firstMs)} to the first part, ${formatDuration(wholeMs)} in all`;
    // The last part of a stream that is not held back comes well after its first.
    return wholeMs > HELD_BACK_MS && wholeMs - firstMs < wholeMs / 20
      ? warn(
          protocol,
          `${name}: the whole answer came at its end (${times}).`,
          'Something between here and the service holds streams back, such as a proxy that scans them.',
        )
      : ok(protocol, `${name}: it answers in pieces (${times}).`);
  } catch (error) {
    signal?.throwIfAborted();
    const reason = error instanceof Error ? error.message : 'no reason given';
    return fail(protocol, `${name}: no whole answer came: ${reason}`, '');
  }
}

/** A model that lacks a protocol is usual; one that may not be used is not. */
function describeRefusal(
  protocol: TextProtocol,
  name: string,
  status: number,
  text: string,
): Finding {
  const message = readMessage(text);
  const sentence = `${name}: refused with ${status}. ${message}`;
  return status === 400 || status === 404 || status === 405
    ? warn(protocol, sentence, 'Programs that speak this protocol need another model.')
    : fail(protocol, sentence, '');
}

function readMessage(text: string): string {
  try {
    return ErrorBody.parse(JSON.parse(text)).error.message;
  } catch {
    return text.slice(0, 200);
  }
}
