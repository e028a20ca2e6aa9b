import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BookEntry, Sandbox } from '../../../sandbox/server.ts';
import { openSandboxClient } from '../../kit/sandbox/sandbox-client.ts';
import { Random } from '../../kit/random.ts';
import { checkProof, type ProofResult } from './check/check-proof.ts';
import { checkLimits, type LimitFinding } from './check/limits.ts';
import { type SeenExchange, sendPlanned } from './client.ts';
import { type GatewayRun, type RunOptions, startGateway } from './gateway-run.ts';
import { type PlannedExchange, planExchange } from './plan.ts';
import type { ProofRecords } from './proof-records.ts';

export interface ProofOptions {
  readonly seed: number;
  readonly exchanges: number;
  /** Exchanges in one run of the gateway, which ends with its kill; not more than the books of the sandbox hold. */
  readonly eachRun: number;
  /** Exchanges at the same time. */
  readonly atOnce: number;
  /** Ends it after the current run of the gateway. */
  readonly stop?: AbortSignal;
  readonly onProgress?: (done: number) => void;
}

/** Makes the exchanges, kills the gateway in between, and compares its records with the books of the sandbox. */
export async function runProof(options: ProofOptions): Promise<ProofResult> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-proof-'));
  try {
    await using client = await openSandboxClient();
    const file = await client.upload();
    const records = await makeExchanges(options, { dataDir, sandbox: client.sandbox, file });
    return checkProof(join(dataDir, 'gatehouse.db'), records);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Parties {
  readonly dataDir: string;
  readonly sandbox: Sandbox;
  /** Address of a picture that was uploaded to it. */
  readonly file: string;
}

/** Tokens and money that an exchange uses on average, roughly; a limit is for half of a client's exchanges. */
const USUAL = { requests: 1, tokens: 160, money: 2_000 };
const SHARE = 0.03;
/** Exchanges of a run for which its limit is enough, roughly. */
const OF_RUN = 4;

async function makeExchanges(options: ProofOptions, parties: Parties): Promise<ProofRecords> {
  const { seed, exchanges, eachRun, atOnce, stop, onProgress } = options;
  const { dataDir, sandbox, file } = parties;
  const seen = new Map<number, SeenExchange>();
  const books: BookEntry[] = [];
  const limits: LimitFinding[] = [];
  const random = new Random(seed);
  const database = join(dataDir, 'gatehouse.db');
  const starting = toRunOptions(eachRun, parties);
  let run = await startGateway(starting);
  const keys = new Map(Object.entries(run.ready.added).map(([name, { key }]) => [name, key]));
  let kills = 0;
  const isStopped = () => stop?.aborted === true;
  for (let first = 0; first < exchanges && !isStopped(); first += eachRun) {
    const last = Math.min(exchanges, first + eachRun);
    const planned = Array.from({ length: last - first }, (_, index) =>
      planExchange(seed, first + index, file),
    );
    // The last run ends in order; the others are killed with requests in flight.
    const isLast = last === exchanges;
    const killAt = isLast ? Number.POSITIVE_INFINITY : planned.length - 1 - random.below(atOnce);
    await sendAll(planned, { seen, run, keys, atOnce, killAt });
    onProgress?.(seen.size);
    books.push(...sandbox.books.slice(books.length - sandbox.charges));
    if (isLast) break;
    kills += 1;
    const { limits: log } = run;
    run = await startGateway(starting);
    limits.push(...checkLimits(database, log.allowed()));
  }
  const reports = await run.finish();
  limits.push(...checkLimits(database, run.limits.allowed()));
  const open = await readFile(join(dataDir, 'open-exchanges')).catch(() => null);
  const openAtEnd = open?.length ?? null;
  return { seed, planned: seen.size, seen, books, kills, limits, reports, openAtEnd };
}

function toRunOptions(eachRun: number, { dataDir, sandbox }: Parties): RunOptions {
  const step = Math.ceil(eachRun * SHARE);
  return {
    dataDir,
    baseUrl: sandbox.url,
    serviceKey: sandbox.key,
    steps: { day: toSteps(step), run: toSteps(OF_RUN) },
  };
}

function toSteps(exchanges: number): RunOptions['steps']['day'] {
  const { requests, tokens, money } = USUAL;
  return {
    requests: exchanges * requests,
    tokens: exchanges * tokens,
    money: exchanges * money,
  };
}

interface Sending {
  readonly seen: Map<number, SeenExchange>;
  readonly run: GatewayRun;
  readonly keys: ReadonlyMap<string, string>;
  readonly atOnce: number;
  /** Number of ended exchanges after which the gateway is killed. */
  readonly killAt: number;
}

/** Sends these exchanges, some at once; those of a serial client one after the other. */
async function sendAll(planned: readonly PlannedExchange[], sending: Sending): Promise<void> {
  const { seen, run, keys, atOnce, killAt } = sending;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 * atOnce });
  const serial = new Map<string, Promise<void>>();
  let ended = 0;
  const killing = Promise.withResolvers<void>();
  const send = async (exchange: PlannedExchange) => {
    const target = { port: run.ready.port, agent, localKey: keys.get(exchange.client.name) ?? '' };
    seen.set(exchange.number, await sendPlanned(exchange, target));
    ended += 1;
    if (ended === killAt) killing.resolve(run.kill());
  };
  const queue = planned.values();
  const work = async () => {
    for (const exchange of queue) {
      const { name, isSerial } = exchange.client;
      if (!isSerial) await send(exchange);
      else
        serial.set(
          name,
          (serial.get(name) ?? Promise.resolve()).then(() => send(exchange)),
        );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await Promise.all(serial.values());
  agent.destroy();
  if (killAt <= planned.length) await killing.promise;
}
