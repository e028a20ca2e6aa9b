import { Chance } from '../../kit/chance.ts';

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
  const chance = new Chance(Math.imul(seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
  const protocol = chance.pick(['chat', 'responses', 'messages'] as const);
  const isStream = chance.is(0.7);
  const client = chance.is(0.7) ? chance.pick(CLIENTS.slice(0, 3)) : chance.pick(CLIENTS.slice(3));
  const leaving = planLeaving(chance, isStream);
  const scenarios = planScenarios(chance, leaving);
  const text = `${scenarios.map((name) => `[scenario ${name}] `).join('')}${writeText(chance)}`;
  return {
    number,
    client,
    path: `${PATHS[protocol]}?proof=${number}`,
    body: JSON.stringify({
      model: chance.pick(MODELS),
      stream: isStream,
      ...planContent(protocol, text, { chance, isStream }),
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

function planLeaving(chance: Chance, isStream: boolean): Leaving {
  if (chance.is(0.86)) return { kind: 'never' };
  if (!isStream || chance.is(0.2)) return { kind: 'before-answer' };
  if (chance.is(0.2)) return { kind: 'after-end' };
  return { kind: 'after-bytes', bytes: 1 + chance.below(6_000) };
}

/** Lists what goes wrong, or is unusual, with the answer. */
function planScenarios(chance: Chance, leaving: Leaving): readonly string[] {
  const names: string[] = [];
  if (chance.is(0.2)) names.push(`caches-input=${1 + chance.below(50)}`);
  if (chance.is(0.25)) names.push(`reasons-aloud=${1 + chance.below(30)}`);
  if (chance.is(0.15)) names.push(`burst=${1 + chance.below(120)}`);
  if (chance.is(0.15)) names.push('usage-apart');
  if (chance.is(0.15)) names.push('gzip');
  if (chance.is(0.3)) names.push(`random-chunks=${chance.below(2 ** 31)}`);
  else if (chance.is(0.1)) names.push(`odd-chunks=${7 + chance.below(400)}`);
  if (leaving.kind !== 'never') {
    if (leaving.kind === 'before-answer') names.push(`slow-first-byte=${chance.below(30)}`);
    return names;
  }
  if (chance.is(0.14)) names.push(planFailure(chance));
  return names;
}

function planFailure(chance: Chance): string {
  const events = 1 + chance.below(40);
  return chance.pick([
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
    ...(chance.is(0.1) ? ['rate-limit=1', 'rate-limit-forever'] : []),
  ]);
}

function writeText(chance: Chance): string {
  const words = Array.from({ length: 1 + chance.below(chance.is(0.1) ? 400 : 60) }, () =>
    chance.pick(WORDS),
  );
  return words.join(' ');
}

interface ContentOptions {
  readonly chance: Chance;
  readonly isStream: boolean;
}

function planContent(
  protocol: keyof typeof PATHS,
  text: string,
  { chance, isStream }: ContentOptions,
): object {
  const turns = [{ role: 'user', content: text }];
  const mayLimit = chance.is(0.3) ? { most: 1 + chance.below(200) } : {};
  const { most } = mayLimit;
  switch (protocol) {
    case 'chat':
      return {
        messages: turns,
        ...(most === undefined ? {} : { max_completion_tokens: most }),
        ...(isStream && chance.is(0.5) ? { stream_options: { include_usage: true } } : {}),
      };
    case 'responses':
      return { input: turns, ...(most === undefined ? {} : { max_output_tokens: most }) };
    case 'messages':
      return { messages: turns, max_tokens: most ?? 4_000 };
  }
}
