import { z } from 'zod';
import { TextProtocol } from '../chat/chat.ts';
import { EarlierMessages, MAX_BODY_HITS } from '../exchange/body.ts';
import { EndedBy, ExchangeId, RunId } from '../exchange/exchange.ts';
import { Cost } from '../money/cost.ts';
import { Usage } from '../exchange/usage.ts';

/** A call of a tool in an answer. `input`: the beginning of its arguments. */
export const StepCall = z.object({
  id: z.string().nullable(),
  name: z.string(),
  input: z.string(),
});
export type StepCall = z.infer<typeof StepCall>;

/** The result of a tool that a request sends for the first time. `text`: its beginning; `length` in characters. */
export const StepResult = z.object({
  callId: z.string().nullable(),
  name: z.string().nullable(),
  isError: z.boolean(),
  text: z.string(),
  length: z.number().int(),
});
export type StepResult = z.infer<typeof StepResult>;

/** A name with a number of characters. */
const NamedLength = z.object({ name: z.string(), length: z.number().int() });

/** The parts of a request, in characters of its JSON. */
export const ContextParts = z.object({
  system: z.number().int(),
  tools: z.number().int(),
  /** Messages that the request before had, too. */
  history: z.number().int(),
  newest: z.number().int(),
  /** The largest definitions of tools, and the largest results of tools, at most five of each. */
  largestTools: z.array(NamedLength),
  largestResults: z.array(NamedLength),
});
export type ContextParts = z.infer<typeof ContextParts>;

/** Which tools of a request are others than those before. At most eight names each. */
export const ToolChanges = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  /** Whether those that stayed are in another order. */
  reordered: z.boolean(),
  /** Names beyond those listed. */
  more: z.number().int(),
});
export type ToolChanges = z.infer<typeof ToolChanges>;

/** The first difference to the request before it, other than something added at the end. Versions before had only the first five fields. */
export const StepChange = z.object({
  part: z.enum(['tools', 'system', 'message']),
  /** Place of the message that differs, from 0; the place of the tool for `tools`; that of the text for `system`. */
  place: z.number().int(),
  /** Its role or its name, where it has one. */
  name: z.string().nullable(),
  /** The lines with the first character that differs, before and now; an empty text where it is missing. */
  before: z.string(),
  now: z.string(),
  /**
   * `shortened`: the history has fewer messages than before, as after a compaction. `newest`: only the newest messages of the request
   * before are others now. `key order`: only the order of the keys of its JSON differs.
   */
  kind: z.enum(['changed', 'shortened', 'newest', 'key order']).default('changed'),
  tools: ToolChanges.nullable().default(null),
  /** The first character of the text that differs, from 1; `null` where no text differs. */
  character: z.number().int().nullable().default(null),
  /** Its offset in the request that was sent; `null` where masked secrets or missing parts before it hide it. */
  byte: z.number().int().nullable().default(null),
  /** What differs, where that is obvious. */
  looksLike: z.enum(['date', 'time', 'id', 'path', 'number']).nullable().default(null),
});
export type StepChange = z.infer<typeof StepChange>;

/** A field of a request that services may cache by. Its values are JSON, cut; `null` where it is missing. */
export const ParameterChange = z.object({
  name: z.string(),
  before: z.string().nullable(),
  now: z.string().nullable(),
});
export type ParameterChange = z.infer<typeof ParameterChange>;

/** How a request compares with an earlier one of the same agent and purpose, whose cache it may read. */
export const StepComparison = z.object({
  with: ExchangeId,
  /** How long the service keeps the cache of that one while nobody reads it; `null` where it does not say what it writes. */
  lifeMs: z.number().nullable(),
  /** Whether the request has an answer after the messages of that one, so that it cannot have begun before it. */
  follows: z.boolean(),
  /** Whether everything was compared: no part of either request is missing. */
  isWhole: z.boolean(),
  /** Whether both the system prompt and the tools are others, as those of another agent. */
  isOtherAgent: z.boolean(),
  parameters: z.array(ParameterChange),
});
export type StepComparison = z.infer<typeof StepComparison>;

/** What the service itself says of its cache, where it was asked. `reason`: its own word for a change; `missed` in tokens. */
export const CacheDiagnosis = z.object({
  kind: z.enum(['changed', 'hit', 'pending', 'not-found', 'unavailable']),
  reason: z.string().nullable(),
  missed: z.number().int().nullable(),
});
export type CacheDiagnosis = z.infer<typeof CacheDiagnosis>;

