import {
  type Answer,
  jsonAnswer,
  type StreamEvent,
  type TypedData,
  typedEvent,
} from '../http/answer.ts';
import { type Call, wantsStream } from '../call.ts';
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
import { requireModel } from '../models.ts';
import { composeReply, type Reply } from './reply.ts';
import { readTools } from './tools.ts';

/** Answers POST /v1/responses (spec section 4.3; details it does not show are as in the public protocol). */
export function answerResponses(call: Call): Answer {
  const reply = composeReply(readPrompt(call));
  const completed = toResponseObject(call.body, reply);
  if (!wantsStream(call)) return jsonAnswer(completed);
  return {
    kind: 'streamed',
    events: numberEvents(toEvents(completed, reply)),
    failure: typedEvent({
      type: 'error',
      code: 'server_error',
      message: 'The model stopped working.',
      param: null,
      sequence_number: 0,
    }).text,
  };
}

function readPrompt({ body, scenario, account }: Call) {
  const model = requireModel(requireText(body, 'model'), 'text');
  const turns = readInput(body['input']);
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

function readInput(input: unknown): readonly JsonObject[] {
  if (typeof input === 'string' && input !== '') return [{ role: 'user', content: input }];
  if (!Array.isArray(input) || input.length === 0 || !input.every(isObject)) {
    throw invalid('"input" is required: a string or a non-empty array of messages.');
  }
  // Items with another type than `message` are tool calls, their results and the like.
  checkTurns(input.filter(({ type }) => type === undefined || type === 'message'));
  return input;
}

function toResponseObject(body: JsonObject, reply: Reply) {
  const cut = reply.stop === 'length';
  return {
    id: `resp_${reply.id}`,
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
    output: [...toReasoningItems(reply), toOutputItem(reply)],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    temperature: body['temperature'] ?? 1,
    tool_choice: 'auto',
    tools: body['tools'] ?? [],
    top_p: 1,
    truncation: 'disabled',
    usage: toUsage(reply),
  };
}

function toOutputItem({ id, chunks, stop, tool }: Reply) {
  if (tool) {
    const call = { call_id: `call_${tool.id}`, name: tool.name, arguments: tool.input };
    return { type: 'function_call', id: `fc_${tool.id}`, status: 'completed', ...call };
  }
  return {
    type: 'message',
    id: `msg_${id}`,
    status: stop === 'length' ? 'incomplete' : 'completed',
    role: 'assistant',
    content: [toTextPart(chunks.join(''))],
  };
}

function toReasoningItems({ id, thoughts }: Reply) {
  if (thoughts.length === 0) return [];
  return [{ type: 'reasoning', id: `rs_${id}`, summary: [toSummaryPart(thoughts.join(''))] }];
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
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
    cost: usage.cost,
  };
}

function* numberEvents(events: Iterable<TypedData>): Iterable<StreamEvent> {
  let sequence = 0;
  for (const data of events) {
    const terminal = data.type === 'response.completed' || data.type === 'response.incomplete';
    yield typedEvent({ ...data, sequence_number: sequence }, terminal);
    sequence += 1;
  }
}

function* toEvents(
  completed: ReturnType<typeof toResponseObject>,
  reply: Reply,
): Iterable<TypedData> {
  const item = toOutputItem(reply);
  const [reasoning] = toReasoningItems(reply);
  const index = reasoning ? 1 : 0;
  const started = {
    ...completed,
    status: 'in_progress',
    incomplete_details: null,
    output: [],
    usage: null,
  };
  yield { type: 'response.created', response: started };
  yield { type: 'response.in_progress', response: started };
  if (reasoning) {
    yield* reasoningEvents(reasoning.id, reply);
    yield { type: 'response.output_item.done', output_index: 0, item: reasoning };
  }
  const place = { item_id: item.id, output_index: index };
  yield* item.type === 'function_call' ? toolEvents(place, reply) : textEvents(place, reply);
  yield { type: 'response.output_item.done', output_index: index, item };
  yield { type: `response.${completed.status}`, response: completed };
}

/** The position of an item in the output. */
interface ItemPlace {
  readonly item_id: string;
  readonly output_index: number;
}

function* reasoningEvents(itemId: string, { thoughts }: Reply): Iterable<TypedData> {
  const empty = { type: 'reasoning', id: itemId, summary: [] };
  yield { type: 'response.output_item.added', output_index: 0, item: empty };
  const place = { item_id: itemId, output_index: 0, summary_index: 0 };
  yield { type: 'response.reasoning_summary_part.added', ...place, part: toSummaryPart('') };
  for (const delta of thoughts) {
    yield { type: 'response.reasoning_summary_text.delta', ...place, delta };
  }
  const text = thoughts.join('');
  yield { type: 'response.reasoning_summary_text.done', ...place, text };
  yield { type: 'response.reasoning_summary_part.done', ...place, part: toSummaryPart(text) };
}

function* textEvents(item: ItemPlace, reply: Reply): Iterable<TypedData> {
  const { item_id: id, output_index } = item;
  const empty = { type: 'message', id, status: 'in_progress', role: 'assistant', content: [] };
  yield { type: 'response.output_item.added', output_index, item: empty };
  const place = { ...item, content_index: 0 };
  yield { type: 'response.content_part.added', ...place, part: toTextPart('') };
  for (const delta of reply.chunks) {
    yield { type: 'response.output_text.delta', ...place, delta, logprobs: [] };
  }
  const text = reply.chunks.join('');
  yield { type: 'response.output_text.done', ...place, text, logprobs: [] };
  yield { type: 'response.content_part.done', ...place, part: toTextPart(text) };
}

function* toolEvents(place: ItemPlace, reply: Reply): Iterable<TypedData> {
  const started = { ...toOutputItem(reply), status: 'in_progress', arguments: '' };
  const { output_index } = place;
  yield { type: 'response.output_item.added', output_index, item: started };
  const input = reply.tool?.input ?? '';
  yield { type: 'response.function_call_arguments.delta', ...place, delta: input };
  const name = reply.tool?.name ?? '';
  yield { type: 'response.function_call_arguments.done', ...place, name, arguments: input };
}
