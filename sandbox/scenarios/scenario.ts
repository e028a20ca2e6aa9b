import type { Effect, ScenarioDefinition } from './effect.ts';
import { invalid } from '../http/errors.ts';
import {
  serverFailure,
  echoKey,
  forbidden,
  rejectCacheQuestion,
  rejectStreamOptions,
  rejectTuning,
  tooManyRequests,
} from './refusals.ts';
import { VIDEO_SCENARIOS } from './video-scenarios.ts';

/** The combined scenario of a request. */
export interface Scenario extends Effect {
  /** The requested scenarios, each `NAME` or `NAME=N`. */
  readonly requested: readonly string[];
}

const MINUTES = 600_000;

/** All scenarios of a single request. Selected by `x-sandbox-scenario: NAME` or `NAME=N`, in the text, or by the model `sandbox/NAME`. */
export const SCENARIOS = [
  {
    name: 'slow-first-byte',
    description: 'The first byte of the answer comes after N milliseconds.',
    number: { default: 2000, max: MINUTES },
    effect: (n) => ({ delivery: { firstByteMs: n } }),
  },
  {
    name: 'slow-stream',
    description: 'The events of a stream come N milliseconds apart.',
    number: { default: 200, max: MINUTES },
    effect: (n) => ({ delivery: { betweenMs: n } }),
  },
  {
    name: 'silent-stream',
    description: 'After its fifth event a stream is silent for N milliseconds, then goes on.',
    number: { default: 20_000, max: MINUTES },
    effect: (n) => ({ delivery: { silenceMs: n } }),
  },
  {
    name: 'cut-stream',
    description:
      'The connection dies after N events of a stream, or half-way through a whole answer.',
    number: { default: 5, max: 1_000_000 },
    effect: (n) => ({ delivery: { ending: { kind: 'cut', after: n } } }),
  },
  {
    name: 'short-stream',
    description: 'A stream ends cleanly after N events, without its terminal event.',
    number: { default: 5, max: 1_000_000 },
    effect: (n) => ({ delivery: { ending: { kind: 'short', after: n } } }),
  },
  {
    name: 'unsaid-end',
    description: 'A stream is complete but for its terminal event, then ends cleanly.',
    effect: () => ({ delivery: { ending: { kind: 'unsaid' } } }),
  },
  {
    name: 'error-in-stream',
    description: 'After N events a stream reports an error in the form of its protocol and ends.',
    number: { default: 5, max: 1_000_000 },
    effect: (n) => ({ delivery: { ending: { kind: 'failed', after: n } } }),
  },
  {
    name: 'keep-open',
    description: 'The answer is complete but never ends: the caller must close the connection.',
    effect: () => ({ delivery: { ending: { kind: 'open' } } }),
  },
  {
    name: 'lost-answer',
    description: 'The work is done, but the connection dies before any byte of the answer.',
    effect: () => ({ delivery: { ending: { kind: 'lost' } } }),
  },
  {
    name: 'rate-limit',
    description:
      'The first N requests get 429 with Retry-After: 1, the next one succeeds, then it starts over. Requests with the same x-sandbox-token are counted together.',
    number: { default: 2, max: 1000 },
    effect: (n) => ({
      refuse: (input) => (input.refusedBefore < n ? tooManyRequests() : undefined),
    }),
  },
  {
    name: 'rate-limit-forever',
    description: 'Every request gets 429 with Retry-After: 1.',
    effect: () => ({ refuse: tooManyRequests }),
  },
  {
    name: 'error-500',
    description: 'Every request gets 500.',
    effect: () => ({ refuse: serverFailure }),
  },
  {
    name: 'forbidden',
    description: 'Every request gets 403: the key has no permission for the model.',
    effect: () => ({ refuse: forbidden }),
  },
  {
    name: 'bad-key-echo',
    description: 'Every request gets 401 with a message that repeats the key it was sent.',
    effect: () => ({ refuse: echoKey }),
  },
  {
    name: 'rejects-stream-options',
    description: 'A request with stream_options gets 400 that names the field; others succeed.',
    effect: () => ({ refuse: rejectStreamOptions }),
  },
  {
    name: 'rejects-tuning',
    description:
      'A request with a temperature or a token limit gets 400 that names the field; the limit that Messages requires is fine.',
    effect: () => ({ refuse: (input) => rejectTuning(input, 'named') }),
  },
  {
    name: 'rejects-tuning-silently',
    description: 'Like rejects-tuning, but the message names no field.',
    effect: () => ({ refuse: (input) => rejectTuning(input, 'unnamed') }),
  },
  {
    name: 'echo',
    description: 'The answer is the last text of the user, word for word.',
    effect: () => ({ echo: true }),
  },
  {
    name: 'reasons-aloud',
    description:
      'Reasoning in N chunks comes before the text. In Chat Completions it is called reasoning_content, or reasoning when N is odd.',
    number: { default: 12, min: 1, max: 10_000 },
    effect: (n) => ({ reasoning: n }),
  },
  {
    name: 'whole-think',
    description: 'The text begins with the reasoning between <think> and </think>.',
    effect: () => ({ thinkTag: true }),
  },
  {
    name: 'ignores-stream',
    description: 'The answer is no stream, although one was requested.',
    effect: () => ({ ignoresStream: true }),
  },
  {
    name: 'tells-usage-cost',
    description: 'The usage of a text answer includes its cost.',
    effect: () => ({ usageCost: true }),
  },
  {
    name: 'caches-input',
    description:
      'N percent of the input are read from a cache, and N percent are written to it. Messages reports half of what is written as kept for an hour.',
    number: { default: 40, min: 1, max: 50 },
    effect: (n) => ({ cachesPercent: n }),
  },
  {
    name: 'explains-cache',
    description:
      'A request of Messages or Responses that asks why its cache missed is compared with the earlier one that it names, and the answer has the reason.',
    effect: () => ({ explainsCache: true }),
  },
  {
    name: 'rejects-cache-question',
    description: 'A request that asks why its cache missed gets 400 that names the field.',
    effect: () => ({ refuse: rejectCacheQuestion }),
  },
  {
    name: 'usage-apart',
    description:
      'A chat stream sends its usage in one more chunk without choices, as the public protocol does.',
    effect: () => ({ usageApart: true }),
  },
  {
    name: 'html',
    description: 'The answer is an HTML page with status 200.',
    effect: () => ({ page: true }),
  },
  {
    name: 'huge-answer',
    description: 'The answer is N MiB long.',
    number: { default: 4, max: 64 },
    effect: (n) => ({ size: { mebibytes: n } }),
  },
  {
    name: 'burst',
    description: 'The answer has N words, one per event, as fast as they can be written.',
    number: { default: 1000, max: 100_000 },
    effect: (n) => ({ size: { tokens: n } }),
  },
  {
    name: 'odd-chunks',
    description:
      'A stream has CRLF line ends and is written N bytes at a time, also inside a character.',
    number: { default: 3, min: 1, max: 65_536 },
    effect: (n) => ({ delivery: { oddBytes: n } }),
  },
  {
    name: 'random-chunks',
    description:
      'An answer is written in pieces of 1 to 300 bytes that begin and end anywhere. The same N gives the same lengths.',
    number: { default: 1, max: 2 ** 31 - 1 },
    effect: (n) => ({ delivery: { pieces: n } }),
  },
  {
    name: 'gzip',
    description: 'Answers and streams are compressed by the first encoding the caller accepts.',
    effect: () => ({ delivery: { compressed: true } }),
  },
  {
    name: 'redirect-loop',
    description: 'The content of a finished video redirects to itself.',
    effect: () => ({ redirectLoop: true }),
  },
] as const satisfies readonly ScenarioDefinition[];

