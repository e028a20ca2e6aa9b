import type { Call } from '../call.ts';
import { dataEvent, type StreamEvent } from '../http/answer.ts';
import { checkTurns, findQuestion, collectTexts } from './conversation.ts';
import { invalid } from '../http/errors.ts';
import { readImages } from './images.ts';
import {
  checkTemperature,
  isObject,
  type JsonObject,
  optionalCount,
  optionalFlag,
  requireObjects,
  requireText,
} from '../json.ts';
import { countHidden, type Prompt, type Reply } from './reply.ts';
import type { TextProtocol } from './text-protocol.ts';
import { countTokens } from './tokens.ts';
import { readTools, type ToolCall } from './tools.ts';

/** POST /v1/chat/completions (spec sections 2.2, 2.3, 4.2 and 6.1). */
export const CHAT: TextProtocol = {
  name: 'chat',
  readPrompt,
  toDocument: (call, reply) => toCompletion(createHead(call, reply), reply),
  toEvents: (call, reply) => toChunks(createHead(call, reply), reply, chooseUsage(call)),
  failure: dataEvent({
    error: { message: 'The model stopped working.', type: 'api_error', code: 'server_error' },
  }).text,
};

interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

function createHead({ body }: Call, reply: Reply): Head {
  return {
    id: `chatcmpl-${reply.id}`,
    created: unixSeconds(),
    model: requireText(body, 'model'),
  };
}

function readPrompt({ body, scenario, account }: Call): Prompt {
  const model = account.models.require(requireText(body, 'model'), 'text');
  if (body['messages'] === undefined && body['prompt'] !== undefined) {
    throw invalid('"prompt" is not used here; send "messages".');
  }
  const turns = requireObjects(body, 'messages');
  checkTurns(turns);
  checkTemperature(body);
  return {
    model,
    texts: turns.flatMap((turn) => collectTexts(turn['content'])),
    question: findQuestion(turns),
    tools: readTools(body['tools']),
    maxTokens: optionalCount(body, 'max_completion_tokens') ?? optionalCount(body, 'max_tokens'),
    images: readImages(turns, { model, part: 'image_url' }),
    scenario,
    secret: account.key,
  };
}

type UsagePlace = 'none' | 'last' | 'apart';

function chooseUsage({ body, scenario }: Call): UsagePlace {
  if (!wantsUsage(body)) return 'none';
  return scenario.usageApart ? 'apart' : 'last';
}

function wantsUsage(body: JsonObject): boolean {
  const options = body['stream_options'];
  if (options === undefined || options === null) return false;
  if (!isObject(options)) throw invalid('"stream_options" must be an object.');
  return optionalFlag(options, 'include_usage');
}

function toCompletion(head: Head, reply: Reply): object {
  const { chunks, thoughts, tools } = reply;
  const message = {
    role: 'assistant',
    content: tools.length > 0 && chunks.length === 0 ? null : chunks.join(''),
    refusal: null,
    ...(tools.length > 0 && { tool_calls: tools.map(toToolCall) }),
    ...(thoughts.length > 0 && { [reasoningName(reply)]: thoughts.join('') }),
  };
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(reply) }],
    usage: toUsage(reply),
  };
}

function* toChunks(head: Head, reply: Reply, usage: UsagePlace): Iterable<StreamEvent> {
  const object = 'chat.completion.chunk';
  const toChunk = (delta: object, finish: string | null) => ({
    ...head,
    object,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  const chunk = (delta: object, tokens: number) => dataEvent(toChunk(delta, null), { tokens });
  yield chunk({ role: 'assistant', content: '' }, countHidden(reply));
  yield { text: ': keep-alive\n\n', terminal: false };
  for (const thought of reply.thoughts)
    yield chunk({ [reasoningName(reply)]: thought }, countTokens([thought]));
  for (const content of reply.chunks) yield chunk({ content }, countTokens([content]));
  for (const [index, tool] of reply.tools.entries()) {
    yield* toToolDeltas(tool, index).map((delta, piece) =>
      chunk({ tool_calls: [delta] }, piece === 0 ? countTokens([tool.name, tool.input]) : 0),
    );
  }
  const last = toChunk({}, toFinishReason(reply));
  const reported = { usage: toUsage(reply) };
  yield usage === 'last' ? dataEvent({ ...last, ...reported }, { reports: true }) : dataEvent(last);
  if (usage === 'apart')
    yield dataEvent({ ...head, object, choices: [], ...reported }, { reports: true });
  yield { text: 'data: [DONE]\n\n', terminal: true };
}

/** Formats the pieces in which a call is streamed. */
function toToolDeltas(tool: ToolCall, index: number): readonly object[] {
  const call = toToolCall(tool);
  const begin = { index, ...call, function: { ...call.function, arguments: '' } };
  const rest = splitInHalf(tool.input).map((part) => ({ index, function: { arguments: part } }));
  return [begin, ...rest];
}

function splitInHalf(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function toToolCall({ id, name, input }: ToolCall) {
  return { id: `call_${id}`, type: 'function', function: { name, arguments: input } };
}

/** Services with this protocol use two names for the reasoning. */
function reasoningName({ thoughts }: Reply): string {
  return thoughts.length % 2 === 0 ? 'reasoning_content' : 'reasoning';
}

function toFinishReason({ stop }: Reply): string {
  return { end: 'stop', length: 'length', tool: 'tool_calls' }[stop];
}

function toUsage({ usage }: Reply): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: {
      cached_tokens: usage.cached,
      cache_write_tokens: usage.written || undefined,
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
    cost: usage.cost,
  };
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
