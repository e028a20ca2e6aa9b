import type { StoredBody } from '../../../shared/exchange/body.ts';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import {
  assembleResponse,
  isEventStream,
  RESPONSE_ENDS,
} from '../../../shared/parse-bodies/assemble-response.ts';
import { splitEvents } from '../../../shared/parse-bodies/event-stream.ts';
import {
  isObject,
  type JsonObject,
  toList,
  toName,
  toObject,
  toText,
  tryParse,
  tryParseObject,
} from '../../../shared/parse-bodies/json.ts';
import type { Part } from '../../../shared/parse-bodies/parts.ts';
import { listThreadIds, MAX_ID } from './outline-request.ts';

/** The part of an answer that later requests go on from. */
export interface ContinuedAnswer {
  /** Its items or messages, in the form of a request. */
  readonly items: readonly JsonObject[];
  /** Whether its end is there. */
  readonly isComplete: boolean;
}

type AnswerBody = Pick<StoredBody, 'text' | 'contentType' | 'omitted'>;

/** Matches the id at the beginning of an object that is cut in its middle. */
const FIRST_ID = /^\s*\{\s*"id"\s*:\s*"([^"\\]+)"/u;
const DONE = '[DONE]';
const MAY_HAVE_ITEM = /"(?:item|response)"\s*:/u;

/**
 * Lists the ids by which a later request can name an exchange: that of a response; of an exchange of Messages those of its thread, and
 * then that of its message, too.
 */
export function listAnswerIds(
  protocol: TextProtocol,
  { request, returned }: { readonly request: string; readonly returned: AnswerBody | null },
): string[] {
  if (protocol === 'chat') return [];
  const isThread = protocol === 'messages';
  // Few exchanges have a thread, and parsing a long request takes time.
  const asked =
    isThread && request.includes('"thread"') ? toObject(tryParse(request))['thread'] : undefined;
  const hasThread = isThread && returned !== null && returned.text.includes('"thread"');
  if (returned === null || (isThread && asked === undefined && !hasThread)) return [];
  const answer = findAnswer(returned);
  const { thread } = toObject(answer);
  if (isThread && asked === undefined && thread === undefined) return [];
  const ids = [toName(answer?.['id']) ?? [], listThreadIds(asked), listThreadIds(thread)].flat();
  return [...new Set(ids)].filter((id) => id.length <= MAX_ID);
}

/** Finds the object of a response or message; `null` where there is none. */
function findAnswer(body: AnswerBody): JsonObject | null {
  const document = tryParseObject(body.text);
  if (document !== null) return document;
  const [, id] = FIRST_ID.exec(body.text) ?? [];
  if (id !== undefined) return { id };
  for (const { data, kind } of splitEvents(body)) {
    const fields = kind === 'event' ? toObject(tryParse(data)) : {};
    const answer = fields['response'] ?? fields['message'];
    if (isObject(answer) && toName(answer['id']) !== null) return answer;
  }
  return null;
}

/** Reads the answer that a later request continues. Never throws. */
export function readContinuedAnswer(protocol: TextProtocol, body: AnswerBody): ContinuedAnswer {
  const whole = protocol === 'responses' && body.omitted === null ? readWholeItems(body) : [];
  if (whole.length > 0) return { items: whole, isComplete: true };
  const answer = assembleResponse(protocol, body);
  const isComplete = answer?.isComplete === true && body.omitted === null;
  const parts = answer?.parts ?? [];
  if (protocol === 'messages') {
    const content = parts.map(toBlock);
    return { items: content.length === 0 ? [] : [{ role: 'assistant', content }], isComplete };
  }
  // The items themselves have more than their parts, but of a response that broke off there are parts only.
  const items = isComplete ? listItems(body) : [];
  return { items: items.length > 0 ? items : parts.map(toItem), isComplete };
}

/**
 * Reads the items of a response that has all of them at its end, without the pieces in which they were streamed before. None where they
 * have to be put together.
 */
function readWholeItems(body: AnswerBody): readonly JsonObject[] {
  const { text } = body;
  const document = tryParseObject(text);
  if (document !== null) return toName(document['status']) === null ? [] : listOutput(document);
  if (!isEventStream(body)) return [];
  const { type, response } = tryParseObject(readLastData(text)) ?? {};
  if (!RESPONSE_ENDS.test(toText(type)) || !isObject(response)) return [];
  const items = listOutput(response);
  // Some services leave some of the output out of the last event.
  const done = text.split('"response.output_item.done"').length - 1;
  return items.length >= done ? items : [];
}

/** Returns the data of the last event but the one with which many services end a stream. The events before are not read. */
function readLastData(stream: string): string {
  const last = readLastEvent(stream);
  return last.data.trim() === DONE ? readLastEvent(last.before).data : last.data;
}

function readLastEvent(stream: string) {
  const end = stream.trimEnd();
  const start = Math.max(0, end.lastIndexOf('\n\n'), end.lastIndexOf('\r\n\r\n'));
  const events = splitEvents({ text: end.slice(start), omitted: null });
  return { data: events.at(-1)?.data ?? '', before: end.slice(0, start) };
}

function listOutput(response: JsonObject): readonly JsonObject[] {
  return toList(response['output']).filter(isObject);
}

/** Lists the items of the output of a complete response. */
function listItems(body: AnswerBody): readonly JsonObject[] {
  const document = tryParseObject(body.text);
  if (document !== null) return listOutput(document);
  const done: JsonObject[] = [];
  let output: readonly JsonObject[] = [];
  for (const { data } of splitEvents(body)) {
    // Most events are pieces of texts.
    if (!MAY_HAVE_ITEM.test(data)) continue;
    const { type, item, response } = toObject(tryParse(data));
    if (type === 'response.output_item.done' && isObject(item)) done.push(item);
    else if (isObject(response)) output = listOutput(response);
  }
  // Some services leave the output out of the last event.
  return output.length >= done.length ? output : done;
}

function toItem(part: Part): JsonObject {
  const { kind } = part;
  if (kind === 'call')
    return { type: 'function_call', call_id: part.id, name: part.name, arguments: part.input };
  if (kind === 'reasoning')
    return { type: 'reasoning', summary: [{ type: 'summary_text', text: part.text }] };
  if (kind !== 'text') return toValue(part);
  const content = [{ type: 'output_text', text: part.text }];
  return { type: 'message', role: 'assistant', content };
}

function toBlock(part: Part): JsonObject {
  const { kind } = part;
  if (kind === 'call') {
    const input = tryParse(part.input) ?? part.input;
    return { type: 'tool_use', id: part.id, name: part.name, input };
  }
  if (kind === 'reasoning') return { type: 'thinking', thinking: part.text };
  return kind === 'text' ? { type: 'text', text: part.text } : toValue(part);
}

/** Returns the value of a part of another kind. */
function toValue(part: Part): JsonObject {
  return toObject(part.kind === 'other' ? part.value : part);
}