export type ScenarioName = (typeof SCENARIOS)[number]['name'];

const MAX_GATE = 1000;

/** The scenarios by which a caller decides when an answer or a render goes on. */
export const GATE_SCENARIOS: readonly ScenarioDefinition[] = [
  {
    name: 'gate',
    description:
      'A stream waits after its third event, a whole answer of a model before its first byte, and a render before its end, until gate N is open.',
    number: { default: 1, max: MAX_GATE },
    effect: (n) => ({ delivery: { gate: n }, task: { gate: n } }),
  },
  {
    name: 'open-gate',
    description: 'The request opens gate N, which stays open until the sandbox ends.',
    number: { default: 1, max: MAX_GATE },
    effect: (n) => ({ opens: n }),
  },
];

const DEFINITIONS: readonly ScenarioDefinition[] = [
  ...SCENARIOS,
  ...GATE_SCENARIOS,
  ...VIDEO_SCENARIOS,
];

/**
 * Combines the requested scenarios; where they disagree the last one counts.
 * @throws RefusalError 400 for anything but a known `NAME` or `NAME=N`.
 */
export function chooseScenario(requested: readonly string[]): Scenario {
  const usual: Scenario = { requested };
  return requested.map(toEffect).reduce<Scenario>(
    (all, one) => ({
      ...all,
      ...one,
      requested,
      delivery: { ...all.delivery, ...one.delivery },
      task: { ...all.task, ...one.task },
    }),
    usual,
  );
}

function toEffect(requested: string): Effect {
  const [name, digits] = splitNumber(requested);
  const definition = DEFINITIONS.find((candidate) => candidate.name === name);
  if (!definition) {
    const known = DEFINITIONS.map((candidate) => candidate.name).join(', ');
    throw invalid(`There is no scenario "${name}". Known: ${known}.`);
  }
  return definition.effect(parseNumber(definition, digits));
}

function splitNumber(requested: string): readonly [string, string | undefined] {
  const at = requested.indexOf('=');
  return at < 0 ? [requested, undefined] : [requested.slice(0, at), requested.slice(at + 1)];
}

function parseNumber(definition: ScenarioDefinition, digits: string | undefined): number {
  if (digits === undefined) return definition.number?.default ?? 0;
  if (!definition.number) throw invalid(`The scenario "${definition.name}" takes no number.`);
  const value = /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
  const { min = 0, max } = definition.number;
  if (!(value >= min && value <= max)) {
    throw invalid(
      `The number of "${definition.name}" must be a whole number from ${min} to ${max}.`,
    );
  }
  return value;
}
