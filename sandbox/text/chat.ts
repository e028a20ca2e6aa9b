import { type Answer, dataEvent, jsonAnswer, type StreamEvent } from '../http/answer.ts';
import { type Call, wantsStream } from '../call.ts';
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
import { requireModel } from '../models.ts';
import { composeReply, type Reply } from './reply.ts';
import { readTools } from './tools.ts';

/** Answers POST /v1/chat/completions (spec sections 2.2, 2.3, 4.2 and 6.1). */
export function answerChat(call: Call): Answer {
  const { body } = call;
  const reply = composeReply(readPrompt(call));
  const head = {
    id: `chatcmpl-${reply.id}`,
    created: unixSeconds(),
    model: requireText(body, 'model'),
  };
  if (!wantsStream(call)) return jsonAnswer(toCompletion(head, reply));
  const usage = wantsUsage(body)
    ? call.scenario.usageApart
      ? ('apart' as const)
      : ('last' as const)
    : ('none' as const);
  return {
    kind: 'streamed',
    events: toChunks(head, reply, usage),
    failure: dataEvent({
      error: { message: 'The model stopped working.', type: 'api_error', code: 'server_error' },
    }).text,
  };
}

interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

function readPrompt({ body, scenario, account }: Call) {
  const model = requireModel(requireText(body, 'model'), 'text');
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

function wantsUsage(body: JsonObject): boolean {
  const options = body['stream_options'];
  if (options === undefined || options === null) return false;
  if (!isObject(options)) throw invalid('"stream_options" must be an object.');
  return optionalFlag(options, 'include_usage');
}

function toCompletion(head: Head, reply: Reply): object {
  const { tool } = reply;
  const spoken = tool
    ? { role: 'assistant', content: null, refusal: null, tool_calls: [toToolCall(reply)] }
    : { role: 'assistant', content: reply.chunks.join(''), refusal: null };
  const { thoughts } = reply;
  const message = {
    ...spoken,
    ...(thoughts.length > 0 && { [reasoningName(reply)]: thoughts.join('') }),
  };
  return {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: toFinishReason(reply) }],
    usage: toUsage(reply),
  };
}

function* toChunks(
  head: Head,
  reply: Reply,
  usage: 'none' | 'last' | 'apart',
): Iterable<StreamEvent> {
  const chunk = (delta: object, finish: string | null, more: object = {}) =>
    dataEvent({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...more,
    });
  yield chunk({ role: 'assistant', content: '' }, null);
  yield { text: ': keep-alive\n\n', terminal: false };
  for (const thought of reply.thoughts) yield chunk({ [reasoningName(reply)]: thought }, null);
  if (reply.tool) yield* toToolChunks(reply, chunk);
  for (const content of reply.chunks) yield chunk({ content }, null);
  yield chunk({}, toFinishReason(reply), usage === 'last' ? { usage: toUsage(reply) } : {});
  if (usage === 'apart') {
    const object = 'chat.completion.chunk';
    yield dataEvent({ ...head, object, choices: [], usage: toUsage(reply) });
  }
  yield { text: 'data: [DONE]\n\n', terminal: true };
}

function* toToolChunks(
  reply: Reply,
  chunk: (delta: object, finish: string | null) => StreamEvent,
): Iterable<StreamEvent> {
  const call = toToolCall(reply);
  const begin = { index: 0, ...call, function: { ...call.function, arguments: '' } };
  yield chunk({ tool_calls: [begin] }, null);
  for (const part of splitInHalf(call.function.arguments)) {
    yield chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }, null);
  }
}

function splitInHalf(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

function toToolCall({ tool }: Reply) {
  return {
    id: `call_${tool?.id ?? ''}`,
    type: 'function',
    function: { name: tool?.name ?? '', arguments: tool?.input ?? '' },
  };
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
    prompt_tokens_details: { cached_tokens: usage.cached },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
    cost: usage.cost,
  };
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
