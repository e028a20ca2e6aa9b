import type { StoredBody } from '../../../shared/exchange/body.ts';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { assembleResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import { splitEvents } from '../../../shared/parse-bodies/event-stream.ts';
import {
  isObject,
  type JsonObject,
  toList,
  toName,
  toObject,
  tryParse,
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
  const document = tryParse(body.text);
  if (isObject(document)) return document;
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

/** Lists the items of the output of a complete response. */
function listItems(body: AnswerBody): readonly JsonObject[] {
  const document = tryParse(body.text);
  if (isObject(document)) return toList(document['output']).filter(isObject);
  const done: JsonObject[] = [];
  let output: readonly JsonObject[] = [];
  for (const { data } of splitEvents(body)) {
    // Most events are pieces of texts.
    if (!MAY_HAVE_ITEM.test(data)) continue;
    const { type, item, response } = toObject(tryParse(data));
    if (type === 'response.output_item.done' && isObject(item)) done.push(item);
    else if (isObject(response)) output = toList(response['output']).filter(isObject);
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
