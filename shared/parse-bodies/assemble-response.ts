import type { StoredBody } from '../exchange/body.ts';
import type { TextProtocol } from '../chat/chat.ts';
import { readMessageDiagnosis, readResponseDiagnosis } from '../run/cache-diagnosis.ts';
import type { CacheDiagnosis } from '../run/run.ts';
import { AnswerBuilder } from './answer-builder.ts';
import { splitEvents } from './event-stream.ts';
import {
  isObject,
  type JsonObject,
  toList,
  toName,
  toObject,
  toText,
  tryParse,
  tryParseObject,
} from './json.ts';
import { parseChatMessage, parseContent, parseResponsesItem } from './parse-content.ts';
import type { Part } from './parts.ts';

/** An answer of a model, from one JSON document or from an event stream. */
export interface AssembledResponse {
  readonly parts: readonly Part[];
  /** The reason why it ended, as the protocol names it. */
  readonly finish: string | null;
  /** Message of an error that the response reports. */
  readonly error: string | null;
  /** Whether its end is there. */
  readonly isComplete: boolean;
  /** What the service says of its cache; `null` for nothing. */
  readonly diagnosis: CacheDiagnosis | null;
}

interface State {
  readonly answer: AnswerBuilder;
  finish: string | null;
  error: string | null;
  isComplete: boolean;
  diagnosis: CacheDiagnosis | null;
}

type ResponseBody = Pick<StoredBody, 'text' | 'contentType' | 'omitted'>;

const STREAM_LINE = /^\s*(?:data|event|id|retry|):/u;

/** Whether a body is an event stream, by its content type or its first line. */
export function isEventStream({ text, contentType }: ResponseBody): boolean {
  return /^\s*text\/event-stream\b/iu.test(contentType ?? '') || STREAM_LINE.test(text);
}

/** Assembles the answer of a response; returns `null` when the body is none. Never throws. */
export function assembleResponse(
  protocol: TextProtocol,
  body: ResponseBody,
): AssembledResponse | null {
  const state: State = {
    answer: new AnswerBuilder(),
    finish: null,
    error: null,
    isComplete: false,
    diagnosis: null,
  };
  const document = tryParseObject(body.text);
  if (document !== null) {
    readDocument(protocol, document, state);
    state.isComplete = true;
  } else {
    if (!isEventStream(body)) return null;
    for (const { data, event, kind } of splitEvents(body)) {
      if (kind !== 'comment') readEvent(protocol, { data, event }, state);
    }
  }
  const { answer, finish, error, isComplete, diagnosis } = state;
  if (document !== null && answer.isEmpty && finish === null && error === null) return null;
  return { parts: answer.parts(), finish, error, isComplete, diagnosis };
}

function readEvent(
  protocol: TextProtocol,
  { data, event }: { readonly data: string; readonly event: string | null },
  state: State,
): void {
  if (data.trim() === '[DONE]') {
    state.isComplete = true;
    return;
  }
  const fields = tryParse(data);
  if (!isObject(fields)) return;
  const type = toName(fields['type']) ?? event ?? '';
  if (protocol === 'chat') readChat(fields, state);
  else if (protocol === 'responses') readResponsesEvent(fields, type, state);
  else readMessagesEvent(fields, type, state);
}

function readDocument(protocol: TextProtocol, document: JsonObject, state: State): void {
  if (protocol === 'chat') readChat(document, state);
  else if (protocol === 'responses') readResponse(document, state);
  else readMessage(document, state);
}

/** Reads the error of an object, as all three protocols have it. */
function readError({ error }: JsonObject, state: State): void {
  if (error === undefined || error === null) return;
  const { message, type, code } = toObject(error);
  state.error ??= toName(error) ?? toName(message) ?? toName(code) ?? toName(type) ?? 'unnamed';
}

/** Reads a completion, or a chunk of one, which has a `delta` in place of a `message`. */
function readChat(fields: JsonObject, state: State): void {
  readError(fields, state);
  for (const [place, value] of toList(fields['choices']).entries()) {
    const choice = toObject(value);
    const index = typeof choice['index'] === 'number' ? choice['index'] : place;
    if (index === 0) state.finish = toName(choice['finish_reason']) ?? state.finish;
    if (isObject(choice['delta'])) readDelta(choice['delta'], String(index), state.answer);
    else if (isObject(choice['message'])) {
      addAll(state.answer, String(index), parseChatMessage({ ...choice['message'], role: '' }));
    }
  }
  state.isComplete ||= state.finish !== null;
}

function readDelta(delta: JsonObject, key: string, answer: AnswerBuilder): void {
  const reasoning = toText(delta['reasoning_content']) || toText(delta['reasoning']);
  answer.append('reasoning', key, reasoning);
  for (const part of parseContent(delta['content'])) {
    if (part.kind === 'text') answer.append('text', key, part.text);
  }
  answer.append('text', key, toText(delta['refusal']));
  for (const [place, value] of toList(delta['tool_calls']).entries()) {
    const call = toObject(value);
    const { name, arguments: input } = toObject(call['function']);
    const index = typeof call['index'] === 'number' ? call['index'] : place;
    answer.appendCall(`${key}.${index}`, { id: call['id'], name }, toText(input));
  }
}

