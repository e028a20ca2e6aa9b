import type { Client } from '../../../../shared/client.ts';
import type { ExchangeRecord, RouteName } from '../../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../../../shared/exchange/usage.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { openHistory, type RawHeaderSnapshots } from '../../../../gateway/history/history.ts';
import { anExchange } from '../../history/an-exchange.ts';
import { MODEL_IDS } from '../demo-service.ts';

const CLIENTS = [
  ['Claude Code', 'messages', 'claude-cli/2.0.42 (external, cli)'],
  ['Codex', 'responses', 'codex_cli_rs/0.58.0 (Debian 13; x86_64)'],
  ['Cline', 'messages', 'Cline/3.38.1'],
  ['Continue', 'chat', 'OpenAI/JS 6.9.0'],
  ['Zed', 'chat', 'Zed/0.213.3 (linux; x86_64)'],
  ['nightly report', 'chat', 'openai-python/2.8.0'],
] as const;

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const satisfies Partial<Record<RouteName, string>>;

const DAYS = 34;
const DAY_MS = 24 * 3600 * 1_000;
const AT_A_TIME = 5_000;
/** The newest so many have headers. */
const WITH_HEADERS = 50;
const KEEP = { days: 90, headersDays: 7 };

/** The newest exchange that was repaired: the one to look at. */
export const REPAIRED_ID = 'ex-00000000000001f4';

/** The data of a person after a month: clients and their local keys, and `count` exchanges of every kind. */
export async function seedHistory(
  { clients, store, host }: Repositories,
  count: number,
): Promise<string[]> {
  const added = [];
  for (const [name] of CLIENTS) added.push(await clients.add(name));
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: () => KEEP,
  });
  const random = createRandom(7);
  for (let number = count - 1; number >= 0; number -= 1) {
    const who = Math.floor(random() ** 1.6 * CLIENTS.length);
    const client = added[who]?.client;
    if (client === undefined) continue;
    const exchange = pastExchange({ number, count, who, client, now: host.now(), random });
    history.record(exchange, number < WITH_HEADERS ? HEADS : undefined);
    if (number % AT_A_TIME === 0) await history.flush();
  }
  await history.close();
  return added.map(({ key }) => key);
}

interface PastExchangeOptions {
  /** 0 for the newest. */
  readonly number: number;
  readonly count: number;
  readonly who: number;
  readonly client: Client;
  readonly now: number;
  readonly random: () => number;
}

function pastExchange({
  number,
  count,
  who,
  client,
  now,
  random,
}: PastExchangeOptions): ExchangeRecord {
  const [, route, userAgent] = CLIENTS[who] ?? CLIENTS[0];
  const model = MODEL_IDS[Math.floor(random() ** 2 * MODEL_IDS.length)] ?? MODEL_IDS[0];
  const kind = pickKind(number, random());
  const firstByteMs = 240 + random() ** 2 * 2_400;
  const streamed = random() < 0.8;
  const good = anExchange(number === FIRST_REPAIRED ? REPAIRED_ID : `ex-past${number}`, {
    startedAt: pickTime(number, count, now),
    clientId: client.id,
    clientName: client.name,
    conversation: `session-${Math.floor(number / 12)}`,
    userAgent,
    route,
    pathReceived: PATHS[route],
    pathSent: PATHS[route],
    modelAsked: model,
    modelSent: model,
    modelServed: model,
    streamed,
    repairs: [],
    bytesIn: Math.round(2_000 + random() ** 3 * 600_000),
    bytesOut: Math.round(600 + random() * 40_000),
    firstByteMs,
    durationMs: firstByteMs + 500 + random() ** 3 * 48_000,
    overheadMs: 0.6 + random() * 2,
    usage: {
      input: Math.round(900 + random() ** 2 * 90_000),
      output: Math.round(40 + random() ** 2 * 4_000),
      cacheRead: Math.round(random() * 20_000),
      cacheWrite: 0,
      cacheWriteHour: null,
      media: null,
      reasoning: null,
      source: streamed && random() < 0.12 ? 'estimated' : 'reported',
    },
  });
  return withCost({ ...good, ...KINDS[kind](good) });
}

/** 3 and 15 of the currency for a million tokens; the last model has no price. */
function withCost(exchange: ExchangeRecord): ExchangeRecord {
  const { usage, status, modelSent } = exchange;
  if (status === null || status >= 400) return exchange;
  const isPriced = modelSent !== MODEL_IDS.at(-1) && usage.source !== 'unknown';
  const amount = 3 * (usage.input ?? 0) + 15 * (usage.output ?? 0);
  const source = usage.source === 'estimated' ? 'estimated' : 'reported';
  const cost = isPriced
    ? ({ amount, source, priceId: null } as const)
    : ({ amount: null, source: 'unpriced', priceId: null } as const);
  return { ...exchange, cost };
}

