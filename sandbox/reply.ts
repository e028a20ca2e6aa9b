import { randomUUID } from 'node:crypto';
import type { ServedModel } from './models.ts';
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
  readonly size: AnswerSize | undefined;
  /** Never repeated in the text. */
  readonly secret: string;
}

/** Asks for an unusual length: so many tokens one by one, or so many MiB in large pieces. */
export type AnswerSize = { readonly tokens: number } | { readonly mebibytes: number };

/** Token counts. `input` includes `cached`, `output` includes `reasoning`. */
interface ReplyUsage {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly reasoning: number;
}

/** What the model says: text in the pieces a stream sends, or one tool call. */
export interface Reply {
  readonly id: string;
  readonly pieces: readonly string[];
  readonly tool: ToolCall | undefined;
  readonly stop: 'end' | 'length' | 'tool';
  readonly usage: ReplyUsage;
}

const GIST_LENGTH = 80;
const PIECE_BYTES = 8192;
const REASONING_TEXT =
  'The sandbox looks at the question, finds nothing to compute and repeats it.';

/** Deterministic but for its id: the same prompt always gets the same words and the same counts. */
export function composeReply(prompt: Prompt): Reply {
  const tool = /\btools?\b/i.test(prompt.question) ? callTool(prompt.tools) : undefined;
  if (tool) {
    return finish(prompt, { tool, pieces: [], tokens: countTokens([tool.name, tool.input]) });
  }
  if (prompt.size) return finish(prompt, unusual(prompt.size));
  const all = splitTokens(words(prompt));
  const pieces = all.slice(0, prompt.maxTokens);
  return finish(prompt, { pieces, tokens: pieces.length, cut: pieces.length < all.length });
}

interface Draft {
  readonly tool?: ToolCall;
  readonly pieces: readonly string[];
  readonly tokens: number;
  readonly cut?: boolean;
}

/** An unusual length is what the scenario promises, so it goes beyond `maxTokens`. */
function unusual(size: AnswerSize): Draft {
  if ('tokens' in size) {
    const pieces = Array.from({ length: size.tokens }, (_, n) => ` word${n % 10}`);
    return { pieces, tokens: size.tokens };
  }
  const piece = ' sandbox'.repeat(PIECE_BYTES / 8);
  const count = (size.mebibytes * 2 ** 20) / PIECE_BYTES;
  const pieces = Array.from({ length: count }, () => piece);
  return { pieces, tokens: count * countTokens([piece]) };
}

function finish(prompt: Prompt, draft: Draft): Reply {
  const input = countTokens(prompt.texts);
  const thinking = prompt.model.thinks;
  const reasoning = thinking ? countTokens([REASONING_TEXT]) : 0;
  return {
    id: randomUUID().replaceAll('-', ''),
    pieces: draft.pieces,
    tool: draft.tool,
    stop: draft.tool ? 'tool' : draft.cut ? 'length' : 'end',
    usage: {
      input,
      output: draft.tokens + reasoning,
      cached: thinking ? Math.floor(input / 2) : 0,
      reasoning,
    },
  };
}

function words(prompt: Prompt): string {
  const asked = gist(prompt);
  const heard = asked === '' ? 'You gave me no question' : `You said: “${asked}”`;
  return `Hello from the sandbox 👋, standing in for ${prompt.model.id}. ${heard}. A real model would answer here.`;
}

function gist(prompt: Prompt): string {
  const line = prompt.question.replaceAll(prompt.secret, '…').replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(line.slice(0, GIST_LENGTH * 2));
  return characters.length <= GIST_LENGTH ? line : `${characters.slice(0, GIST_LENGTH).join('')}…`;
}
