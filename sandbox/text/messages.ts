import { type Answer, jsonAnswer, type StreamEvent, typedEvent } from '../http/answer.ts';
import { type Call, wantsStream } from '../call.ts';
import { checkTurns, findQuestion, collectTexts } from './conversation.ts';
import { invalid } from '../http/errors.ts';
import { readImages } from './images.ts';
import {
  checkTemperature,
  type JsonObject,
  optionalCount,
  requireObjects,
  requireText,
} from '../json.ts';
import { requireModel } from '../models.ts';
import { composeReply, type Reply } from './reply.ts';
import { countTokens } from './tokens.ts';
import { readTools } from './tools.ts';

/** Answers POST /v1/messages (spec sections 4.4 and 6.2; details they do not show are as in the public protocol). */
export function answerMessages(call: Call): Answer {
  const { body, scenario, account } = call;
  const model = requireModel(requireText(body, 'model'), 'text');
  const maxTokens = optionalCount(body, 'max_tokens');
  if (maxTokens === undefined) throw invalid('"max_tokens" is required.');
  const { turns, texts, question } = readConversation(body);
  checkTemperature(body);
  const tools = readTools(body['tools']);
  const images = readImages(turns, { model, part: 'image' });
  const prompt = { model, texts, question, tools, maxTokens, images, scenario };
  const reply = composeReply({ ...prompt, secret: account.key });
  const message = toMessage(model.id, reply);
  if (!wantsStream(call)) return jsonAnswer(message);
  return {
    kind: 'streamed',
    events: toEvents(message, reply),
    failure: typedEvent({
      type: 'error',
      error: { type: 'api_error', message: 'The model stopped working.' },
    }).text,
  };
}

/** Answers POST /v1/messages/count_tokens as in the public protocol. Not billed. */
export function answerCount({ body }: Call): Answer {
  requireModel(requireText(body, 'model'), 'text');
  return jsonAnswer({ input_tokens: countTokens(readConversation(body).texts) });
}

function readConversation(body: JsonObject) {
  const turns = requireObjects(body, 'messages');
  checkTurns(turns);
  const texts = turns.flatMap((turn) => collectTexts(turn['content']));
  return {
    turns,
    texts: [...collectTexts(body['system']), ...texts],
    question: findQuestion(turns),
  };
}

function toMessage(model: string, reply: Reply) {
  return {
    id: `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [...toThinkingBlocks(reply), toContentBlock(reply)],
    stop_reason: { end: 'end_turn', length: 'max_tokens', tool: 'tool_use' }[reply.stop],
    stop_sequence: null,
    usage: toUsage(reply),
  };
}

/** A placeholder for the signature with which real services sign reasoning. */
const SIGNATURE = 'c2FuZGJveA==';

function toThinkingBlocks({ thoughts }: Reply) {
  if (thoughts.length === 0) return [];
  return [{ type: 'thinking', thinking: thoughts.join(''), signature: SIGNATURE }];
}

function toContentBlock({ chunks, tool }: Reply) {
  if (!tool) return { type: 'text', text: chunks.join('') };
  const input: unknown = JSON.parse(tool.input);
  return { type: 'tool_use', id: `toolu_${tool.id}`, name: tool.name, input };
}

/** Formats the usage. In this protocol `input_tokens` excludes tokens read from the cache. */
function toUsage({ usage }: Reply) {
  return {
    input_tokens: usage.input - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    cost: usage.cost,
  };
}

function* toEvents(message: ReturnType<typeof toMessage>, reply: Reply): Iterable<StreamEvent> {
  const started = { ...message, content: [], stop_reason: null };
  const none = { output_tokens: 0, output_tokens_details: { thinking_tokens: 0 }, cost: undefined };
  yield event('message_start', { message: { ...started, usage: { ...message.usage, ...none } } });
  const thinks = reply.thoughts.length > 0;
  if (thinks) {
    const content_block = { type: 'thinking', thinking: '', signature: '' };
    yield* blockEvents({ index: 0, content_block, deltas: thinkingDeltas(reply) });
  }
  const content_block = emptyBlock(reply);
  yield* blockEvents({ index: thinks ? 1 : 0, content_block, deltas: contentDeltas(reply) });
  const { stop_reason, stop_sequence } = message;
  yield event('message_delta', { delta: { stop_reason, stop_sequence }, usage: message.usage });
  yield typedEvent({ type: 'message_stop' }, true);
}

interface Block {
  readonly index: number;
  readonly content_block: object;
  readonly deltas: readonly object[];
}

function* blockEvents({ index, content_block, deltas }: Block): Iterable<StreamEvent> {
  yield event('content_block_start', { index, content_block });
  if (index === 0) yield event('ping', {});
  for (const delta of deltas) yield event('content_block_delta', { index, delta });
  yield event('content_block_stop', { index });
}

function event(type: string, data: object): StreamEvent {
  return typedEvent({ type, ...data });
}

function emptyBlock(reply: Reply) {
  const block = toContentBlock(reply);
  return reply.tool ? { ...block, input: {} } : { ...block, text: '' };
}

function thinkingDeltas({ thoughts }: Reply): readonly object[] {
  const reasoning = thoughts.map((thinking) => ({ type: 'thinking_delta', thinking }));
  return [...reasoning, { type: 'signature_delta', signature: SIGNATURE }];
}

function contentDeltas({ chunks, tool }: Reply): readonly object[] {
  if (tool) return [{ type: 'input_json_delta', partial_json: tool.input }];
  return chunks.map((text) => ({ type: 'text_delta', text }));
}
