import type { Answer, TextProtocol } from '../../shared/chat.ts';
import { type Fields, fieldsOf, listOf, saying } from './json.ts';

/** An error as a service reports it (spec section 7). */
export interface SaidError {
  readonly message: string | null;
  readonly code: string | null;
  /** The parameter to blame, where a service names it. */
  readonly param: string | null;
}

/** What one event of a stream says, or a whole answer. */
export interface Heard {
  /** To be put behind what came before. */
  readonly text?: string;
  readonly reasoning?: string;
  /** The whole of it, said once more at the end of a stream. */
  readonly whole?: { readonly text: string; readonly reasoning: string };
  readonly model?: string | null;
  readonly finish?: string | null;
  readonly error?: SaidError | null;
  readonly cost?: Answer['cost'];
  /** Nothing follows. */
  readonly last?: boolean;
}

/** Reads the data of one event, or a whole answer, by what it holds; `event` is the name of the event. Never throws. */
export function hear(protocol: TextProtocol, data: Fields, event: string | undefined): Heard {
  switch (protocol) {
    case 'chat':
      return chatHeard(data);
    case 'responses':
      return responsesHeard(data, saying(data['type']) ?? event ?? '');
    case 'messages':
      return messagesHeard(data, saying(data['type']) ?? event ?? '');
  }
}

/** The error that an object holds, in any of the three protocols. */
export function errorIn(data: Fields): SaidError | null {
  const { error } = data;
  if (typeof error === 'string') return { message: saying(error), code: null, param: null };
  const fields = fieldsOf(error);
  return fields === null ? null : saidError(fields);
}

function saidError(fields: Fields): SaidError {
  const { code, type } = fields;
  const told = typeof code === 'number' ? String(code) : saying(code);
  return {
    message: saying(fields['message']),
    code: told ?? saying(type),
    param: saying(fields['param']),
  };
}

/** Spec sections 2.2 and 2.3. A stream has a `delta` where a whole answer has its `message`; the names for reasoning are those in use. */
function chatHeard(data: Fields): Heard {
  const choices = listOf(data['choices']);
  const choice = choices.find(({ index }) => index === 0) ?? choices[0];
  const said = fieldsOf(choice?.['delta']) ?? fieldsOf(choice?.['message']);
  return {
    text: textOf(said?.['content']) + textOf(said?.['refusal']),
    reasoning: textOf(said?.['reasoning_content']) || textOf(said?.['reasoning']),
    model: saying(data['model']),
    finish: saying(choice?.['finish_reason']),
    error: errorIn(data),
    cost: costIn(data['usage']),
  };
}

const RESPONSE_ENDS = /^response\.(?:completed|incomplete|failed|cancelled|done)$/u;
const RESPONSE_TEXT = /^response\.(?:output_text|refusal)\.delta$/u;
const RESPONSE_REASONING = /^response\.reasoning\w*\.delta$/u;

/** The spec shows no answer of this protocol (sections 4.3 and 6.3): these are the names of the public one. */
function responsesHeard(data: Fields, type: string): Heard {
  if (RESPONSE_TEXT.test(type)) return { text: textOf(data['delta']) };
  if (RESPONSE_REASONING.test(type)) return { reasoning: textOf(data['delta']) };
  if (type === 'response.reasoning_summary_part.added') {
    return { reasoning: Number(data['summary_index']) > 0 ? '\n\n' : '' };
  }
  if (type === 'error') return { error: errorIn(data) ?? saidError(data), last: true };
  const response = fieldsOf(data['response']) ?? data;
  const model = saying(response['model']);
  const last = RESPONSE_ENDS.test(type);
  if (type.startsWith('response.') && !last) return { model };
  const reason = fieldsOf(response['incomplete_details'])?.['reason'];
  return {
    model,
    whole: outputOf(response),
    finish: saying(reason) ?? saying(response['status']),
    error: errorIn(response) ?? failedWithout(response),
    cost: costIn(response['usage']),
    last,
  };
}

function failedWithout({ status }: Fields): SaidError | null {
  return status === 'failed' ? { message: null, code: null, param: null } : null;
}

function outputOf(response: Fields): { text: string; reasoning: string } {
  const items = listOf(response['output']);
  const messages = items.filter(({ type }) => type === 'message');
  const thoughts = items.filter(({ type }) => type === 'reasoning');
  const text = messages.map((item) => textOf(item['content'])).join('');
  return {
    text: text === '' ? textOf(response['output_text']) : text,
    reasoning: thoughts
      .flatMap((item) => [...listOf(item['summary']), ...listOf(item['content'])])
      .map((part) => textOf(part['text']))
      .join('\n\n'),
  };
}

/** Spec section 6.2; what it does not show is as in the public protocol. */
function messagesHeard(data: Fields, type: string): Heard {
  switch (type) {
    case 'content_block_start':
      return blockHeard(fieldsOf(data['content_block']) ?? {});
    case 'content_block_delta':
      return blockHeard(fieldsOf(data['delta']) ?? {});
    case 'message_delta': {
      const finish = saying(fieldsOf(data['delta'])?.['stop_reason']);
      return { finish, cost: costIn(data['usage']) };
    }
    case 'message_stop':
      return { last: true };
    case 'error':
      return { error: errorIn(data) ?? saidError(data), last: true };
    default:
      return messageHeard(fieldsOf(data['message']) ?? data);
  }
}

function messageHeard(message: Fields): Heard {
  const blocks = listOf(message['content']).map(blockHeard);
  return {
    text: blocks.map(({ text = '' }) => text).join(''),
    reasoning: blocks.map(({ reasoning = '' }) => reasoning).join(''),
    model: saying(message['model']),
    finish: saying(message['stop_reason']),
    error: errorIn(message),
    cost: costIn(message['usage']),
  };
}

/** A block of a message, or a piece of one. */
function blockHeard(block: Fields): Heard {
  return { text: textOf(block['text']), reasoning: textOf(block['thinking']) };
}

/** A text, or the texts of a list of parts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => textOf(part['text']) + textOf(part['refusal']))
    .join('');
}

const COST = /cost|price|charge/iu;

/** A number that the usage of an answer gives under a name that says what it cost. The spec has none, so the name goes with it. */
function costIn(usage: unknown): Answer['cost'] {
  const fields = Object.entries(fieldsOf(usage) ?? {}).filter(
    ([name, value]) => COST.test(name) && !/token/iu.test(name) && isAmount(value),
  );
  const [name, amount] = fields.find(([one]) => /^(?:total_)?cost$/iu.test(one)) ?? fields[0] ?? [];
  return isAmount(amount) ? { amount, field: `usage.${name}` } : null;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
