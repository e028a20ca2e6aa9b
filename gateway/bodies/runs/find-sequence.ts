/** A sequence as it is known when the next request arrives. Times in Unix milliseconds. */
export interface SequenceState {
  readonly id: number;
  readonly run: string;
  /** The id that the client gave to the run; `null` when it gave none. */
  readonly conversation: string | null;
  /** The id that the client gave to its agent; `undefined` for a sequence of a version that did not record it. */
  readonly agent?: string | null | undefined;
  /** When its first request arrived, and when its latest response ended. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Digests of the messages of its latest request. */
  readonly chain: readonly string[];
  readonly hasTools: boolean;
  /** The beginning of its first text, as `toPrompt` makes it. */
  readonly prompt: string;
  /** Ids of the tool calls in its latest answer. */
  readonly callIds: readonly string[];
  /** Whether its latest request was answered whole. */
  readonly answered: boolean;
  /** Texts that its tool calls passed on, as `toPrompt` makes them, each with the exchange of the call. */
  readonly prompts: readonly { readonly text: string; readonly step: string }[];
}

/** A request that is to be placed. */
export interface NewRequest {
  readonly conversation: string | null;
  /** The run of its session; `null` when the client names none. */
  readonly run: string | null;
  /** The id that the client gives to its agent. */
  readonly agent: string | null;
  /** Whether another agent started that one, as its client says. */
  readonly isSubagent: boolean;
  readonly startedAt: number;
  readonly chain: readonly string[];
  readonly hasTools: boolean;
  readonly prompt: string;
  /** Ids of all tool calls in its messages. */
  readonly callIds: ReadonlySet<string>;
  /** The sequence with the exchange whose response it continues; `null` for none. */
  readonly continued: ContinuedSequence | null;
}

/** A sequence with an exchange whose response a request continues. `isLatest`: whether that exchange is the latest one there. */
export interface ContinuedSequence {
  readonly sequence: SequenceState & { readonly kind: SequenceKind };
  readonly isLatest: boolean;
}

export type SequenceKind = 'main' | 'agent' | 'helper' | 'continued';

/** The place of a request. `common`: number of messages at the start that it shares with the latest request of the sequence. */
export type Placement =
  | { readonly at: 'sequence'; readonly sequence: SequenceState; readonly common: number }
  | {
      readonly at: 'run';
      readonly run: string;
      readonly kind: SequenceKind;
      /** The exchange whose tool call started it. */
      readonly startedBy: string | null;
    }
  | { readonly at: 'new run' };

/** How long a tool call can be followed by the first request of its agent, when the client names no run. */
export const AGENT_DELAY_MS = 600_000;
/** How far requests for a title and the like are from the task, when the client names no run. */
const HELPER_DELAY_MS = 120_000;
const MIN_SHARED = 2;
/** Length of a text that is compared to find the task that a tool call passed on. */
const PROMPT_LENGTH = 120;
const MIN_AGENT_PROMPT = 12;
const MIN_HELPER_PROMPT = 6;

/** Returns the beginning of a text, in a form in which white space makes no difference. */
export function toPrompt(text: string): string {
  return text
    .slice(0, 8 * PROMPT_LENGTH)
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .slice(0, PROMPT_LENGTH);
}

/**
 * Finds the place of a request among the latest sequences of its client, the latest first. A request continues the sequence whose
 * tool calls or messages it has. Otherwise it begins a new one: in the run that the client names, else in the run whose tool call
 * passed on its text (some programs give the agents that they start ids of their own), else in a run of its own. A request that continues
 * a stored response has its place by that, unless its client names another run or agent.
 */
export function findPlacement(request: NewRequest, sequences: readonly SequenceState[]): Placement {
  const candidates = sequences.filter(
    ({ conversation, run }) => conversation === request.conversation || run === request.run,
  );
  return (
    findResponse(request) ??
    findContinued(request, candidates) ??
    (request.conversation === null
      ? findRelated(request, candidates)
      : (findNamed(request, candidates) ?? findStarting(request, sequences))) ?? { at: 'new run' }
  );
}

/** Places a request by the response that it continues. One that continues an earlier response than the latest is a branch of the run. */
function findResponse(request: NewRequest): Placement | null {
  const { continued, conversation } = request;
  if (continued === null || isOther(continued.sequence, request)) return null;
  const { sequence, isLatest } = continued;
  const { run, kind } = sequence;
  const isNamed = conversation !== null && conversation !== sequence.conversation;
  if (isNamed && run !== request.run) return null;
  const common = countCommon(sequence.chain, request.chain);
  const isAgain = common === sequence.chain.length && common === request.chain.length;
  if (isLatest || (isAgain && !sequence.answered)) return { at: 'sequence', sequence, common };
  return { at: 'run', run, kind: kind === 'main' ? 'continued' : kind, startedBy: null };
}

