import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { TextProtocol } from '../../shared/chat/chat.ts';
import { ErrorBody } from '../../shared/failure/error-body.ts';
import { tryParseJson } from '../lib/json-object.ts';
import { type AnswerDelta, AnswerReader } from './protocol/answer-reader.ts';
import { buildRequest } from './turn/build-request.ts';
import { callProxy, type ProxyCall, type ProxyResponse } from './turn/call-proxy.ts';

/** A question outside any conversation. */
export interface OneQuestion {
  readonly protocol: TextProtocol;
  readonly model: string;
  /** The system prompt; empty for none. */
  readonly system: string;
  readonly text: string;
}

/** The end of an answer. */
export interface OneAnswer {
  readonly status: number;
  /** Why the answer is missing or incomplete; `null` when it is complete. */
  readonly problem: string | null;
  readonly modelServed: string | null;
  readonly finish: string | null;
  readonly exchangeId: ExchangeId | null;
}

const MAX_ERROR_BYTES = 64 * 1024;

/**
 * Sends one question through a running proxy, as a client of it, and passes on the answer as it arrives. Nothing is stored. Rejects when
 * no answer comes, or the signal aborts.
 */
export async function askOnce(
  { protocol, model, system, text }: OneQuestion,
  call: ProxyCall,
  onDelta: (delta: AnswerDelta) => Promise<void>,
): Promise<OneAnswer> {
  const request = buildRequest({
    protocol,
    model,
    settings: { system, temperature: null, maxTokens: null },
    path: [{ text, files: [], answer: null }],
    plain: false,
    base64Of: () => '',
  });
  const response = await callProxy(request, call);
  const { status, exchangeId } = response;
  if (status < 200 || status > 299) {
    const problem = await readProblem(response);
    return { status, problem, modelServed: null, finish: null, exchangeId };
  }
  const reader = new AnswerReader(protocol, response.contentType);
  const isWhole = await readAnswer(response, reader, onDelta);
  call.signal.throwIfAborted();
  const { error, model: modelServed, finish, kind } = reader.metadata;
  const problem =
    error === null ? describeEnd(reader, isWhole, kind) : (error.message ?? error.code);
  return { status, problem, modelServed, finish, exchangeId };
}

/** Resolves with whether the response ended without an error of the connection. */
async function readAnswer(
  { body }: ProxyResponse,
  reader: AnswerReader,
  onDelta: (delta: AnswerDelta) => Promise<void>,
): Promise<boolean> {
  let isWhole = true;
  try {
    for await (const chunk of body) {
      await onDelta(reader.push(chunk));
      if (reader.isAtEnd || reader.isTooLong) break;
    }
  } catch {
    isWhole = false;
  }
  await onDelta(reader.end());
  return isWhole;
}

function describeEnd(
  reader: AnswerReader,
  isWhole: boolean,
  kind: 'answer' | 'empty' | 'page' | 'other',
): string | null {
  if (reader.isTooLong) return 'The answer is too long; the rest is missing.';
  if (kind === 'page') return 'The service sent a web page instead of an answer.';
  if (kind === 'other') return 'The service sent something that is not an answer.';
  if (isWhole && kind === 'empty') return 'The answer was empty.';
  return isWhole && reader.isComplete ? null : 'The answer was cut off.';
}

/** Reads the message of an error. */
async function readProblem({ body, status }: ProxyResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ERROR_BYTES) break;
    chunks.push(chunk);
  }
  const parsed = ErrorBody.safeParse(tryParseJson(Buffer.concat(chunks).toString())).data;
  return parsed?.error.message ?? `The service answered ${status} without a reason.`;
}
