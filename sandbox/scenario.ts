import type { Effect, Line } from './effect.ts';
import { invalid } from './errors.ts';
import {
  broken,
  echoKey,
  forbidden,
  rejectStreamOptions,
  rejectTuning,
  tooMany,
} from './refusals.ts';
import { VIDEO_SCENARIOS } from './video-scenarios.ts';

/** What a request runs under. */
export interface Scenario extends Effect {
  /** Each `NAME` or `NAME=N`. */
  readonly asked: readonly string[];
}

const MINUTES = 600_000;

/** Every way in which one request is answered out of the ordinary. `x-sandbox-scenario: NAME` or `NAME=N`, words in the text, or the model `sandbox/NAME`. */
export const SCENARIOS = [
  {
    name: 'slow-first-byte',
    says: 'The first byte of the answer comes after N milliseconds.',
    number: { usual: 2000, most: MINUTES },
    effect: (n) => ({ delivery: { firstByteMs: n } }),
  },
  {
    name: 'slow-stream',
    says: 'Between two events of a stream lie N milliseconds.',
    number: { usual: 200, most: MINUTES },
    effect: (n) => ({ delivery: { betweenMs: n } }),
  },
  {
    name: 'silent-stream',
    says: 'After its fifth event a stream is silent for N milliseconds, then goes on.',
    number: { usual: 20_000, most: MINUTES },
    effect: (n) => ({ delivery: { silenceMs: n } }),
  },
  {
    name: 'cut-stream',
    says: 'The connection dies after N events of a stream, or half-way through a whole answer.',
    number: { usual: 5, most: 1_000_000 },
    effect: (n) => ({ delivery: { ending: { how: 'cut', after: n } } }),
  },
  {
    name: 'short-stream',
    says: 'A stream ends cleanly after N events, without its terminal event.',
    number: { usual: 5, most: 1_000_000 },
    effect: (n) => ({ delivery: { ending: { how: 'short', after: n } } }),
  },
  {
    name: 'unsaid-end',
    says: 'A stream is complete but for its terminal event, then ends cleanly.',
    effect: () => ({ delivery: { ending: { how: 'unsaid' } } }),
  },
  {
    name: 'error-in-stream',
    says: 'After N events a stream reports an error in the form of its protocol and ends.',
    number: { usual: 5, most: 1_000_000 },
    effect: (n) => ({ delivery: { ending: { how: 'failed', after: n } } }),
  },
  {
    name: 'keep-open',
    says: 'Everything is said, but the answer never ends: the caller must hang up.',
    effect: () => ({ delivery: { ending: { how: 'open' } } }),
  },
  {
    name: 'lost-answer',
    says: 'The work is done and charged, but the connection dies before any byte of the answer.',
    effect: () => ({ delivery: { ending: { how: 'lost' } } }),
  },
  {
    name: 'rate-limit',
    says: 'The first N requests get 429 with Retry-After: 1, the next one succeeds, then it starts over. Requests with the same x-sandbox-token are counted together.',
    number: { usual: 2, most: 1000 },
    effect: (n) => ({ refuse: (asked) => (asked.refusedBefore < n ? tooMany() : undefined) }),
  },
  {
    name: 'rate-limit-forever',
    says: 'Every request gets 429 with Retry-After: 1.',
    effect: () => ({ refuse: tooMany }),
  },
  {
    name: 'error-500',
    says: 'Every request gets 500.',
    effect: () => ({ refuse: broken }),
  },
  {
    name: 'forbidden',
    says: 'Every request gets 403: the key has no permission for the model.',
    effect: () => ({ refuse: forbidden }),
  },
  {
    name: 'bad-key-echo',
    says: 'Every request gets 401 with a message that repeats the key it was sent.',
    effect: () => ({ refuse: echoKey }),
  },
  {
    name: 'rejects-stream-options',
    says: 'A request with stream_options gets 400 that names the field; others succeed.',
    effect: () => ({ refuse: rejectStreamOptions }),
  },
  {
    name: 'rejects-tuning',
    says: 'A request with a temperature or a token limit gets 400 that names the field; the limit that Messages requires is fine.',
    effect: () => ({ refuse: (asked) => rejectTuning(asked, 'named') }),
  },
  {
    name: 'rejects-tuning-silently',
    says: 'The same, but the message names no field.',
    effect: () => ({ refuse: (asked) => rejectTuning(asked, 'unnamed') }),
  },
  {
    name: 'echo',
    says: 'The answer is the last text of the user, word for word.',
    effect: () => ({ echo: true }),
  },
  {
    name: 'reasons-aloud',
    says: 'Reasoning of N pieces comes before the text. In Chat Completions it is called reasoning_content, or reasoning when N is odd.',
    number: { usual: 12, least: 1, most: 10_000 },
    effect: (n) => ({ reasoning: n }),
  },
  {
    name: 'whole-think',
    says: 'The text begins with the reasoning between <think> and </think>.',
    effect: () => ({ thinkTag: true }),
  },
  {
    name: 'ignores-stream',
    says: 'The answer comes whole, although a stream was asked for.',
    effect: () => ({ ignoresStream: true }),
  },
  {
    name: 'tells-usage-cost',
    says: 'The usage of a text answer tells what it cost.',
    effect: () => ({ usageCost: true }),
  },
  {
    name: 'usage-apart',
    says: 'A chat stream sends its usage in one more chunk without choices, as the public protocol does.',
    effect: () => ({ usageApart: true }),
  },
  {
    name: 'html',
    says: 'The answer is a page for people, with status 200.',
    effect: () => ({ page: true }),
  },
  {
    name: 'huge-answer',
    says: 'The answer is N MiB long.',
    number: { usual: 4, most: 64 },
    effect: (n) => ({ size: { mebibytes: n } }),
  },
  {
    name: 'burst',
    says: 'The answer has N words, one per event, as fast as they can be written.',
    number: { usual: 1000, most: 100_000 },
    effect: (n) => ({ size: { tokens: n } }),
  },
  {
    name: 'odd-chunks',
    says: 'A stream has CRLF line ends and is written N bytes at a time, also inside a character.',
    number: { usual: 3, least: 1, most: 65_536 },
    effect: (n) => ({ delivery: { oddBytes: n } }),
  },
  {
    name: 'gzip',
    says: 'Answers and streams are compressed by the first encoding the caller accepts.',
    effect: () => ({ delivery: { compressed: true } }),
  },
  {
    name: 'redirect-loop',
    says: 'The content of a finished video redirects to itself.',
    effect: () => ({ redirectLoop: true }),
  },
] as const satisfies readonly Line[];

