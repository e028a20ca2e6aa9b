import { randomUUID } from 'node:crypto';
import type { ScriptedAnswer } from '../fixture/fixture.ts';
import type { AnswerSize, Effect } from '../scenarios/effect.ts';
import type { PromptImage } from './images.ts';
import type { ServedModel } from '../models.ts';
import { findShowpiece, type Showpiece } from './showpieces.ts';
import { countTokens, splitTokens } from './tokens.ts';
import { type ToolCall, type ToolDefinition, callTool, createCall } from './tools.ts';

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

/** Token counts. `input` includes `cached` and `written`, `written` includes `writtenHour`, `output` includes `reasoning`. */
export interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Tokens written to a cache. */
  readonly written: number;
  /** Those that it keeps for an hour, which only Messages reports. */
  readonly writtenHour: number;
  readonly reasoning: number;
  /** Cost of the answer; `undefined` unless a scenario reports it. */
  readonly cost: number | undefined;
}

/** The reply of the model: text in the chunks of a stream, and tool calls after it. At least one of the two is there, unless the text is empty. */
export interface Reply {
  readonly id: string;
  /** Chunks of reasoning before the text. */
  readonly thoughts: readonly string[];
  readonly chunks: readonly string[];
  readonly tools: readonly ToolCall[];
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
  if (tool) return finishReply(prompt, { tools: [tool], chunks: [], tokens: 0 });
  if (size) return finishReply(prompt, composeUnusual(size));
  const showpiece = chooseShowpiece(prompt);
  const tokens = splitTokens(composeText(prompt, showpiece));
  const chunks = tokens.slice(0, prompt.maxTokens);
  const cut = chunks.length < tokens.length;
  const thoughts = splitTokens(showpiece?.thoughts ?? '');
  return finishReply(prompt, { chunks, thoughts, tokens: chunks.length, cut });
}

/** Puts a scripted answer into the form of a reply. It is not cut at `maxTokens`. */
export function scriptReply(prompt: Prompt, { text, reasoning, tools }: ScriptedAnswer): Reply {
  const chunks = splitTokens(text);
  const calls = tools.map(({ name, input }) => createCall(name, input));
  const thoughts = splitTokens(reasoning);
  return finishReply(prompt, { chunks, thoughts, tools: calls, tokens: chunks.length });
}

interface ReplyDraft {
  readonly tools?: readonly ToolCall[];
  readonly chunks: readonly string[];
  /** Reasoning that belongs to the text. */
  readonly thoughts?: readonly string[];
  /** Number of tokens of the text. */
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
  const { cachesPercent = 0 } = prompt.scenario;
  const written = Math.floor((input * cachesPercent) / 100);
  const scenarioThoughts = composeThoughts(prompt.scenario.reasoning ?? 0);
  const thoughts = scenarioThoughts.length > 0 ? scenarioThoughts : (draft.thoughts ?? []);
  const reasoning = thoughts.length || (thinks ? countTokens([REASONING_TEXT]) : 0);
  const { tools = [] } = draft;
  const called = countTokens(tools.flatMap(({ name, input: json }) => [name, json]));
  const output = draft.tokens + called + reasoning;
  return {
    id: randomUUID().replaceAll('-', ''),
    thoughts,
    chunks: draft.chunks,
    tools,
    stop: tools.length > 0 ? 'tool' : draft.cut ? 'length' : 'end',
    usage: {
      input,
      output,
      cached: thinks && cachesPercent === 0 ? Math.floor(input / 2) : written,
      written,
      writtenHour: Math.floor(written / 2),
      reasoning,
      cost: prompt.scenario.usageCost && (input + output) / TOKENS_PER_UNIT,
    },
  };
}

/** Counts the tokens of reasoning that no stream shows; they are produced before its text. */
export function countHidden({ usage, thoughts }: Reply): number {
  return usage.reasoning - thoughts.length;
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

/** Chooses a showpiece for a question that nothing else determines the answer of. */
function chooseShowpiece({ scenario, images, question }: Prompt): Showpiece | undefined {
  return scenario.echo || images.length > 0 ? undefined : findShowpiece(question);
}

function composeText(prompt: Prompt, showpiece: Showpiece | undefined): string {
  const { echo, thinkTag } = prompt.scenario;
  const thought = thinkTag ? `<think>\n${REASONING_TEXT}\n</think>\n\n` : '';
  if (showpiece) return `${thought}${introduce(prompt)}\n\n${showpiece.text}`;
  return thought + (echo ? quoteQuestion(prompt) : composeUsualText(prompt));
}

function introduce({ model }: Prompt): string {
  return `*A prepared answer of the sandbox, standing in for ${model.id}.*`;
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
