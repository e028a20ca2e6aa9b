import { Random } from '../../kit/random.ts';

/** The clients of the proof. Those with a limit per day reach it in every run of the gateway, those per run in most runs of agents. */
export const CLIENTS = [
  { name: 'Editor', limit: null, period: 'day', isSerial: false },
  { name: 'Agent', limit: null, period: 'day', isSerial: false },
  { name: 'Script', limit: null, period: 'day', isSerial: false },
  { name: 'Money at once', limit: 'money', period: 'day', isSerial: false },
  { name: 'Tokens at once', limit: 'tokens', period: 'day', isSerial: false },
  { name: 'Requests at once', limit: 'requests', period: 'day', isSerial: false },
  { name: 'Money one by one', limit: 'money', period: 'day', isSerial: true },
  { name: 'Tokens one by one', limit: 'tokens', period: 'day', isSerial: true },
  { name: 'Runs at once', limit: 'tokens', period: 'run', isSerial: false },
  { name: 'Runs one by one', limit: 'money', period: 'run', isSerial: true },
] as const;

export type ProofClient = (typeof CLIENTS)[number];

/** When a client leaves: before the answer begins, after some bytes of it, or once it has seen the last event. */
export type Leaving =
  | { readonly kind: 'never' | 'before-answer' | 'after-end' }
  | { readonly kind: 'after-bytes'; readonly bytes: number };

export interface PlannedExchange {
  /** Its number, by which its row and its entry in the books are found. */
  readonly number: number;
  readonly client: ProofClient;
  readonly path: string;
  readonly body: string;
  /** Headers that name its session and its agent. */
  readonly sender: Readonly<Record<string, string>>;
  /** Number of images in it. */
  readonly images: number;
  /** Seconds of the video that it orders; `null` where it asks for text. */
  readonly videoSeconds: number | null;
  readonly isStream: boolean;
  readonly acceptsGzip: boolean;
  readonly leaving: Leaving;
}

const MODELS = [
  'aurora/aurora-large',
  'aurora/aurora-small',
  'borealis/borealis-chat',
  'cirrus/cirrus-thinking',
  'dune/open/dune-7b',
  'ember-mini',
  'harbor/harbor-strict',
  'isle/isle-pro',
] as const;

export const VIDEO_MODEL = 'h3';

const VISION_MODEL = 'aurora/aurora-large';

/** A picture of one pixel, in base64. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const WORDS =
  'The harbour master wrote that 14 ships, among them the “Ærø”, left before dawn; nobody — not even 雨宮 — saw the last one. Why?'.split(
    ' ',
  );

/**
 * Plans the exchange of this number. The same seed and number give the same exchange. `file` is the address of an uploaded picture, which
 * videos need.
 */
export function planExchange(seed: number, number: number, file = ''): PlannedExchange {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  return random.is(0.02) ? planVideo(random, number, file) : planText(random, number);
}

function pickClient(random: Random): ProofClient {
  return random.is(0.7) ? random.pick(CLIENTS.slice(0, 3)) : random.pick(CLIENTS.slice(3));
}

function planText(random: Random, number: number): PlannedExchange {
  const protocol = random.pick(['chat', 'responses', 'messages'] as const);
  const isStream = random.is(0.7);
  const client = pickClient(random);
  const leaving = planLeaving(random, isStream);
  const scenarios = planScenarios(random, leaving);
  const text = `${scenarios.map((name) => `[scenario ${name}] `).join('')}${writeText(random)}`;
  const model = random.pick(MODELS);
  const images = model === VISION_MODEL && random.is(0.4) ? 1 + random.below(3) : 0;
  return {
    number,
    client,
    path: `${PATHS[protocol]}?proof=${number}`,
    body: JSON.stringify({
      model,
      stream: isStream,
      ...planContent(protocol, { text, images }, { random, isStream }),
    }),
    sender: planSender(random, number, client),
    images,
    videoSeconds: null,
    isStream,
    acceptsGzip: scenarios.includes('gzip'),
    leaving,
  };
}

/** Plans the order of a video. No two are equal, so that none counts as the repetition of another. */
function planVideo(random: Random, number: number, file: string): PlannedExchange {
  const client = pickClient(random);
  const scenario = random.is(0.2)
    ? random.pick(['order-broken', 'lost-answer', 'error-500', 'forbidden'])
    : 'slow-first-byte=20';
  const videoSeconds = 1 + random.below(12);
  return {
    number,
    client,
    path: `/v1/videos?proof=${number}`,
    body: JSON.stringify({
      model: VIDEO_MODEL,
      task: 'ref2va',
      prompt: `[scenario ${scenario}] Scene ${number}: ${writeText(random)}`,
      seconds: String(videoSeconds),
      resolution: '480p',
      conditions: [{ type: 'image', url: file }],
    }),
    sender: planSender(random, number, client),
    images: 0,
    videoSeconds,
    isStream: false,
    acceptsGzip: false,
    leaving: { kind: random.is(0.9) ? 'never' : 'before-answer' },
  };
}

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const;

