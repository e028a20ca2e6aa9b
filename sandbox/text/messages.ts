import { type Answer, jsonAnswer, type StreamEvent, typedEvent } from '../http/answer.ts';
import type { Call } from '../call.ts';
import { checkPreviousId, diagnoseMessage } from './cache-reasons.ts';
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
import { countHidden, type Prompt, type Reply } from './reply.ts';
import type { TextProtocol } from './text-protocol.ts';
import { countTokens } from './tokens.ts';
import { readTools, type ToolCall } from './tools.ts';

/** POST /v1/messages (spec sections 4.4 and 6.2; details they do not show are as in the public protocol). */
export const MESSAGES: TextProtocol = {
  name: 'messages',
  readPrompt,
  toDocument: toMessage,
  toEvents,
  failure: typedEvent({
    type: 'error',
    error: { type: 'api_error', message: 'The model stopped working.' },
  }).text,
};

function readPrompt(call: Call): Prompt {
  const { body, scenario, account } = call;
  const model = account.models.require(requireText(body, 'model'), 'text');
  const maxTokens = optionalCount(body, 'max_tokens');
  if (maxTokens === undefined) throw invalid('"max_tokens" is required.');
  const { turns, texts, question } = readConversation(body);
  checkTemperature(body);
  checkPreviousId(call);
  const tools = readTools(body['tools']);
  const images = readImages(turns, { model, part: 'image' });
  return { model, texts, question, tools, maxTokens, images, scenario, secret: account.key };
}

/** Answers POST /v1/messages/count_tokens as in the public protocol. Not billed. */
export function answerCount({ body, account }: Call): Answer {
  account.models.require(requireText(body, 'model'), 'text');
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

function toMessage(call: Call, reply: Reply) {
  const { body } = call;
  const id = `msg_${reply.id}`;
  return {
    id,
    type: 'message',
    role: 'assistant',
    model: requireText(body, 'model'),
    content: toBlocks(reply).map(({ content }) => content),
    stop_reason: { end: 'end_turn', length: 'max_tokens', tool: 'tool_use' }[reply.stop],
    stop_sequence: null,
    usage: toUsage(reply),
    ...diagnoseMessage(call, id),
  };
}

/** A placeholder for the signature with which real services sign reasoning. */
const SIGNATURE = 'c2FuZGJveA==';

/** A block of the content, and the pieces in which it is streamed. */
interface Block {
  readonly content: object;
  /** The block at its beginning. */
  readonly empty: object;
  readonly deltas: readonly Delta[];
}

/** A piece of a block, and the output tokens in it. */
type Delta = readonly [data: object, tokens: number];

function toBlocks({ thoughts, chunks, tools }: Reply): readonly Block[] {
  return [
    ...(thoughts.length > 0 ? [toThinkingBlock(thoughts)] : []),
    ...(chunks.length > 0 || tools.length === 0 ? [toTextBlock(chunks)] : []),
    ...tools.map(toToolBlock),
  ];
}

function toThinkingBlock(thoughts: readonly string[]): Block {
  const reasoning = thoughts.map((thinking): Delta => [
    { type: 'thinking_delta', thinking },
    countTokens([thinking]),
  ]);
  return {
    content: { type: 'thinking', thinking: thoughts.join(''), signature: SIGNATURE },
    empty: { type: 'thinking', thinking: '', signature: '' },
    deltas: [...reasoning, [{ type: 'signature_delta', signature: SIGNATURE }, 0]],
  };
}

function toTextBlock(chunks: readonly string[]): Block {
  return {
    content: { type: 'text', text: chunks.join('') },
    empty: { type: 'text', text: '' },
    deltas: chunks.map((text) => [{ type: 'text_delta', text }, countTokens([text])]),
  };
}

function toToolBlock(tool: ToolCall): Block {
  const head = { type: 'tool_use', id: `toolu_${tool.id}`, name: tool.name };
  const input: unknown = JSON.parse(tool.input);
  return {
    content: { ...head, input },
    empty: { ...head, input: {} },
    deltas: [
      [
        { type: 'input_json_delta', partial_json: tool.input },
        countTokens([tool.name, tool.input]),
      ],
    ],
  };
}

/** Formats the usage. In this protocol `input_tokens` excludes tokens read from the cache and written to it. */
function toUsage({ usage }: Reply) {
  return {
    input_tokens: usage.input - usage.cached - usage.written,
    cache_creation_input_tokens: usage.written,
    cache_creation:
      usage.written > 0
        ? {
            ephemeral_5m_input_tokens: usage.written - usage.writtenHour,
            ephemeral_1h_input_tokens: usage.writtenHour,
          }
        : undefined,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
    cost: usage.cost,
  };
}

function* toEvents(call: Call, reply: Reply): Iterable<StreamEvent> {
  const message = toMessage(call, reply);
  const started = { ...message, content: [], stop_reason: null };
  const none = { output_tokens: 0, output_tokens_details: { thinking_tokens: 0 }, cost: undefined };
  const usage = { ...message.usage, ...none };
  yield event('message_start', { message: { ...started, usage } }, { tokens: countHidden(reply) });
  for (const [index, block] of toBlocks(reply).entries()) yield* toBlockEvents(block, index);
  const { stop_reason, stop_sequence } = message;
  const end = { delta: { stop_reason, stop_sequence }, usage: message.usage };
  yield event('message_delta', end, { reports: true });
  yield typedEvent({ type: 'message_stop' }, { terminal: true });
}

function* toBlockEvents({ empty, deltas }: Block, index: number): Iterable<StreamEvent> {
  yield event('content_block_start', { index, content_block: empty });
  if (index === 0) yield event('ping', {});
  for (const [delta, tokens] of deltas)
    yield event('content_block_delta', { index, delta }, { tokens });
  yield event('content_block_stop', { index });
}

function event(
  type: string,
  data: object,
  more: Pick<StreamEvent, 'tokens' | 'reports'> = {},
): StreamEvent {
  return typedEvent({ type, ...data }, more);
}
