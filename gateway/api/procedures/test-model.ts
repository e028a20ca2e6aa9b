import { z } from 'zod';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { ModelTestReport } from '../../../shared/model.ts';
import { ErrorBody } from '../../../shared/failure/error-body.ts';
import { directDispatcher, request } from '../../lib/undici.ts';
import { parseJson } from '../../lib/parse-json.ts';

export interface ModelTestOptions {
  /** Port of the proxy. */
  readonly port: number;
  readonly localKey: string;
  readonly model: string;
  readonly signal: AbortSignal | undefined;
}

const TIMEOUT_MS = 60_000;
const MAX_TOKENS = 16;
const MAX_TEXT = 500;
const MAX_BODY = 1024 * 1024;

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
});

/** Makes one short chat call through our own proxy, like any client. Rejects only when the signal aborts it. */
export async function testModel({ signal, ...ask }: ModelTestOptions): Promise<ModelTestReport> {
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const result = await sendTestCall(
    ask,
    signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  ).catch((error: unknown) => {
    signal?.throwIfAborted();
    return toFailedOutcome(timeout.aborted, error);
  });
  return { ...result, durationMs: performance.now() - startedAt };
}

type Outcome = Omit<ModelTestReport, 'durationMs'>;

async function sendTestCall(
  { port, localKey, model }: Omit<ModelTestOptions, 'signal'>,
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = await request(`http://127.0.0.1:${port}/v1/chat/completions`, {
    dispatcher: directDispatcher,
    method: 'POST',
    headers: {
      authorization: `Bearer ${localKey}`,
      'content-type': 'application/json',
      'user-agent': 'Gatehouse window',
    },
    body: JSON.stringify({
      model,
      max_tokens: MAX_TOKENS,
      messages: [{ role: 'user', content: 'Say hello in one short sentence.' }],
    }),
    signal,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const text = await readText(answer.body as AsyncIterable<Buffer>);
  const exchangeId = ExchangeId.safeParse(answer.headers['x-gatehouse-exchange']).data ?? null;
  return { ...readAnswer(answer.statusCode, text), status: answer.statusCode, exchangeId };
}

/** Reads the beginning of a body; drops the rest of one that is far too long. */
async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BODY) break;
  }
  return Buffer.concat(chunks).toString();
}

function readAnswer(status: number, text: string): Pick<Outcome, 'works' | 'text'> {
  const json = tryParseJson(text);
  const completion = status === 200 ? Completion.safeParse(json).data : undefined;
  const failed = ErrorBody.safeParse(json).data;
  if (failed !== undefined) return { works: false, text: truncate(failed.error.message) };
  if (completion === undefined) return { works: false, text: truncate(text) };
  const answerText = completion.choices[0]?.message.content ?? '';
  // A reasoning model may use up the few tokens before it writes any text.
  return {
    works: true,
    text: answerText.trim() === '' ? 'It answered without any text.' : truncate(answerText),
  };
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // A body that is not JSON is shown as it is.
    return undefined;
  }
}

function truncate(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MAX_TEXT ? `${trimmed.slice(0, MAX_TEXT)}…` : trimmed;
}

function toFailedOutcome(late: boolean, error: unknown): Outcome {
  const text = late
    ? 'No response arrived within 60 seconds.'
    : `The request failed: ${error instanceof Error ? error.message : 'no reason given'}`;
  return { works: false, status: null, text, exchangeId: null };
}
