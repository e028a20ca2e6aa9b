import { request } from 'undici';
import { z } from 'zod';
import { ExchangeId } from '../../shared/exchange.ts';
import type { ModelTrial } from '../../shared/model.ts';
import { ErrorBody } from '../../shared/problem.ts';
import { DIRECT } from '../loopback.ts';
import { parseJson } from '../parse-json.ts';

export interface TrialOptions {
  /** Of the proxy. */
  readonly port: number;
  readonly localKey: string;
  readonly model: string;
  readonly signal: AbortSignal | undefined;
}

const TIMEOUT_MS = 60_000;
const MOST_TOKENS = 16;
const MOST_TEXT = 500;
const MOST_BODY = 1024 * 1024;

const Completion = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string().nullish() }) })).min(1),
});

/** One short chat call through our own proxy, like that of any client. Rejects only when the signal stops it. */
export async function tryModel({ signal, ...ask }: TrialOptions): Promise<ModelTrial> {
  const startedAt = performance.now();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const result = await call(
    ask,
    signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  ).catch((error: unknown) => {
    signal?.throwIfAborted();
    return failedCall(timeout.aborted, error);
  });
  return { ...result, durationMs: performance.now() - startedAt };
}

type Outcome = Omit<ModelTrial, 'durationMs'>;

async function call(
  { port, localKey, model }: Omit<TrialOptions, 'signal'>,
  signal: AbortSignal,
): Promise<Outcome> {
  const answer = await request(`http://127.0.0.1:${port}/v1/chat/completions`, {
    dispatcher: DIRECT,
    method: 'POST',
    headers: {
      authorization: `Bearer ${localKey}`,
      'content-type': 'application/json',
      'user-agent': 'Gatehouse window',
    },
    body: JSON.stringify({
      model,
      max_tokens: MOST_TOKENS,
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

/** The beginning of a body; the rest of one that is far too long is left. */
async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MOST_BODY) break;
  }
  return Buffer.concat(chunks).toString();
}

function readAnswer(status: number, text: string): Pick<Outcome, 'works' | 'text'> {
  const json = parse(text);
  const completion = status === 200 ? Completion.safeParse(json).data : undefined;
  const failed = ErrorBody.safeParse(json).data;
  if (failed !== undefined) return { works: false, text: clip(failed.error.message) };
  if (completion === undefined) return { works: false, text: clip(text) };
  const said = completion.choices[0]?.message.content ?? '';
  // A model that thinks first may use up the few tokens before it says anything.
  return { works: true, text: said.trim() === '' ? 'It answered, without any text.' : clip(said) };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // Not JSON: then it is shown as it is.
    return undefined;
  }
}

function clip(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > MOST_TEXT ? `${trimmed.slice(0, MOST_TEXT)}…` : trimmed;
}

function failedCall(late: boolean, error: unknown): Outcome {
  const text = late
    ? 'No answer came within 60 seconds.'
    : `The call could not be made: ${error instanceof Error ? error.message : 'no reason given'}`;
  return { works: false, status: null, text, exchangeId: null };
}