/** Exchanges after which other sessions begin. */
const SESSION_LENGTH = 700;

/** Plans the session of an exchange: several at once, which go on over a kill. Half of the exchanges of clients whose limit is not per run name none. */
function planSender(
  random: Random,
  number: number,
  { name, period }: ProofClient,
): Readonly<Record<string, string>> {
  if (period === 'day' && random.is(0.5)) return {};
  const session = `${name} ${Math.floor(number / SESSION_LENGTH)} ${random.below(3)}`;
  return {
    'x-claude-code-session-id': session,
    ...(random.is(0.3) ? { 'x-claude-code-agent-id': `agent ${random.below(4)}` } : {}),
  };
}

function planLeaving(random: Random, isStream: boolean): Leaving {
  if (random.is(0.86)) return { kind: 'never' };
  if (!isStream || random.is(0.2)) return { kind: 'before-answer' };
  if (random.is(0.2)) return { kind: 'after-end' };
  return { kind: 'after-bytes', bytes: 1 + random.below(6_000) };
}

/** Lists what goes wrong, or is unusual, with the answer. */
function planScenarios(random: Random, leaving: Leaving): readonly string[] {
  const names: string[] = [];
  if (random.is(0.2)) names.push(`caches-input=${1 + random.below(50)}`);
  if (random.is(0.25)) names.push(`reasons-aloud=${1 + random.below(30)}`);
  if (random.is(0.15)) names.push(`burst=${1 + random.below(120)}`);
  if (random.is(0.15)) names.push('usage-apart');
  if (random.is(0.15)) names.push('gzip');
  if (random.is(0.3)) names.push(`random-chunks=${random.below(2 ** 31)}`);
  else if (random.is(0.1)) names.push(`odd-chunks=${7 + random.below(400)}`);
  if (leaving.kind !== 'never') {
    if (leaving.kind === 'before-answer') names.push(`slow-first-byte=${random.below(30)}`);
    return names;
  }
  if (random.is(0.14)) names.push(planFailure(random));
  return names;
}

function planFailure(random: Random): string {
  const events = 1 + random.below(40);
  return random.pick([
    `cut-stream=${events}`,
    `cut-stream=${events}`,
    `short-stream=${events}`,
    `error-in-stream=${events}`,
    'unsaid-end',
    'lost-answer',
    'error-500',
    'error-500',
    'forbidden',
    'html',
    'ignores-stream',
    // A retry waits for a second.
    ...(random.is(0.1) ? ['rate-limit=1', 'rate-limit-forever'] : []),
  ]);
}

function writeText(random: Random): string {
  const words = Array.from({ length: 1 + random.below(random.is(0.1) ? 400 : 60) }, () =>
    random.pick(WORDS),
  );
  return words.join(' ');
}

const PICTURE_URL = `data:image/png;base64,${PICTURE}`;
const SOURCE = { type: 'base64', media_type: 'image/png', data: PICTURE };

/** How each protocol writes a text and a picture in a message. */
const PARTS = {
  chat: { words: 'text', image: { type: 'image_url', image_url: { url: PICTURE_URL } } },
  responses: { words: 'input_text', image: { type: 'input_image', image_url: PICTURE_URL } },
  messages: { words: 'text', image: { type: 'image', source: SOURCE } },
};

interface ContentOptions {
  readonly random: Random;
  readonly isStream: boolean;
}

function planContent(
  protocol: keyof typeof PATHS,
  { text, images }: { readonly text: string; readonly images: number },
  { random, isStream }: ContentOptions,
): object {
  const { words, image } = PARTS[protocol];
  const parts = [{ type: words, text }, ...Array.from({ length: images }, () => image)];
  const turns = [{ role: 'user', content: images === 0 ? text : parts }];
  const mayLimit = random.is(0.3) ? { most: 1 + random.below(200) } : {};
  const { most } = mayLimit;
  switch (protocol) {
    case 'chat':
      return {
        messages: turns,
        ...(most === undefined ? {} : { max_completion_tokens: most }),
        ...(isStream && random.is(0.5) ? { stream_options: { include_usage: true } } : {}),
      };
    case 'responses':
      return { input: turns, ...(most === undefined ? {} : { max_output_tokens: most }) };
    case 'messages':
      return { messages: turns, max_tokens: most ?? 4_000 };
  }
}
