import type { Asked, Effect, Line } from './effect.ts';
import { invalid, Refusal } from './errors.ts';
import { broken, tooMany } from './refusals.ts';
import { VIDEO_SCENARIOS } from './video-scenarios.ts';

/** What a request runs under. */
export interface Scenario extends Effect {
  /** Each `NAME` or `NAME=N`. */
  readonly asked: readonly string[];
}

const MINUTES = 600_000;

/** Every way in which one request goes wrong. `x-sandbox-scenario: NAME` or `NAME=N`, or the model `sandbox/NAME`. */
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
  return asked
    .map(effectOf)
    .reduce<Scenario>(
      (all, one) => ({ ...all, ...one, asked, task: { ...all.task, ...one.task } }),
      usual,
    );
}

/** The scenarios that a text asks for, such as a prompt or a file name with `[scenario NAME=N]` in it. */
export function scenariosIn(text: unknown): readonly string[] {
  if (typeof text !== 'string') return [];
  return [...text.matchAll(/\[scenario ([^\]\s]+)\]/g)].map(([, asked = '']) => asked);
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

function forbidden(): Refusal {
  const message = 'The key has no permission for this model.';
  return new Refusal({ status: 403, code: 'permission_denied', message });
}

function echoKey({ credential }: Asked): Refusal {
  const message = `Incorrect API key provided: ${credential}.`;
  return new Refusal({ status: 401, code: 'invalid_api_key', message });
}

function rejectStreamOptions({ body }: Asked): Refusal | undefined {
  if (body['stream_options'] === undefined) return undefined;
  return new Refusal({
    status: 400,
    code: 'unsupported_parameter',
    message: 'Unsupported parameter: "stream_options" is not supported by this model.',
  });
}
