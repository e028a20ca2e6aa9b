import type { Answer, TextProtocol } from '../../../shared/chat/chat.ts';
import { type JsonObject, asObject, filterObjects, nonEmptyString } from '../../lib/json-object.ts';

/** An error as a service reports it (spec section 7). */
export interface ReportedError {
  readonly message: string | null;
  readonly code: string | null;
  /** The rejected parameter, where a service names it. */
  readonly param: string | null;
}

/** Parsed content of one event of a stream, or of a whole answer. */
export interface ParsedAnswer {
  /** Text to append. */
  readonly text?: string;
  readonly reasoning?: string;
  /** The complete texts, repeated at the end of a stream. */
  readonly isComplete?: { readonly text: string; readonly reasoning: string };
  readonly model?: string | null;
  readonly finish?: string | null;
  readonly error?: ReportedError | null;
  readonly cost?: Answer['cost'];
  /** Whether nothing follows. */
  readonly last?: boolean;
}

/** Parses the data of one event, or a whole answer, by its content; `event` is the name of the event. Never throws. */
export function parseAnswerEvent(
  protocol: TextProtocol,
  data: JsonObject,
  event: string | undefined,
): ParsedAnswer {
  switch (protocol) {
    case 'chat':
      return parseChatEvent(data);
    case 'responses':
      return parseResponsesEvent(data, nonEmptyString(data['type']) ?? event ?? '');
    case 'messages':
      return parseMessagesEvent(data, nonEmptyString(data['type']) ?? event ?? '');
  }
}

/** Parses the error in an object of any of the three protocols. */
export function parseErrorBody(data: JsonObject): ReportedError | null {
  const { error } = data;
  if (typeof error === 'string') return { message: nonEmptyString(error), code: null, param: null };
  const fields = asObject(error);
  return fields === null ? null : toReportedError(fields);
}

function toReportedError(fields: JsonObject): ReportedError {
  const { code, type } = fields;
  const explicitCode = typeof code === 'number' ? String(code) : nonEmptyString(code);
  return {
    message: nonEmptyString(fields['message']),
    code: explicitCode ?? nonEmptyString(type),
    param: nonEmptyString(fields['param']),
  };
}

/**
 * Parses an event of spec sections 2.2 and 2.3. A stream has a `delta` where a whole answer has its `message`; the names for
 * reasoning are those in common use.
 */
function parseChatEvent(data: JsonObject): ParsedAnswer {
  const choices = filterObjects(data['choices']);
  const choice = choices.find(({ index }) => index === 0) ?? choices[0];
  const message = asObject(choice?.['delta']) ?? asObject(choice?.['message']);
  return {
    text: readText(message?.['content']) + readText(message?.['refusal']),
    reasoning: readText(message?.['reasoning_content']) || readText(message?.['reasoning']),
    model: nonEmptyString(data['model']),
    finish: nonEmptyString(choice?.['finish_reason']),
    error: parseErrorBody(data),
    cost: findCost(data['usage']),
  };
}

const RESPONSE_ENDS = /^response\.(?:completed|incomplete|failed|cancelled|done)$/u;
const RESPONSE_TEXT = /^response\.(?:output_text|refusal)\.delta$/u;
const RESPONSE_REASONING = /^response\.reasoning\w*\.delta$/u;

/** Parses an event by the names of the public protocol, because the spec shows no answer of it (sections 4.3 and 6.3). */
function parseResponsesEvent(data: JsonObject, type: string): ParsedAnswer {
  if (RESPONSE_TEXT.test(type)) return { text: readText(data['delta']) };
  if (RESPONSE_REASONING.test(type)) return { reasoning: readText(data['delta']) };
  if (type === 'response.reasoning_summary_part.added') {
    return { reasoning: Number(data['summary_index']) > 0 ? '\n\n' : '' };
  }
  if (type === 'error') return { error: parseErrorBody(data) ?? toReportedError(data), last: true };
  const response = asObject(data['response']) ?? data;
  const model = nonEmptyString(response['model']);
  const last = RESPONSE_ENDS.test(type);
  if (type.startsWith('response.') && !last) return { model };
  const reason = asObject(response['incomplete_details'])?.['reason'];
  return {
    model,
    isComplete: readOutput(response),
    finish: nonEmptyString(reason) ?? nonEmptyString(response['status']),
    error: parseErrorBody(response) ?? toUnexplainedFailure(response),
    cost: findCost(response['usage']),
    last,
  };
}

function toUnexplainedFailure({ status }: JsonObject): ReportedError | null {
  return status === 'failed' ? { message: null, code: null, param: null } : null;
}

function readOutput(response: JsonObject): { text: string; reasoning: string } {
  const items = filterObjects(response['output']);
  const messages = items.filter(({ type }) => type === 'message');
  const thoughts = items.filter(({ type }) => type === 'reasoning');
  const text = messages.map((item) => readText(item['content'])).join('');
  return {
    text: text === '' ? readText(response['output_text']) : text,
    reasoning: thoughts
      .flatMap((item) => [...filterObjects(item['summary']), ...filterObjects(item['content'])])
      .map((part) => readText(part['text']))
      .join('\n\n'),
  };
}

/** Parses an event of spec section 6.2; details that it does not show follow the public protocol. */
function parseMessagesEvent(data: JsonObject, type: string): ParsedAnswer {
  switch (type) {
    case 'content_block_start':
      return parseBlock(asObject(data['content_block']) ?? {});
    case 'content_block_delta':
      return parseBlock(asObject(data['delta']) ?? {});
    case 'message_delta': {
      const finish = nonEmptyString(asObject(data['delta'])?.['stop_reason']);
      return { finish, cost: findCost(data['usage']) };
    }
    case 'message_stop':
      return { last: true };
    case 'error':
      return { error: parseErrorBody(data) ?? toReportedError(data), last: true };
    default:
      return parseMessage(asObject(data['message']) ?? data);
  }
}

function parseMessage(message: JsonObject): ParsedAnswer {
  const blocks = filterObjects(message['content']).map(parseBlock);
  return {
    text: blocks.map(({ text = '' }) => text).join(''),
    reasoning: blocks.map(({ reasoning = '' }) => reasoning).join(''),
    model: nonEmptyString(message['model']),
    finish: nonEmptyString(message['stop_reason']),
    error: parseErrorBody(message),
    cost: findCost(message['usage']),
  };
}

/** Parses a block of a message, or a part of one. */
function parseBlock(block: JsonObject): ParsedAnswer {
  return { text: readText(block['text']), reasoning: readText(block['thinking']) };
}

/** Returns a text, or the joined texts of a list of parts. */
function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  return filterObjects(content)
    .map((part) => readText(part['text']) + readText(part['refusal']))
    .join('');
}

const COST = /cost|price|charge/iu;

/** Finds a cost in the usage of an answer. The spec defines none, so the name of the field is returned as well. */
function findCost(usage: unknown): Answer['cost'] {
  const fields = Object.entries(asObject(usage) ?? {}).filter(
    ([name, value]) => COST.test(name) && !/token/iu.test(name) && isAmount(value),
  );
  const [name, amount] = fields.find(([one]) => /^(?:total_)?cost$/iu.test(one)) ?? fields[0] ?? [];
  return isAmount(amount) ? { amount, field: `usage.${name}` } : null;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