/** The facts of an exchange that a step has. Times in milliseconds. */
export const StepFacts = z.object({
  protocol: TextProtocol,
  clientName: z.string().nullable(),
  model: z.string().nullable(),
  status: z.number().int().nullable(),
  errorCode: z.string().nullable(),
  endedBy: EndedBy,
  durationMs: z.number(),
  firstByteMs: z.number().nullable(),
  /** The part of both times for which a person let the request wait; absent for none. */
  heldMs: z.number().optional(),
  usage: Usage,
});
export type StepFacts = z.infer<typeof StepFacts>;

/** A step of a run: one exchange with a model. Texts are cut to a few hundred characters. */
export const RunStep = StepFacts.extend({
  id: ExchangeId,
  /** Unix time in milliseconds. */
  startedAt: z.number().int(),
  /** The text that the user, or the program in the user's name, added since the step before; `null` for none. */
  prompt: z.string().nullable(),
  results: z.array(StepResult),
  /** Results beyond those listed. */
  moreResults: z.number().int(),
  answer: z.string().nullable(),
  calls: z.array(StepCall),
  moreCalls: z.number().int(),
  /** The reason why the answer ended, as the protocol names it. */
  finish: z.string().nullable(),
  /** The message of an error that the response reports. */
  error: z.string().nullable(),
  context: ContextParts,
  change: StepChange.nullable(),
  /** `null` when there was nothing to compare with. Versions before did not record it. */
  comparison: StepComparison.nullish(),
  /**
   * The messages before its own, which it did not send because the service has stored them, as in `EarlierMessages`; `null` when it sent
   * its whole conversation. All that is said about its messages includes them.
   */
  earlier: EarlierMessages.pick({ count: true, start: true }).nullable().default(null),
  /** `null` when the service says nothing. Versions before did not record it. */
  diagnosis: CacheDiagnosis.nullable().default(null),
  /** What it is for, as its client says. Versions before did not record it. */
  requestClass: z.string().nullable().default(null),
  /** Whether its messages are those of the step before, as in a retry. */
  repeated: z.boolean(),
});
export type RunStep = z.infer<typeof RunStep>;

/**
 * Steps of which each continues the messages of the one before. `main`: the agent itself. `agent`: one that a tool call of the run
 * started. `helper`: requests without tools beside it, such as one for a title. `continued`: the run with a shortened or edited history.
 */
export const RunSequence = z.object({
  id: z.number().int(),
  kind: z.enum(['main', 'agent', 'helper', 'continued']),
  /** The step whose tool call started it; `null` when it is not known. */
  startedBy: ExchangeId.nullable(),
  steps: z.array(RunStep),
});
export type RunSequence = z.infer<typeof RunSequence>;

const Sum = z.number().nullable();

/** A run: the exchanges of one task of an agent, as far as their requests and responses are stored. */
export const RunSummary = z.object({
  id: RunId,
  /** The beginning of the task in the words of the user. */
  title: z.string(),
  clientName: z.string().nullable(),
  /** The id that the client gave; `null` when the run was recognised by its messages. */
  conversation: z.string().nullable(),
  models: z.array(z.string()),
  startedAt: z.number().int(),
  /** Unix time in milliseconds at which its latest response ended. */
  endedAt: z.number().int(),
  steps: z.number().int(),
  failed: z.number().int(),
  /** Whether its agent got its latest answer whole: earlier failures were overcome. */
  endedWell: z.boolean(),
  calls: z.number().int(),
  /** Totals in tokens; `null` when no step has that number. */
  input: Sum,
  output: Sum,
  cacheRead: Sum,
  /** Number of pinned steps. */
  pinned: z.number().int(),
});
export type RunSummary = z.infer<typeof RunSummary>;

/** Where a run has the exchanges that were asked for: the first of them, its number in its sequence from 1, and how many there are. */
export const RunMatch = z.object({
  id: ExchangeId,
  kind: RunSequence.shape.kind,
  number: z.number().int(),
  steps: z.number().int(),
});
export type RunMatch = z.infer<typeof RunMatch>;

/** A page of runs, the latest first. `next` is the `before` of the next page; `null` at the end. */
export const RunPage = z.object({
  runs: z.array(RunSummary),
  /** By the id of a run, where the filter asks for exchanges. */
  matches: z.record(z.string(), RunMatch).default({}),
  next: z.string().nullable(),
});
export type RunPage = z.infer<typeof RunPage>;

/** A run with what its exchanges cost together; those of the sandbox count only in a run that has no others. */
export const ListedRun = RunSummary.extend({
  money: z.object({
    /** Millionths of the currency: the costs that are known. */
    cost: Sum,
    /** Number of exchanges whose cost is an estimate, and of those whose cost is not known: the total lacks the last. */
    costEstimated: z.number().int(),
    unpriced: z.number().int(),
    /** Whether it is that of the sandbox, which charges nothing. */
    isFree: z.boolean(),
  }),
});
export type ListedRun = z.infer<typeof ListedRun>;

