import { randomUUID } from 'node:crypto';
import type { AnswerSize, Effect } from '../scenarios/effect.ts';
import type { PromptImage } from './images.ts';
import type { ServedModel } from '../models.ts';
import { countTokens, splitTokens } from './tokens.ts';
import { type ToolCall, type ToolDefinition, callTool } from './tools.ts';

/** The prompt of a request, independent of the protocol. */
export interface Prompt {
  readonly model: ServedModel;
  /** All texts that the model reads: system instructions, messages, tool results. */
  readonly texts: readonly string[];
  /** Text of the last turn if it is the user's, otherwise empty. */
  readonly question: string;
  readonly tools: readonly ToolDefinition[];
  readonly maxTokens: number | undefined;
  readonly images: readonly PromptImage[];
  readonly scenario: Effect;
  /** The API key, which is never repeated in the text. */
  readonly secret: string;
}

/** Token counts. `input` includes `cached`, `output` includes `reasoning`. */
interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  /** Cost of the answer; `undefined` unless a scenario reports it. */
  readonly cost: number | undefined;
}

/** The reply of the model: text in the chunks of a stream, or one tool call. */
export interface Reply {
  readonly id: string;
  /** Chunks of reasoning before the text. */
  readonly thoughts: readonly string[];
  readonly chunks: readonly string[];
  readonly tool: ToolCall | undefined;
  readonly stop: 'end' | 'length' | 'tool';
  readonly usage: ReplyUsage;
}

const GIST_LENGTH = 80;
const CHUNK_BYTES = 8192;
/** Number of tokens that cost 1 unit of any currency. */
const TOKENS_PER_UNIT = 1_000_000;
const REASONING_TEXT =
  'The sandbox looks at the question, finds nothing to compute and repeats it.';

/** Composes the reply. Except for its id it is deterministic: the same prompt always gets the same text and usage. */
export function composeReply(prompt: Prompt): Reply {
  const { size } = prompt.scenario;
  const tool = /\btools?\b/i.test(prompt.question) ? callTool(prompt.tools) : undefined;
  if (tool) {
    return finishReply(prompt, { tool, chunks: [], tokens: countTokens([tool.name, tool.input]) });
  }
  if (size) return finishReply(prompt, composeUnusual(size));
  const tokens = splitTokens(composeText(prompt));
  const chunks = tokens.slice(0, prompt.maxTokens);
  return finishReply(prompt, { chunks, tokens: chunks.length, cut: chunks.length < tokens.length });
}

interface ReplyDraft {
  readonly tool?: ToolCall;
  readonly chunks: readonly string[];
  readonly tokens: number;
  readonly cut?: boolean;
}

/** Composes a reply of unusual length. It ignores `maxTokens`, because the scenario promises this length. */
function composeUnusual(size: AnswerSize): ReplyDraft {
  if ('tokens' in size) {
    const chunks = Array.from({ length: size.tokens }, (_, n) => ` word${n % 10}`);
    return { chunks, tokens: size.tokens };
  }
  const chunk = ' sandbox'.repeat(CHUNK_BYTES / 8);
  const count = (size.mebibytes * 2 ** 20) / CHUNK_BYTES;
  const chunks = Array.from({ length: count }, () => chunk);
  return { chunks, tokens: count * countTokens([chunk]) };
}

function finishReply(prompt: Prompt, draft: ReplyDraft): Reply {
  const { thinks } = prompt.model;
  const input = countTokens(prompt.texts);
  const thoughts = composeThoughts(prompt.scenario.reasoning ?? 0);
  const reasoning = thoughts.length || (thinks ? countTokens([REASONING_TEXT]) : 0);
  const output = draft.tokens + reasoning;
  return {
    id: randomUUID().replaceAll('-', ''),
    thoughts,
    chunks: draft.chunks,
    tool: draft.tool,
    stop: draft.tool ? 'tool' : draft.cut ? 'length' : 'end',
    usage: {
      input,
      output,
      cached: thinks ? Math.floor(input / 2) : 0,
      reasoning,
      cost: prompt.scenario.usageCost && (input + output) / TOKENS_PER_UNIT,
    },
  };
}

/** Repeats the words of the reasoning text; each is one token. */
function composeThoughts(count: number): readonly string[] {
  const tokens = splitTokens(` ${REASONING_TEXT}`);
  const [first = '', ...rest] = Array.from(
    { length: count },
    (_, n) => tokens[n % tokens.length] ?? '',
  );
  return count === 0 ? [] : [first.trimStart(), ...rest];
}

function composeText(prompt: Prompt): string {
  const thought = prompt.scenario.thinkTag ? `<think>\n${REASONING_TEXT}\n</think>\n\n` : '';
  return thought + (prompt.scenario.echo ? quoteQuestion(prompt) : composeUsualText(prompt));
}

function composeUsualText(prompt: Prompt): string {
  const question = shortenQuestion(prompt);
  const greeting = question === '' ? 'You gave me no question' : `You said: “${question}”`;
  return `Hello from the sandbox 👋, standing in for ${prompt.model.id}. ${greeting}. ${describeImages(prompt)}A real model would answer here.`;
}

function describeImages({ images }: Prompt): string {
  if (images.length === 0) return '';
  const list = images.map(({ type, bytes }) => `${type}, ${bytes} bytes`).join('; ');
  return `It sees ${images.length} ${images.length === 1 ? 'image' : 'images'} (${list}). `;
}

function quoteQuestion({ question, secret }: Prompt): string {
  return question.replaceAll(secret, '…');
}

function shortenQuestion(prompt: Prompt): string {
  const line = quoteQuestion(prompt).replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, GIST_LENGTH * 2));
  return characters.length <= GIST_LENGTH ? line : `${characters.slice(0, GIST_LENGTH).join('')}…`;
}
