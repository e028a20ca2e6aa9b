import { isObject, type JsonObject, toName, toObject, toText } from './json.ts';
import type { Part, ToolCall } from './parts.ts';

/** Depth from which parts within parts are not parsed. */
const MAX_DEPTH = 8;

/** Parses the content of a message of any of the three protocols: a text, a part, or a list of them. */
export function parseContent(content: unknown, depth = 0): readonly Part[] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  if (depth > MAX_DEPTH) return [{ kind: 'other', value: content }];
  if (Array.isArray(content)) return content.flatMap((one) => parseContent(one, depth + 1));
  return isObject(content) ? [parsePart(content, depth)] : [{ kind: 'other', value: content }];
}

/** Parses a part, or a block, by its `type`. */
function parsePart(part: JsonObject, depth: number): Part {
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return toTextPart(part, 'text', part['text']);
    case 'refusal':
      return toTextPart(part, 'text', part['refusal']);
    case 'thinking':
      return toTextPart(part, 'reasoning', part['thinking']);
    case 'summary_text':
    case 'reasoning_text':
      return toTextPart(part, 'reasoning', part['text']);
    case 'image_url':
    case 'input_image':
    case 'image':
      return toImage(part);
    case 'tool_use':
    case 'server_tool_use':
      return toCall({ id: part['id'], name: part['name'], input: part['input'] });
    case 'tool_result':
      return {
        kind: 'result',
        callId: toName(part['tool_use_id']),
        parts: parseContent(part['content'], depth + 1),
        isError: part['is_error'] === true,
      };
    default:
      return { kind: 'other', value: part };
  }
}

function toTextPart(part: JsonObject, kind: 'text' | 'reasoning', text: unknown): Part {
  return typeof text === 'string' ? { kind, text } : { kind: 'other', value: part };
}

function toImage(part: JsonObject): Part {
  const { image_url: image, source, file_id: file } = part;
  const { url, data, media_type: type, file_id: sourceFile } = toObject(source);
  const encoded = toName(data) === null ? null : `data:${toText(type)};base64,${toText(data)}`;
  const found =
    toName(image) ??
    toName(toObject(image)['url']) ??
    encoded ??
    toName(url) ??
    toName(sourceFile) ??
    toName(file);
  return found === null ? { kind: 'other', value: part } : { kind: 'image', source: found };
}

/** Creates a tool call. `input`: JSON as text, or the value itself. */
export function toCall(call: {
  readonly id: unknown;
  readonly name: unknown;
  readonly input: unknown;
}): ToolCall {
  const { id, name, input } = call;
  return {
    kind: 'call',
    id: toName(id),
    name: toName(name) ?? 'unnamed',
    input: typeof input === 'string' ? input : input === undefined ? '' : stringify(input),
    result: null,
  };
}

function stringify(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '(nested too deeply to show)';
  }
}

/** Parses a message of Chat Completions, also the one of a response. */
export function parseChatMessage(message: JsonObject): readonly Part[] {
  const { role, content, refusal, tool_calls: calls, function_call: call } = message;
  if (role === 'tool' || role === 'function') {
    const callId = toName(message['tool_call_id']) ?? toName(message['name']);
    return [{ kind: 'result', callId, parts: parseContent(content), isError: false }];
  }
  const reasoning = toName(message['reasoning_content']) ?? toName(message['reasoning']);
  return [
    ...(reasoning === null ? [] : [{ kind: 'reasoning' as const, text: reasoning }]),
    ...parseContent(content),
    ...(typeof refusal === 'string' ? parseContent(refusal) : []),
    ...(Array.isArray(calls) ? calls.map(parseChatCall) : []),
    ...(isObject(call)
      ? [toCall({ id: call['name'], name: call['name'], input: call['arguments'] })]
      : []),
  ];
}

function parseChatCall(value: unknown): Part {
  const call = toObject(value);
  const { name, arguments: input } = toObject(call['function'] ?? call['custom']);
  if (toName(name) === null) return { kind: 'other', value };
  return toCall({ id: call['id'], name, input: input ?? toObject(call['custom'])['input'] });
}

/** Returns the role of an item of Responses that names none. */
export function toItemRole(type: unknown): string {
  return typeof type === 'string' && type.endsWith('_output') ? 'tool' : 'assistant';
}

/** Parses an item of the input or the output of Responses. */
export function parseResponsesItem(item: JsonObject): readonly Part[] {
  const { type, call_id: callId, output } = item;
  switch (type) {
    case undefined:
    case 'message':
      return parseContent(item['content']);
    case 'reasoning':
      return parseReasoning(item);
    case 'function_call':
    case 'custom_tool_call':
      return [
        toCall({ id: callId, name: item['name'], input: item['arguments'] ?? item['input'] }),
      ];
    case 'function_call_output':
    case 'custom_tool_call_output':
      return [
        {
          kind: 'result',
          callId: toName(callId),
          parts: parseContent(output),
          isError: item['status'] === 'failed',
        },
      ];
    default:
      return [{ kind: 'other', value: item }];
  }
}

/** Joins the paragraphs of reasoning. One that is only encrypted has none. */
function parseReasoning(item: JsonObject): readonly Part[] {
  const found = [...parseContent(item['summary']), ...parseContent(item['content'])];
  const texts = found.flatMap((part) => ('text' in part ? [part.text] : []));
  if (texts.length === 0) return [{ kind: 'other', value: item }];
  return [{ kind: 'reasoning', text: texts.join('\n\n') }];
}
