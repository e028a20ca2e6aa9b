import { randomUUID } from 'node:crypto';
import type { AnswerSize, Effect } from '../scenarios/effect.ts';
import type { SeenImage } from './images.ts';
import type { ServedModel } from '../models.ts';
import { countTokens, splitTokens } from './tokens.ts';
import { type ToolCall, type ToolOffer, callTool } from './tools.ts';

/** What a model was asked, the same for all three protocols. */
export interface Prompt {
  readonly model: ServedModel;
  /** Everything textual the model reads: system instructions, every message, tool results. */
  readonly texts: readonly string[];
  /** Text of the last turn when a user speaks there, otherwise empty. */
  readonly question: string;
  readonly tools: readonly ToolOffer[];
  readonly maxTokens: number | undefined;
  readonly images: readonly SeenImage[];
  readonly scenario: Effect;
  /** Never repeated in the text. */
  readonly secret: string;
}

/** Token counts. `input` includes `cached`, `output` includes `reasoning`. */
interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
  /** What the answer cost, where it is told. */
  readonly cost: number | undefined;
}

/** What the model says: text in the pieces a stream sends, or one tool call. */
export interface Reply {
  readonly id: string;
  /** Pieces of reasoning that come before the text. */
  readonly thoughts: readonly string[];
  readonly pieces: readonly string[];
  readonly tool: ToolCall | undefined;
  readonly stop: 'end' | 'length' | 'tool';
  readonly usage: ReplyUsage;
}

const GIST_LENGTH = 80;
const PIECE_BYTES = 8192;
/** Tokens that cost 1, whatever the currency. */
const TOKENS_PER_UNIT = 1_000_000;
const REASONING_TEXT =
  'The sandbox looks at the question, finds nothing to compute and repeats it.';

/** Deterministic but for its id: the same prompt always gets the same words and the same counts. */
export function composeReply(prompt: Prompt): Reply {
  const { size } = prompt.scenario;
  const tool = /\btools?\b/i.test(prompt.question) ? callTool(prompt.tools) : undefined;
  if (tool) {
    return finishReply(prompt, { tool, pieces: [], tokens: countTokens([tool.name, tool.input]) });
  }
  if (size) return finishReply(prompt, composeUnusual(size));
  const all = splitTokens(composeText(prompt));
  const pieces = all.slice(0, prompt.maxTokens);
  return finishReply(prompt, { pieces, tokens: pieces.length, cut: pieces.length < all.length });
}

interface ReplyDraft {
  readonly tool?: ToolCall;
  readonly pieces: readonly string[];
  readonly tokens: number;
  readonly cut?: boolean;
}

/** An unusual length is what the scenario promises, so it goes beyond `maxTokens`. */
function composeUnusual(size: AnswerSize): ReplyDraft {
  if ('tokens' in size) {
    const pieces = Array.from({ length: size.tokens }, (_, n) => ` word${n % 10}`);
    return { pieces, tokens: size.tokens };
  }
  const piece = ' sandbox'.repeat(PIECE_BYTES / 8);
  const count = (size.mebibytes * 2 ** 20) / PIECE_BYTES;
  const pieces = Array.from({ length: count }, () => piece);
  return { pieces, tokens: count * countTokens([piece]) };
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
    pieces: draft.pieces,
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

/** The same words over and over, each a token. */
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
  const asked = shortenQuestion(prompt);
  const said = asked === '' ? 'You gave me no question' : `You said: “${asked}”`;
  return `Hello from the sandbox 👋, standing in for ${prompt.model.id}. ${said}. ${describeImages(prompt)}A real model would answer here.`;
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
