import type { Call } from '../call.ts';
import { type StreamEvent, type TypedData, typedEvent } from '../http/answer.ts';
import { diagnoseResponse } from './cache-reasons.ts';
import { checkTurns, findQuestion, collectTexts } from './conversation.ts';
import { invalid } from '../http/errors.ts';
import { readImages } from './images.ts';
import {
  checkTemperature,
  isObject,
  type JsonObject,
  optionalCount,
  requireText,
} from '../json.ts';
import { countHidden, type Prompt, type Reply } from './reply.ts';
import type { TextProtocol } from './text-protocol.ts';
import { countTokens } from './tokens.ts';
import { readTools, type ToolCall } from './tools.ts';

/** POST /v1/responses (spec section 4.3; details it does not show are as in the public protocol). */
export const RESPONSES: TextProtocol = {
  name: 'responses',
  readPrompt,
  toDocument: toResponseObject,
  toEvents: (call, reply) => numberEvents(toEvents(toResponseObject(call, reply), reply), reply),
  failure: typedEvent({
    type: 'error',
    code: 'server_error',
    message: 'The model stopped working.',
    param: null,
    sequence_number: 0,
  }).text,
};

function readPrompt({ body, scenario, account }: Call): Prompt {
  const model = account.models.require(requireText(body, 'model'), 'text');
  const turns = readTurns({ body, account });
  checkTemperature(body);
  const texts = turns.flatMap((turn) => collectTexts(turn['content'] ?? turn['output']));
  return {
    model,
    texts: [...collectTexts(body['instructions']), ...texts],
    question: findQuestion(turns),
    tools: readTools(body['tools']),
    maxTokens: optionalCount(body, 'max_output_tokens'),
    images: readImages(turns, { model, part: 'input_image' }),
    scenario,
    secret: account.key,
  };
}

/** Returns the conversation that a request continues, with its own input. Neither instructions nor tools are carried over. */
function readTurns({ body, account }: Pick<Call, 'account' | 'body'>): readonly JsonObject[] {
  const own = readInput(body['input']);
  const previous = body['previous_response_id'] ?? null;
  if (previous === null) return own;
  if (typeof previous !== 'string') throw invalid('"previous_response_id" must be a string.');
  return [...account.responses.require(previous), ...own];
}

function readInput(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string' && input !== '') return [{ role: 'user', content: input }];
  if (!Array.isArray(input) || input.length === 0 || !input.every(isObject)) {
    throw invalid('"input" is required: a string or a non-empty array of messages.');
  }
  // Items with another type than `message` are tool calls, their results and the like.
  checkTurns(input.filter(({ type }) => type === undefined || type === 'message'));
  return input;
}

/** Makes the object of a response, and stores it unless the request asks for the opposite. */
function toResponseObject(call: Call, reply: Reply) {
  const { body, account } = call;
  const cut = reply.stop === 'length';
  const id = `resp_${reply.id}`;
  const output = toItems(reply).map(({ item }) => item);
  const store = body['store'] !== false;
  if (store) account.responses.add(id, [...readTurns({ body, account }), ...output]);
  return {
    id,
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    status: cut ? 'incomplete' : 'completed',
    background: false,
    error: null,
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    metadata: {},
    model: requireText(body, 'model'),
    output,
    parallel_tool_calls: true,
    previous_response_id: body['previous_response_id'] ?? null,
    store,
    temperature: body['temperature'] ?? 1,
    tool_choice: 'auto',
    tools: body['tools'] ?? [],
    top_p: 1,
    truncation: 'disabled',
    usage: toUsage(reply),
    ...diagnoseResponse(call, id),
  };
}

/** An item of the output, and the events that stream it. */
interface OutputItem {
  readonly item: JsonObject;
  /** The item at its beginning. */
  readonly empty: object;
  readonly id: string;
  readonly events: (place: ItemPlace) => Iterable<TypedData>;
}

/** The position of an item in the output. */
interface ItemPlace {
  readonly item_id: string;
  readonly output_index: number;
}

function toItems(reply: Reply): readonly OutputItem[] {
  const { thoughts, chunks, tools } = reply;
  return [
    ...(thoughts.length > 0 ? [toReasoningItem(reply)] : []),
    ...(chunks.length > 0 || tools.length === 0 ? [toMessageItem(reply)] : []),
    ...tools.map(toCallItem),
  ];
}

