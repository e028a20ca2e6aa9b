import { sql } from 'kysely';
import type { RunId } from '../../shared/exchange/exchange.ts';
import type { UsageScope } from '../../shared/history/history.ts';
import type { LimitKind, LimitMeasure } from '../../shared/money/limit.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
import type { Store } from '../store/store.ts';
import { NO_USE, type Use } from './timeline.ts';

/** Whose request it is, and of which run. */
export interface RunRequest {
  readonly scope: UsageScope;
  readonly clientId: string;
  /** `null` when its client names no session. */
  readonly run: RunId | null;
  /** The sub-agent that sends it; `null` for the agent that a person started. */
  readonly subagent: string | null;
}

/** What a run has used of a limit, and whether that refused it. `run`: `null` for the requests of a client that names no session. */
export interface RunUsed {
  readonly run: RunId | null;
  readonly used: number;
  readonly isRefused: boolean;
}

/** A request that is counted until it ends, which must happen once. */
interface RequestOfRun {
  /** Adds to what was counted. */
  add(change: Use): void;
  /** Adds the difference to what was counted, and ends it. */
  end(change: Use): void;
}

/** Runs that are remembered; beyond this number the one is forgotten that rests longest. */
const MAX_RUNS = 5_000;
/** Sub-agents of a run from which those are forgotten that are not at work. */
const MAX_SUBAGENTS = 100;
const MINUTE_MS = 60_000;
/** Requests of a client that names no session are of one run until none was sent for so long. */
const REST_MS = 30 * MINUTE_MS;
/** A sub-agent is at work while it has a request in flight, and so long afterwards: its tools run in between. */
const AT_WORK_MS = MINUTE_MS;
/** A run that rests longer is none that people are told of. */
const LATELY_MS = 60 * MINUTE_MS;
/** Exchanges of earlier processes count for their run when they are not older. */
const KNOWN_MS = 7 * 24 * 60 * MINUTE_MS;

interface Subagent {
  inFlight: number;
  at: number;
}

interface Run {
  readonly scope: UsageScope;
  readonly clientId: string;
  readonly run: RunId | null;
  readonly use: { money: number; tokens: number; requests: number };
  inFlight: number;
  readonly subagents: Map<string, Subagent>;
  /** When it was last active, by the monotonic clock. */
  at: number;
}

/** What each run has used, and what of it is at work, in memory. Times are those of the monotonic clock. */
export class RunCounts {
  readonly #runs = new Map<string, Run>();
  /** The run that was active last: it is at the end of the map. */
  #latest: Run | null = null;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Adds what a run used in earlier processes. `ageMs`: how long it has rested. */
  addEarlier(request: Omit<RunRequest, 'subagent'>, use: Use, ageMs: number): void {
    const known = this.#find(request)?.at ?? Number.NEGATIVE_INFINITY;
    const run = this.#take(request);
    add(run.use, use);
    run.at = Math.max(known, this.#now() - ageMs);
  }

  /** Counts a request with its estimate. */
  begin(request: RunRequest, estimate: Use): RequestOfRun {
    const run = this.#take(request);
    const { subagent } = request;
    add(run.use, estimate);
    run.inFlight += 1;
    const agent = subagent === null ? null : this.#takeSubagent(run, subagent);
    if (agent !== null) agent.inFlight += 1;
    return {
      add: (change) => add(run.use, change),
      end: (change) => {
        add(run.use, change);
        run.inFlight -= 1;
        run.at = this.#now();
        if (agent === null) return;
        agent.inFlight -= 1;
        agent.at = run.at;
      },
    };
  }

  /** Returns what the run of a request has used of what a limit measures; 0 sub-agents for one that is at work already. */
  used(measure: LimitMeasure, request: RunRequest): number {
    const run = this.#find(request);
    return run === undefined ? 0 : this.#measure(run, measure, request.subagent);
  }

  /** Returns the run that has used most of a limit lately, one that `isRefused` before all others; `null` when there is none. */
  findMost(
    { measure, clientId }: LimitKind,
    scope: UsageScope,
    isRefused: (run: RunId | null) => boolean,
  ): RunUsed | null {
    const now = this.#now();
    let most: RunUsed | null = null;
    for (const run of this.#runs.values()) {
      if (run.scope !== scope || (clientId !== null && run.clientId !== clientId)) continue;
      const restMs = run.run === null ? REST_MS : LATELY_MS;
      if (run.inFlight === 0 && now - run.at >= restMs) continue;
      const one = {
        run: run.run,
        used: this.#measure(run, measure, null),
        isRefused: isRefused(run.run),
      };
      if (most === null || isMore(one, most)) most = one;
    }
    return most;
  }

  #measure(run: Run, measure: LimitMeasure, subagent: string | null): number {
    if (measure === 'concurrent') return run.inFlight;
    if (measure !== 'agents') return run.use[measure];
    this.#forgetSubagents(run);
    const isAtWork = subagent !== null && run.subagents.has(subagent);
    return isAtWork ? 0 : run.subagents.size;
  }