type Kind = 'good' | 'doubled' | 'named' | 'limited' | 'unknown' | 'cut' | 'left';

/** The newest are of every kind, in an order that shows them; the rest as it happens. */
const NEWEST: readonly Kind[] = [
  'good',
  'good',
  'doubled',
  'good',
  'limited',
  'good',
  'named',
  'good',
  'left',
  'good',
  'unknown',
  'doubled',
  'good',
  'cut',
];
const FIRST_REPAIRED = NEWEST.indexOf('doubled');

function pickKind(number: number, drawn: number): Kind {
  const newest = NEWEST[number];
  if (newest !== undefined) return newest;
  if (drawn < 0.9) return 'good';
  const rare = ['doubled', 'named', 'limited', 'unknown', 'cut', 'left'] as const;
  return rare[Math.floor((drawn - 0.9) * 10 * rare.length)] ?? 'good';
}

const KINDS: Readonly<Record<Kind, (good: ExchangeRecord) => Partial<ExchangeRecord>>> = {
  good: () => ({}),
  doubled: ({ pathSent }) => {
    const before = `${pathSent}${pathSent}`;
    const after = pathSent ?? '';
    const advice = `This client adds ${after} by itself. Set its base address to http://127.0.0.1:6417 and nothing more.`;
    return { pathReceived: before, repairs: [{ code: 'path-doubled', before, after, advice }] };
  },
  named: ({ modelSent }) => {
    const after = modelSent ?? '';
    const before = after.split('/')[1] ?? '';
    const advice = `The exact id is ${after}. Write it in the client.`;
    return { modelAsked: before, repairs: [{ code: 'model-id', before, after, advice }] };
  },
  limited: () => toFailure(429, 'rate_limit_exceeded', 'Rate limit reached. Try again in 8 s.'),
  unknown: () => ({
    ...toFailure(404, 'model_not_found', 'The model does not exist or you have no access to it.'),
    modelAsked: 'claude-sonnet-4',
    modelSent: 'claude-sonnet-4',
    modelServed: null,
  }),
  cut: () => ({
    errorCode: 'upstream_connection_lost',
    errorMessage: 'The service broke the connection in the middle of its answer.',
    endedBy: 'gateway',
    streamed: true,
  }),
  left: () => ({ endedBy: 'client', streamed: true }),
};

function toFailure(
  status: number,
  errorCode: string,
  errorMessage: string,
): Partial<ExchangeRecord> {
  return {
    status,
    errorCode,
    errorMessage,
    streamed: false,
    durationMs: 310,
    firstByteMs: 302,
    bytesOut: 180,
    usage: UNKNOWN_USAGE,
  };
}

/** Denser towards now, and thin at weekends and at night. */
function pickTime(number: number, count: number, now: number): number {
  if (number < WITH_HEADERS) return now - 95_000 - number * 140_000;
  const age = (number / count) ** 1.15 * DAYS * DAY_MS;
  const at = new Date(now - age - 3 * 3600 * 1_000);
  const weekend = at.getDay() === 0 || at.getDay() === 6;
  return at.getTime() - (weekend && number % 3 !== 0 ? 2 * DAY_MS : 0);
}

/** Returns the same pseudorandom numbers from 0 to 1 in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

const HEADS: RawHeaderSnapshots = {
  received: parseHead(`host: 127.0.0.1:6417
authorization: Bearer gh-local
accept: */*
content-type: application/json
anthropic-version: 2023-06-01
user-agent: Cline/3.38.1
accept-encoding: gzip, deflate, br`),
  sent: parseHead(`authorization: Bearer service
accept: */*
content-type: application/json
anthropic-version: 2023-06-01
via: 1.1 gatehouse`),
  answered: parseHead(`content-type: text/event-stream
server: nginx
x-request-id: req_011CVJ4gZ1
x-ratelimit-remaining-requests: 3999
x-ratelimit-remaining-tokens: 389411`),
  returned: parseHead(`content-type: text/event-stream
x-request-id: req_011CVJ4gZ1
x-ratelimit-remaining-requests: 3999
x-gatehouse-exchange: ${REPAIRED_ID}`),
};

function parseHead(lines: string): readonly string[] {
  return lines.split('\n').flatMap((line) => line.split(': '));
}