/** A page of runs with their costs. */
export const ListedRunPage = RunPage.extend({ runs: z.array(ListedRun) });
export type ListedRunPage = z.infer<typeof ListedRunPage>;

/** Which runs are listed. */
export const RunFilter = z.object({
  /** Words in the title, client, conversation or model. */
  text: z.string().trim().max(200).optional(),
  /** Lists runs of a single request without tools, too. */
  single: z.boolean().optional(),
  /** Lists only runs with one of these exchanges, such as those that a search in bodies found. */
  exchanges: z.array(ExchangeId).max(MAX_BODY_HITS).optional(),
});
export type RunFilter = z.infer<typeof RunFilter>;

export const RunDetail = z.object({
  run: RunSummary,
  /** In the order in which they began; at most 1,000 steps in all. */
  sequences: z.array(RunSequence),
  /** Steps beyond those listed. */
  moreSteps: z.number().int(),
});
export type RunDetail = z.infer<typeof RunDetail>;

/** Why a cache missed. `text`: one clause for people. */
export const CacheCause = z.object({
  kind: z.enum([
    'service',
    'model',
    'parameters',
    'tools',
    'system',
    'message',
    'newest',
    'at-once',
    'expired',
    'sampling',
    'key-order',
    'evicted',
    'unknown',
  ]),
  text: z.string(),
});
export type CacheCause = z.infer<typeof CacheCause>;

/** Tokens that were read again at the full price although an earlier request had them. */
export const CacheMiss = z.object({
  lost: z.number().int(),
  /** At least one, the likeliest first. */
  causes: z.array(CacheCause),
});
export type CacheMiss = z.infer<typeof CacheMiss>;

/** `cost`: about what they cost beyond the price of cached input, in millionths; `null` when no price is known, and for the sandbox. */
export const CostedMiss = CacheMiss.extend({ cost: z.number().int().nonnegative().nullable() });
export type CostedMiss = z.infer<typeof CostedMiss>;

/** What the cache misses of a run come to. `cost`: those that are known; `unpriced`: the number of the others, without those of the sandbox. */
export const MissSum = z.object({
  times: z.number().int(),
  lost: z.number().int(),
  cost: Sum,
  unpriced: z.number().int(),
});
export type MissSum = z.infer<typeof MissSum>;

/** A run with what its steps cost, by the id of a step; steps with nothing to pay are left out. */
export const CostedRun = RunDetail.extend({
  /** The steps at which the cache missed, by their ids. */
  misses: z.record(z.string(), CostedMiss),
  missed: MissSum,
  /** `service`: the stable id of the one that the step went to; `null` when it is not known. */
  costs: z.record(z.string(), Cost.extend({ service: z.string().nullable() })),
  /** Whether the history finds its steps by its id; it does not find those from before runs were recorded there. */
  isInHistory: z.boolean(),
});
export type CostedRun = z.infer<typeof CostedRun>;

/** A piece of a run that is written as a fixture for the sandbox. The numbers are those so far. */
export const FixtureChunk = z.object({
  text: z.string(),
  steps: z.number().int(),
  /** Steps that are left out, because their response is not kept whole, or because the run has too many. */
  skipped: z.number().int(),
  /** Secrets in the responses that are masked. */
  masked: z.number().int(),
});
export type FixtureChunk = z.infer<typeof FixtureChunk>;

/**
 * What the history has of a step: the run of its place, `null` while it has none, and the names of the tools that it calls or whose
 * results it brings, without repetition.
 */
export interface RecognisedStep {
  readonly id: ExchangeId;
  readonly run: RunId | null;
  readonly tools: readonly string[];
}

/** The place of an exchange in its run. */
export const StepPlace = z.object({
  run: RunId,
  title: z.string(),
  /** Its number in its sequence, from 1. */
  number: z.number().int(),
  step: RunStep,
  /** The step before it in its sequence; `null` for the first. */
  before: RunStep.pick({ id: true }).nullable(),
  /** The step whose cache it may have read; `null` when there is none. */
  compared: RunStep.nullable(),
});
export type StepPlace = z.infer<typeof StepPlace>;

/** The place of an exchange in its run, and whether the cache missed. */
export const CostedPlace = StepPlace.omit({ compared: true }).extend({
  miss: CostedMiss.nullable(),
});
export type CostedPlace = z.infer<typeof CostedPlace>;