  /** Forgets the sub-agents that are not at work. */
  #forgetSubagents({ subagents }: Run): void {
    const since = this.#now() - AT_WORK_MS;
    for (const [id, { inFlight, at }] of subagents) {
      if (inFlight === 0 && at < since) subagents.delete(id);
    }
  }

  #takeSubagent(run: Run, id: string): Subagent {
    let agent = run.subagents.get(id);
    if (agent === undefined) {
      if (run.subagents.size >= MAX_SUBAGENTS) this.#forgetSubagents(run);
      run.subagents.set(id, (agent = { inFlight: 0, at: 0 }));
    }
    return agent;
  }

  #find(request: Omit<RunRequest, 'subagent'>): Run | undefined {
    const run = this.#runs.get(toKey(request));
    if (run === undefined || run.run !== null || run.inFlight > 0) return run;
    return this.#now() - run.at < REST_MS ? run : undefined;
  }

  /** Returns a run, which becomes the one that was active last. */
  #take(request: Omit<RunRequest, 'subagent'>): Run {
    const { scope, clientId, run } = request;
    const known = this.#find(request);
    if (known !== undefined && known === this.#latest) {
      known.at = this.#now();
      return known;
    }
    const key = toKey(request);
    this.#runs.delete(key);
    if (known === undefined && this.#runs.size >= MAX_RUNS) this.#forgetOldest();
    const found = known ?? {
      scope,
      clientId,
      run,
      inFlight: 0,
      at: 0,
      use: { ...NO_USE },
      subagents: new Map<string, Subagent>(),
    };
    found.at = this.#now();
    this.#runs.set(key, found);
    this.#latest = found;
    return found;
  }

  #forgetOldest(): void {
    for (const [key, { inFlight }] of this.#runs) {
      if (inFlight > 0) continue;
      this.#runs.delete(key);
      return;
    }
  }
}

function toKey({ scope, clientId, run }: Omit<RunRequest, 'subagent'>): string {
  return `${scope}\n${run ?? clientId}`;
}

/** A run that was refused is told before any other. */
function isMore(one: RunUsed, other: RunUsed): boolean {
  return one.isRefused === other.isRefused ? one.used > other.used : one.isRefused;
}

function add(sum: Run['use'], { money, tokens, requests }: Use): void {
  sum.money += money;
  sum.tokens += tokens;
  sum.requests += requests;
}

/** What a run used in earlier processes. */
interface StoredRun {
  readonly scope: UsageScope;
  readonly clientId: string;
  readonly run: RunId;
  readonly use: Use;
  /** How long it has rested, in milliseconds. */
  readonly ageMs: number;
}

/** Returns the number of the exchange that was written last. */
export async function readLatestSeq({ db }: Store): Promise<number> {
  const { rows } = await sql<{ seq: number | null }>`select max(seq) as seq from exchange`.execute(
    db,
  );
  return rows[0]?.seq ?? 0;
}

/** Reads what runs used in exchanges up to one with this number, those of the last days. `now`: Unix time in milliseconds. */
export async function readRunUse({ db }: Store, seq: number, now: number): Promise<StoredRun[]> {
  interface Row extends Use {
    readonly run: RunId;
    readonly clientId: string;
    readonly isSandbox: number;
    readonly at: number;
  }
  const { rows } =
    await sql<Row>`select run, client_id as clientId, service = ${SANDBOX_ID} as isSandbox, max(last_at) as at,
      sum(coalesce(cost, 0)) as money, sum(times) as requests,
      sum(coalesce(usage_input, 0) + coalesce(usage_output, 0)) as tokens
    from exchange
    where started_at >= ${now - KNOWN_MS} and seq <= ${seq} and run is not null
      and client_id is not null and cost_source is not null
    group by run, isSandbox, clientId order by at`.execute(db);
  return rows.map(({ run, clientId, isSandbox, at, money, tokens, requests }) => ({
    run,
    clientId,
    scope: isSandbox === 1 ? 'sandbox' : 'services',
    use: { money, tokens, requests },
    ageMs: Math.max(0, now - at),
  }));
}
