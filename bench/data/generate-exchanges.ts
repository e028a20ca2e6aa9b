import { ClientId } from '../../shared/client.ts';
import { ExchangeId, type ExchangeRecord, RunId } from '../../shared/exchange/exchange.ts';
import type { Repair } from '../../shared/exchange/repair.ts';
import { Sender } from '../../shared/exchange/sender.ts';

/** Age of the oldest exchange. */
export const MONTHS_MS = 90 * 24 * 3_600_000;
const CLIENTS = ['Cline', 'Claude Code', 'Codex', 'Open WebUI', 'Continue', 'Zed', 'Script'];
export const RARE_CLIENT = 'Nightly report';
/** One of this many exchanges is of the rare client. */
const RARE_EVERY = 25_000;
const MODELS = ['large', 'small', 'coder', 'thinking', 'vision', 'mini', 'next', 'preview'].flatMap(
  (name) => ['acme', 'orion', 'delta'].map((maker) => `${maker}/${name}-2026-0${name.length}`),
);
const PATHS = [
  ['chat', '/v1/chat/completions'],
  ['messages', '/v1/messages?beta=true'],
  ['responses', '/v1/responses'],
  ['models', '/v1/models'],
] as const;
const PROJECTS = ['shop', 'docs', 'billing', 'mobile', 'search', 'tools', 'site', 'infra'];
const NO_SENDER = Object.fromEntries(Object.keys(Sender.shape).map((name) => [name, null]));
const REPAIR: Repair = {
  code: 'path-missing-v1',
  before: '/chat/completions',
  after: '/v1/chat/completions',
  advice: 'In this client, set the base URL to http://127.0.0.1:6417/v1.',
};

/** Creates a generator of numbers from 0 to 1, the same in every run. */
function createRandom(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

/** Generates exchanges like those of several people at work, spread evenly over the 90 days before `end` (Unix milliseconds), oldest first. */
export function* generateExchanges(count: number, end: number): Generator<ExchangeRecord> {
  const draw = createRandom();
  const conversations = Array.from({ length: 40 }, () => conversation(draw));
  for (let index = 0; index < count; index += 1) {
    if (draw() < 0.02) conversations[Math.floor(draw() * 40)] = conversation(draw);
    const startedAt = Math.floor(end - MONTHS_MS + (MONTHS_MS * index) / count);
    const rare = index % RARE_EVERY === RARE_EVERY - 1;
    const record = makeExchange(index, { startedAt, draw, rare });
    yield { ...record, ...pick(conversations, draw) };
  }
}

interface ExchangeSeed {
  readonly startedAt: number;
  readonly draw: () => number;
  readonly rare: boolean;
}

function makeExchange(index: number, { startedAt, draw, rare }: ExchangeSeed): ExchangeRecord {
  const clientName = rare ? RARE_CLIENT : pickSkewed(CLIENTS, draw);
  const [route, path] = pickSkewed(PATHS, draw);
  const failed = draw() < 0.04;
  const model = route === 'models' ? null : pickSkewed(MODELS, draw);
  const input = Math.floor(draw() * 20_000);
  return {
    id: ExchangeId.parse(`ex-${index.toString(16).padStart(16, '0')}`),
    startedAt,
    times: 1,
    lastAt: startedAt,
    service: 'https://models.example.com',
    clientId: ClientId.parse(clientName.toLowerCase()),
    clientName,
    conversation: null,
    sender: null,
    run: null,
    userAgent: `${clientName.replace(' ', '-')}/${Math.floor(draw() * 4)}.${Math.floor(draw() * 6)}.0 (linux; x64) node/24`,
    route,
    method: route === 'models' ? 'GET' : 'POST',
    pathReceived: path,
    pathSent: path,
    modelAsked: model,
    modelSent: model,
    modelServed: failed ? null : model,
    streamed: draw() < 0.7,
    status: failed ? pick([400, 401, 404, 429, 500, 503], draw) : 200,
    errorCode: failed ? pick(['rate_limit_exceeded', 'invalid_request', 'overloaded'], draw) : null,
    errorMessage: failed ? `The request req_${hex(12, draw)} could not be answered.` : null,
    endedBy: draw() < 0.01 ? 'client' : 'service',
    repairs: draw() < 0.08 ? [REPAIR] : [],
    attempts: 1,
    bytesIn: 4 * input,
    bytesOut: 4_000,
    firstByteMs: 400 * draw(),
    durationMs: 20_000 * draw(),
    overheadMs: draw(),
    usage: {
      input,
      output: Math.floor(draw() * 2_000),
      cacheRead: 0,
      cacheWrite: null,
      cacheWriteHour: null,
      media: null,
      reasoning: null,
      source: failed ? 'unknown' : 'reported',
      reportedPart: null,
    },
    video: null,
    cost: failed ? null : { amount: 3 * input, source: 'reported', priceId: 1 },
  };
}

/** Makes the session of an agent, which is a run. */
function conversation(draw: () => number) {
  const id = [8, 4, 4, 4, 12].map((digits) => hex(digits, draw)).join('-');
  const project = `https://git.example.com/acme/${pickSkewed(PROJECTS, draw)}`;
  return {
    conversation: id,
    run: RunId.parse(`run-${hex(16, draw)}`),
    sender: Sender.parse({ ...NO_SENDER, requestClass: 'main', project }),
  };
}

function hex(digits: number, draw: () => number): string {
  return Array.from({ length: digits }, () => Math.floor(16 * draw()).toString(16)).join('');
}

function pick<Value>(values: readonly Value[], draw: () => number): Value {
  return pickAt(values, draw());
}

/** Picks an item; the first ones most often. */
function pickSkewed<Value>(values: readonly Value[], draw: () => number): Value {
  return pickAt(values, draw() * draw());
}

function pickAt<Value>(values: readonly Value[], share: number): Value {
  const value = values[Math.floor(values.length * share)];
  if (value === undefined) throw new Error('There is nothing to draw from.');
  return value;
}

/** Takes the next `count` items, or the remaining ones. */
export function takeNext(made: Generator<ExchangeRecord>, count: number): ExchangeRecord[] {
  const taken: ExchangeRecord[] = [];
  while (taken.length < count) {
    const { value } = made.next();
    if (value === undefined) break;
    taken.push(value);
  }
  return taken;
}
