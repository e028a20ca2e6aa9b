import { Random } from '../../kit/random.ts';

/** The clients of the proof; those with a limit reach it in every run. */
export const CLIENTS = [
  { name: 'Editor', limit: null, isSerial: false },
  { name: 'Agent', limit: null, isSerial: false },
  { name: 'Script', limit: null, isSerial: false },
  { name: 'Money at once', limit: 'money', isSerial: false },
  { name: 'Tokens at once', limit: 'tokens', isSerial: false },
  { name: 'Requests at once', limit: 'requests', isSerial: false },
  { name: 'Money one by one', limit: 'money', isSerial: true },
  { name: 'Tokens one by one', limit: 'tokens', isSerial: true },
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

const WORDS =
  'The harbour master wrote that 14 ships, among them the “Ærø”, left before dawn; nobody — not even 雨宮 — saw the last one. Why?'.split(
    ' ',
  );

/** Plans the exchange of this number. The same seed and number give the same exchange. */
export function planExchange(seed: number, number: number): PlannedExchange {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const protocol = random.pick(['chat', 'responses', 'messages'] as const);
  const isStream = random.is(0.7);
  const client = random.is(0.7) ? random.pick(CLIENTS.slice(0, 3)) : random.pick(CLIENTS.slice(3));
  const leaving = planLeaving(random, isStream);
  const scenarios = planScenarios(random, leaving);
  const text = `${scenarios.map((name) => `[scenario ${name}] `).join('')}${writeText(random)}`;
  return {
    number,
    client,
    path: `${PATHS[protocol]}?proof=${number}`,
    body: JSON.stringify({
      model: random.pick(MODELS),
      stream: isStream,
      ...planContent(protocol, text, { random, isStream }),
    }),
    isStream,
    acceptsGzip: scenarios.includes('gzip'),
    leaving,
  };
}

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const;

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

interface ContentOptions {
  readonly random: Random;
  readonly isStream: boolean;
}

function planContent(
  protocol: keyof typeof PATHS,
  text: string,
  { random, isStream }: ContentOptions,
): object {
  const turns = [{ role: 'user', content: text }];
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
