import type { JsonObject } from '../json.ts';
import type { ReplyUsage } from '../text/reply.ts';

/** The answer of a route; `send-answer.ts` sends it in the way of the scenario. */
export type Answer = CompleteAnswer | StreamedAnswer;

/** An answer with the tokens that it is billed for. */
interface BilledAnswer {
  readonly usage?: ReplyUsage;
}

/** Status and headers of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export interface CompleteAnswer extends AnswerHead, BilledAnswer {
  readonly kind: 'complete';
  readonly body: string;
}

export interface StreamedAnswer extends BilledAnswer {
  readonly kind: 'streamed';
  /** Defaults to that of an event stream. */
  readonly head?: AnswerHead;
  readonly events: Iterable<StreamEvent>;
  /** The event with which this protocol reports a failure mid-stream. */
  readonly failure: string;
  /** Breaks the connection after the last event. */
  readonly isCut?: boolean;
}

/** One event of a stream, blank line included. `terminal` marks the event that ends a complete stream. */
export interface StreamEvent {
  readonly text: string;
  readonly terminal: boolean;
  /** Output tokens in it. */
  readonly tokens?: number;
  /** Whether it tells the tokens of the whole answer. */
  readonly reports?: boolean;
}

export function jsonAnswer(value: object): CompleteAnswer {
  return jsonText(JSON.stringify(value));
}

/** Answers a text with the content type of JSON, whether it is valid JSON or not. */
export function jsonText(body: string, status = 200): CompleteAnswer {
  return { kind: 'complete', status, headers: { 'content-type': 'application/json' }, body };
}

/** An HTML page where a client expects JSON, an event stream or a video. */
export const HTML_PAGE: CompleteAnswer = {
  kind: 'complete',
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Sandbox</title><p>This page is for people.</p>\n',
};

/** Formats an event without a name, as Chat Completions sends it (spec section 6.1). */
export function dataEvent(
  data: object,
  more: Pick<StreamEvent, 'tokens' | 'reports'> = {},
): StreamEvent {
  return { ...more, text: `data: ${JSON.stringify(data)}\n\n`, terminal: false };
}

/** Data of an event that is named by its `type`. */
export type TypedData = { readonly type: string } & JsonObject;

/** Formats an event named by the `type` of its data, as Messages (spec section 6.2) and Responses send it. */
export function typedEvent(
  data: TypedData,
  more: Partial<Omit<StreamEvent, 'text'>> = {},
): StreamEvent {
  const text = `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  return { terminal: false, ...more, text };
}
