import type { JsonObject } from '../json.ts';

/** What a route answers; `deliver.ts` puts it on the wire the way the scenario wants. */
export type Answer = WholeAnswer | StreamedAnswer;

export interface WholeAnswer {
  readonly kind: 'whole';
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface StreamedAnswer {
  readonly kind: 'streamed';
  readonly events: Iterable<StreamEvent>;
  /** The event with which this protocol reports a failure mid-stream. */
  readonly failure: string;
}

/** One block of an event stream, blank line included. `terminal` marks the event that says the stream is complete. */
export interface StreamEvent {
  readonly text: string;
  readonly terminal: boolean;
}

export function jsonAnswer(value: object): WholeAnswer {
  return jsonText(JSON.stringify(value));
}

/** A text that goes out as JSON, whether it is or not. */
export function jsonText(body: string, status = 200): WholeAnswer {
  return { kind: 'whole', status, headers: { 'content-type': 'application/json' }, body };
}

/** A page for people, where nobody expects one. */
export const HTML_PAGE: WholeAnswer = {
  kind: 'whole',
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<!doctype html><title>Sandbox</title><p>This page is for people.</p>\n',
};

/** An event without a name, as Chat Completions sends it (spec section 6.1). */
export function dataEvent(data: object): StreamEvent {
  return { text: `data: ${JSON.stringify(data)}\n\n`, terminal: false };
}

/** Data of an event that is named by its `type`. */
export type TypedData = { readonly type: string } & JsonObject;

/** An event named by the `type` of its data, as Messages (spec section 6.2) and Responses send it. */
export function typedEvent(data: TypedData, terminal = false): StreamEvent {
  return { text: `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`, terminal };
}