function addAll(answer: AnswerBuilder, key: string, parts: readonly Part[]): void {
  for (const [index, part] of parts.entries()) answer.set(`${key}.${index}`, part);
}

/** Matches the types of the events that end a response. */
export const RESPONSE_ENDS = /^response\.(?:completed|incomplete|failed|cancelled|done)$/u;
const RESPONSE_TEXT = /^response\.(?:output_text|refusal)\.delta$/u;
const RESPONSE_REASONING = /^response\.reasoning\w*\.delta$/u;
const RESPONSE_INPUT = /^response\.(?:function_call_arguments|custom_tool_call_input)\.delta$/u;

function readResponsesEvent(fields: JsonObject, type: string, state: State): void {
  const { answer } = state;
  const item = toKey(fields['output_index']);
  const part = `${item}.${toKey(fields['content_index'] ?? fields['summary_index'])}`;
  if (RESPONSE_TEXT.test(type)) answer.append('text', part, toText(fields['delta']));
  else if (RESPONSE_REASONING.test(type)) answer.append('reasoning', part, toText(fields['delta']));
  else if (RESPONSE_INPUT.test(type)) answer.appendCall(item, {}, toText(fields['delta']));
  else if (/^response\.output_item\.(?:added|done)$/u.test(type)) {
    readResponsesItem(toObject(fields['item']), item, state);
  } else if (type === 'error') {
    readError('error' in fields ? fields : { error: fields }, state);
    state.isComplete = true;
  } else if (RESPONSE_ENDS.test(type)) {
    readResponse(toObject(fields['response']), state);
    state.isComplete = true;
  }
}

function readResponsesItem(item: JsonObject, key: string, { answer }: State): void {
  const { type, call_id: id, name, arguments: input } = item;
  if (type === 'function_call' || type === 'custom_tool_call') {
    answer.completeCall(key, { id, name }, toText(input) || toText(item['input']));
  } else if (type !== 'message' && type !== 'reasoning') {
    answer.set(key, { kind: 'other', value: item });
  }
}

/** Reads a whole response. Its output is used when no piece of it came before. */
function readResponse(response: JsonObject, state: State): void {
  readError(response, state);
  state.diagnosis = readResponseDiagnosis(response['prompt_cache_diagnostics']);
  const { reason } = toObject(response['incomplete_details']);
  state.finish = toName(reason) ?? toName(response['status']) ?? state.finish;
  if (!state.answer.isEmpty) return;
  const output = toList(response['output']).flatMap((item) => parseResponsesItem(toObject(item)));
  addAll(state.answer, 'output', output);
}

/** Returns the key of an index; that of the first one where there is none. */
function toKey(index: unknown): string {
  return typeof index === 'number' ? String(index) : '0';
}

function readMessagesEvent(fields: JsonObject, type: string, state: State): void {
  const key = toKey(fields['index']);
  switch (type) {
    case 'message_start':
      readMessage(toObject(fields['message']), state);
      break;
    case 'content_block_start':
      startBlock(toObject(fields['content_block']), key, state.answer);
      break;
    case 'content_block_delta':
      readBlockDelta(toObject(fields['delta']), key, state.answer);
      break;
    case 'message_delta':
      state.finish = toName(toObject(fields['delta'])['stop_reason']) ?? state.finish;
      break;
    case 'message_stop':
      state.isComplete = true;
      break;
    case 'error':
      readError(fields, state);
      state.isComplete = true;
      break;
    default:
      readError(fields, state);
  }
}

function readMessage(message: JsonObject, state: State): void {
  readError(message, state);
  state.diagnosis = readMessageDiagnosis(message['diagnostics']);
  state.finish = toName(message['stop_reason']) ?? state.finish;
  addAll(state.answer, 'message', parseContent(message['content']));
}

function startBlock(block: JsonObject, key: string, answer: AnswerBuilder): void {
  const { type, id, name, input } = block;
  if (type === 'tool_use' || type === 'server_tool_use') {
    const hasInput = Object.keys(toObject(input)).length > 0;
    answer.appendCall(key, { id, name }, hasInput ? toCallInput(input) : '');
  } else if (type === 'text') answer.append('text', key, toText(block['text']));
  else if (type === 'thinking') answer.append('reasoning', key, toText(block['thinking']));
  else answer.set(key, parseContent(block)[0] ?? { kind: 'other', value: block });
}

function toCallInput(input: unknown): string {
  const [part] = parseContent({ type: 'tool_use', input });
  return part?.kind === 'call' ? part.input : '';
}

function readBlockDelta(delta: JsonObject, key: string, answer: AnswerBuilder): void {
  answer.append('text', key, toText(delta['text']));
  answer.append('reasoning', key, toText(delta['thinking']));
  const input = toText(delta['partial_json']);
  if (input !== '') answer.appendCall(key, {}, input);
}