function findContinued(
  request: NewRequest,
  candidates: readonly SequenceState[],
): Placement | null {
  let best: { sequence: SequenceState; common: number; rank: number } | null = null;
  for (const sequence of candidates) {
    if (isOther(sequence, request)) continue;
    const common = countCommon(sequence.chain, request.chain);
    const rank = rankContinuation(sequence, request, common);
    if (rank === 0) continue;
    const isBetter =
      best === null || rank > best.rank || (rank === best.rank && common > best.common);
    if (isBetter) best = { sequence, common, rank };
  }
  return best === null ? null : { at: 'sequence', sequence: best.sequence, common: best.common };
}

/** Returns how certainly a request continues a sequence; 0 when it does not. */
function rankContinuation(sequence: SequenceState, request: NewRequest, common: number): number {
  const { chain, callIds, answered, conversation } = sequence;
  if (callIds.some((id) => request.callIds.has(id))) return 3;
  if (chain.length === 0) return 0;
  if (common === chain.length) {
    if (request.chain.length > chain.length) return 2;
    // The same request again is a retry when the one before failed; otherwise somebody asks again.
    return answered && conversation === null ? 0 : 1;
  }
  const messages = new Set(request.chain);
  const shared = chain.filter((digest) => messages.has(digest)).length;
  return shared >= MIN_SHARED && 2 * shared >= chain.length ? 1 : 0;
}

function countCommon(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length);
  let common = 0;
  while (common < length && one[common] === other[common]) common += 1;
  return common;
}

/** Whether a sequence is certainly that of another agent than the one that sent a request. */
function isOther({ agent }: SequenceState, request: NewRequest): boolean {
  return agent !== undefined && agent !== request.agent;
}

/** Places a request in the run that its client names. */
function findNamed(request: NewRequest, candidates: readonly SequenceState[]): Placement | null {
  const [latest] = candidates;
  if (latest === undefined) return null;
  const inRun = candidates.filter(({ run }) => run === latest.run);
  const startedBy = findCaller(request, inRun);
  const hasMain = inRun.some(({ hasTools }) => hasTools);
  const isAnother =
    hasMain && request.agent !== null && inRun.every((one) => isOther(one, request));
  if (startedBy !== null || request.isSubagent || isAnother)
    return { at: 'run', run: latest.run, kind: 'agent', startedBy };
  const kind = hasMain ? (request.hasTools ? 'continued' : 'helper') : toFirstKind(request);
  return { at: 'run', run: latest.run, kind, startedBy: null };
}

/** Places a request of a client that names no runs: by the text of a tool call, or by the text of the task. */
function findRelated(request: NewRequest, candidates: readonly SequenceState[]): Placement | null {
  const started = findStarting(request, candidates);
  if (started !== null) return started;
  if (request.prompt.length < MIN_HELPER_PROMPT) return null;
  const related = candidates.find(
    ({ startedAt, hasTools, prompt }) =>
      Math.abs(request.startedAt - startedAt) <= HELPER_DELAY_MS &&
      hasTools !== request.hasTools &&
      prompt.length >= MIN_HELPER_PROMPT &&
      (prompt.includes(request.prompt) || request.prompt.includes(prompt)),
  );
  if (related === undefined) return null;
  return { at: 'run', run: related.run, kind: toFirstKind(request), startedBy: null };
}

/** Places a request in the run whose tool call passed on its text. */
function findStarting(request: NewRequest, sequences: readonly SequenceState[]): Placement | null {
  for (const sequence of sequences) {
    if (Math.abs(request.startedAt - sequence.endedAt) > AGENT_DELAY_MS) continue;
    const startedBy = findCaller(request, [sequence]);
    if (startedBy !== null) return { at: 'run', run: sequence.run, kind: 'agent', startedBy };
  }
  return null;
}

function toFirstKind({ hasTools }: NewRequest): SequenceKind {
  return hasTools ? 'main' : 'helper';
}

/** Finds the step whose tool call passed on the text with which a request begins. */
function findCaller(request: NewRequest, sequences: readonly SequenceState[]): string | null {
  if (request.prompt.length < MIN_AGENT_PROMPT) return null;
  for (const { prompts } of sequences) {
    const found = prompts.findLast(
      ({ text }) => text.includes(request.prompt) || request.prompt.includes(text),
    );
    if (found !== undefined) return found.step;
  }
  return null;
}
