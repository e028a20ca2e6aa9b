import { type Answer, jsonAnswer, type StreamEvent, typedEvent } from './answer.ts';
import type { Call } from './call.ts';
import { checkTurns, questionOf, textsOf } from './conversation.ts';
import { invalid } from './errors.ts';
import {
  checkTemperature,
  type JsonObject,
  optionalCount,
  optionalFlag,
  requireObjects,
  requireText,
} from './json.ts';
import { requireModel } from './models.ts';
import { composeReply, type Reply } from './reply.ts';
import { countTokens } from './tokens.ts';
import { readTools } from './tools.ts';

/** POST /v1/messages (spec sections 4.4 and 6.2; what they do not show is as in the public protocol). */
export function answerMessages({ body, scenario, account }: Call): Answer {
  const model = requireModel(requireText(body, 'model'), 'text');
  const maxTokens = optionalCount(body, 'max_tokens');
  if (maxTokens === undefined) throw invalid('"max_tokens" is required.');
  const { texts, question } = readConversation(body);
  checkTemperature(body);
  const tools = readTools(body['tools']);
  const { size } = scenario;
  const prompt = { model, texts, question, tools, maxTokens, size, secret: account.key };
  const reply = composeReply(prompt);
  const whole = messageObject(model.id, reply);
  if (!optionalFlag(body, 'stream')) return jsonAnswer(whole);
  return {
    kind: 'streamed',
    events: streamed(whole, reply),
    failure: typedEvent({
      type: 'error',
      error: { type: 'api_error', message: 'The model stopped working.' },
    }).text,
  };
}

/** POST /v1/messages/count_tokens, as in the public protocol. Not billed. */
export function answerCount({ body }: Call): Answer {
  requireModel(requireText(body, 'model'), 'text');
  return jsonAnswer({ input_tokens: countTokens(readConversation(body).texts) });
}

function readConversation(body: JsonObject) {
  const turns = requireObjects(body, 'messages');
  checkTurns(turns);
  const said = turns.flatMap((turn) => textsOf(turn['content']));
  return { texts: [...textsOf(body['system']), ...said], question: questionOf(turns) };
}

function messageObject(model: string, reply: Reply) {
  return {
    id: `msg_${reply.id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [contentBlock(reply)],
    stop_reason: { end: 'end_turn', length: 'max_tokens', tool: 'tool_use' }[reply.stop],
    stop_sequence: null,
    usage: usageObject(reply),
  };
}

function contentBlock({ pieces, tool }: Reply) {
  if (!tool) return { type: 'text', text: pieces.join('') };
  const input: unknown = JSON.parse(tool.input);
  return { type: 'tool_use', id: `toolu_${tool.id}`, name: tool.name, input };
}

/** In this protocol `input_tokens` leaves out what was read from the cache. */
function usageObject({ usage }: Reply) {
  return {
    input_tokens: usage.input - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens: usage.output,
    output_tokens_details: { thinking_tokens: usage.reasoning },
  };
}

function* streamed(whole: ReturnType<typeof messageObject>, reply: Reply): Iterable<StreamEvent> {
  const begun = { ...whole, content: [], stop_reason: null };
  const usage = { ...whole.usage, output_tokens: 0, output_tokens_details: { thinking_tokens: 0 } };
  yield event('message_start', { message: { ...begun, usage } });
  yield event('content_block_start', { index: 0, content_block: emptyBlock(reply) });
  yield event('ping', {});
  for (const delta of deltas(reply)) yield event('content_block_delta', { index: 0, delta });
  yield event('content_block_stop', { index: 0 });
  const { stop_reason, stop_sequence } = whole;
  yield event('message_delta', { delta: { stop_reason, stop_sequence }, usage: whole.usage });
  yield typedEvent({ type: 'message_stop' }, true);
}

function event(type: string, data: object): StreamEvent {
  return typedEvent({ type, ...data });
}

function emptyBlock(reply: Reply) {
  const block = contentBlock(reply);
  return reply.tool ? { ...block, input: {} } : { ...block, text: '' };
}

function deltas({ pieces, tool }: Reply): readonly object[] {
  if (tool) return [{ type: 'input_json_delta', partial_json: tool.input }];
  return pieces.map((text) => ({ type: 'text_delta', text }));
}