function toReasoningItem({ id: replyId, thoughts }: Reply): OutputItem {
  const head = { type: 'reasoning', id: `rs_${replyId}` };
  return {
    item: { ...head, summary: [toSummaryPart(thoughts.join(''))] },
    empty: { ...head, summary: [] },
    id: head.id,
    events: (place) => reasoningEvents(place, thoughts),
  };
}

function toMessageItem({ id: replyId, chunks, stop }: Reply): OutputItem {
  const head = { type: 'message', id: `msg_${replyId}` };
  const status = stop === 'length' ? 'incomplete' : 'completed';
  return {
    item: { ...head, status, role: 'assistant', content: [toTextPart(chunks.join(''))] },
    empty: { ...head, status: 'in_progress', role: 'assistant', content: [] },
    id: head.id,
    events: (place) => textEvents(place, chunks),
  };
}

function toCallItem({ id: callId, name, input }: ToolCall): OutputItem {
  const item = {
    type: 'function_call',
    id: `fc_${callId}`,
    status: 'completed',
    call_id: `call_${callId}`,
    name,
    arguments: input,
  };
  return {
    item,
    empty: { ...item, status: 'in_progress', arguments: '' },
    id: item.id,
    events: (place) => toolEvents(place, { name, input }),
  };
}

function toSummaryPart(text: string) {
  return { type: 'summary_text', text };
}

function toTextPart(text: string) {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

function toUsage({ usage }: Reply) {
  return {
    input_tokens: usage.input,
    input_tokens_details: {
      cached_tokens: usage.cached,
      cache_write_tokens: usage.written || undefined,
    },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
    cost: usage.cost,
  };
}

function* numberEvents(events: Iterable<TypedData>, reply: Reply): Iterable<StreamEvent> {
  let sequence = 0;
  for (const data of events) {
    const terminal = data.type === 'response.completed' || data.type === 'response.incomplete';
    const tokens = countProduced(data, reply);
    yield typedEvent(
      { ...data, sequence_number: sequence },
      { terminal, tokens, reports: terminal },
    );
    sequence += 1;
  }
}

/** Counts the output tokens in an event. */
function countProduced({ type, delta, item }: TypedData, reply: Reply): number {
  if (type === 'response.created') return countHidden(reply);
  if (type === 'response.output_item.added')
    return isObject(item) && typeof item['name'] === 'string' ? countTokens([item['name']]) : 0;
  return typeof delta === 'string' ? countTokens([delta]) : 0;
}

function* toEvents(
  completed: ReturnType<typeof toResponseObject>,
  reply: Reply,
): Iterable<TypedData> {
  const started = {
    ...completed,
    status: 'in_progress',
    incomplete_details: null,
    output: [],
    usage: null,
  };
  yield { type: 'response.created', response: started };
  yield { type: 'response.in_progress', response: started };
  for (const [output_index, { item, empty, id, events }] of toItems(reply).entries()) {
    yield { type: 'response.output_item.added', output_index, item: empty };
    yield* events({ item_id: id, output_index });
    yield { type: 'response.output_item.done', output_index, item };
  }
  yield { type: `response.${completed.status}`, response: completed };
}

function* reasoningEvents(item: ItemPlace, thoughts: readonly string[]): Iterable<TypedData> {
  const place = { ...item, summary_index: 0 };
  yield { type: 'response.reasoning_summary_part.added', ...place, part: toSummaryPart('') };
  for (const delta of thoughts) {
    yield { type: 'response.reasoning_summary_text.delta', ...place, delta };
  }
  const text = thoughts.join('');
  yield { type: 'response.reasoning_summary_text.done', ...place, text };
  yield { type: 'response.reasoning_summary_part.done', ...place, part: toSummaryPart(text) };
}

function* textEvents(item: ItemPlace, chunks: readonly string[]): Iterable<TypedData> {
  const place = { ...item, content_index: 0 };
  yield { type: 'response.content_part.added', ...place, part: toTextPart('') };
  for (const delta of chunks) {
    yield { type: 'response.output_text.delta', ...place, delta, logprobs: [] };
  }
  const text = chunks.join('');
  yield { type: 'response.output_text.done', ...place, text, logprobs: [] };
  yield { type: 'response.content_part.done', ...place, part: toTextPart(text) };
}

function* toolEvents(
  place: ItemPlace,
  { name, input }: Pick<ToolCall, 'name' | 'input'>,
): Iterable<TypedData> {
  yield { type: 'response.function_call_arguments.delta', ...place, delta: input };
  yield { type: 'response.function_call_arguments.done', ...place, name, arguments: input };
}