export type ScenarioName = (typeof SCENARIOS)[number]['name'];

const LINES: readonly Line[] = [...SCENARIOS, ...VIDEO_SCENARIOS];

/**
 * What a request runs under when these scenarios are asked for; where they disagree the last one counts.
 * Anything that is not exactly a known `NAME` or `NAME=N` is refused with 400.
 */
export function chooseScenario(asked: readonly string[]): Scenario {
  const usual: Scenario = { asked };
  return asked.map(effectOf).reduce<Scenario>(
    (all, one) => ({
      ...all,
      ...one,
      asked,
      delivery: { ...all.delivery, ...one.delivery },
      task: { ...all.task, ...one.task },
    }),
    usual,
  );
}

function effectOf(asked: string): Effect {
  const [name, digits] = split(asked);
  const line = LINES.find((candidate) => candidate.name === name);
  if (!line) {
    const known = LINES.map((candidate) => candidate.name).join(', ');
    throw invalid(`There is no scenario "${name}". Known: ${known}.`);
  }
  return line.effect(readNumber(line, digits));
}

function split(asked: string): readonly [string, string | undefined] {
  const at = asked.indexOf('=');
  return at < 0 ? [asked, undefined] : [asked.slice(0, at), asked.slice(at + 1)];
}

function readNumber(line: Line, digits: string | undefined): number {
  if (digits === undefined) return line.number?.usual ?? 0;
  if (!line.number) throw invalid(`The scenario "${line.name}" takes no number.`);
  const value = /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
  const { least = 0, most } = line.number;
  if (!(value >= least && value <= most)) {
    throw invalid(`The number of "${line.name}" must be a whole number from ${least} to ${most}.`);
  }
  return value;
}
