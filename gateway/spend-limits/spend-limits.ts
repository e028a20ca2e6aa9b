import type { RunId } from '../../shared/exchange/exchange.ts';
import type { UsageScope } from '../../shared/history/history.ts';
import {
  type Limit,
  type LimitException,
  LimitId,
  type LimitKind,
  type LimitState,
  type NewLimit,
  type UnpricedPass,
} from '../../shared/money/limit.ts';
import type { Problem } from '../../shared/problem.ts';
import { NotFoundError, UserError } from '../errors.ts';
import type { Log } from '../host.ts';
import { Emitter } from '../lib/emitter.ts';
import type { Store } from '../store/store.ts';
import { LONGEST_PERIOD_MS } from './period.ts';
import { cutProblem, type ExceededLimit, limitProblem, unpricedProblem } from './limit-problem.ts';
import {
  changeLimitAmount,
  deleteLimit,
  insertLimit,
  readLimits,
  writeException,
} from './limit-rows.ts';
import {
  concerns,
  growsWithResponse,
  isOfKind,
  isSuspended,
  neededOf,
  parseLimit,
  type SpendRequest,
} from './limit-rules.ts';
import { readSpend } from './spend-rows.ts';
import { Refusals } from './refusals.ts';
import { readLatestSeq, readRunUse } from './run-counts.ts';
import { SpendCounts, type Spent } from './spend-counts.ts';
import { NO_USE, type Use } from './timeline.ts';
import { type NotedPass, UnpricedPasses } from './unpriced-passes.ts';
import { UsedExceptions } from './used-exceptions.ts';
import { learnFromHistory, UsageEstimates } from './usage-estimates.ts';

export { measureRequest, type RequestSize, type UsageEstimates } from './usage-estimates.ts';
export { spendStatement } from './spend-rows.ts';
export type { SpendRequest } from './limit-rules.ts';

export interface SpendLimitsOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** The same as far as it is confirmed, see `TrustedClock.now`. */
  readonly confirmedNow: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Log;
  /** The command of the command line for messages. */
  readonly command: string;
  /** Returns the currency of amounts. */
  readonly currency: () => string;
  /** Whether limits of money refuse requests to models without a price, as it is now. */
  readonly refusesUnpriced: () => boolean;
}

/** A request that counts against the limits until it has ended. */
export interface Admission {
  /** Returns whether a limit of money or tokens counts it now. */
  isLimited(): boolean;
  /** Replaces its estimate by what it used. A second call, and one after `cancel`, does nothing. */
  settle(used: Spent): void;
  /** Takes it back, because there is nothing to pay. */
  cancel(): void;
  /** Counts what a response has used so far where that is more than was estimated. */
  raise(used: Spent): void;
  /** Returns the problem when a limit is exceeded by what it has used so far; `null` otherwise, and for a request that was excepted. */
  findExceeded(used: Spent): Problem | null;
}

/** The limits of what clients may use. */
export interface SpendLimits {
  readonly estimates: UsageEstimates;
  /** Lists the limits with what is used of them at a service or at the sandbox. */
  list(scope: UsageScope): readonly LimitState[];
  /** Returns what a limit of this kind would count as used now; of one for each run, what the run has used that used most lately. */
  findUsed(kind: LimitKind, scope: UsageScope): Promise<number>;
  /** Sets a limit, or changes the amount of one for the same client, measure and period. @throws UserError */
  set(limit: NewLimit): Promise<Limit>;
  /**
   * Lets pass what a limit would refuse: everything for an hour, the next request, or nothing any more. It still counts. If this process
   * ends before a used exception for one request is saved, it holds once more. @throws NotFoundError
   */
  allow(id: string, exception: LimitException): Promise<void>;
  /** @throws NotFoundError */
  remove(id: string): Promise<void>;
  /**
   * Counts a request before it is sent, or refuses it. It is one step: no two requests get the same rest of an allowance.
   * @throws Problem local_limit_reached, local_rate_reached
   */
  admit(request: SpendRequest): Admission;
  /** Returns why a request would be refused now; `null` when it would not. Counts nothing. */
  findRefusal(request: SpendRequest): Problem | null;
  /** Lists which requests passed limits of money uncounted; `isPriced` tells whether their model got a price since. */
  listUnpriced(isPriced: (pass: NotedPass) => boolean): readonly UnpricedPass[];
  /** Reads the limits again after another process changed them. */
  reload(): Promise<void>;
  /** Calls the listener when limits were changed. Returns a function that removes the listener. */
  on(listener: () => void): () => void;
}

/** More than anybody oversees. */
const MAX_LIMITS = 500;
const ID_BYTES = 8;

/** Opens the limits of a store. */
export async function openSpendLimits(options: SpendLimitsOptions): Promise<SpendLimits> {
  const limits = new StoredSpendLimits(options);
  await limits.load();
  return limits;
}

/** The use of a request that is not settled. */
interface RunningUse {
  /** The part that its limits count now. */
  readonly counted: Spent;
  readonly used: Spent;
  /** Limits that it passed by an exception. */
  readonly excepted: readonly Limit[];
}

class StoredSpendLimits implements SpendLimits {
  readonly estimates = new UsageEstimates();
  readonly #options: SpendLimitsOptions;
  readonly #listeners = new Emitter();
  #limits: readonly Limit[] = [];
  readonly #counts = new SpendCounts();
  readonly #passes = new UnpricedPasses();
  /** The latest exchange of earlier processes; what came later is counted here. */
  #earlierSeq = 0;
  /** Reads what runs used in earlier processes, once there is a limit for them. */
  #loadingRuns: Promise<void> | null = null;
  readonly #usedExceptions: UsedExceptions;
  readonly #refusals = new Refusals();

  constructor(options: SpendLimitsOptions) {
    this.#options = options;
    this.#usedExceptions = new UsedExceptions(options.store, options.log);
  }

  async load(): Promise<void> {
    const { store } = this.#options;
    const since = this.#earliestNow() - LONGEST_PERIOD_MS;
    for (const { scope, clientId, at, use } of await readSpend(store, since))
      this.#counts.addEarlier({ scope, clientId, at }, use);
    await learnFromHistory(this.estimates, store);
    this.#earlierSeq = await readLatestSeq(store);
    await this.reload();
  }

  async #loadRuns(): Promise<void> {
    const reading = readRunUse(this.#options.store, this.#earlierSeq, this.#earliestNow());
    const runs = await reading.catch((error: unknown) => {
      this.#loadingRuns = null;
      throw error;
    });
    for (const { use, ageMs, ...run } of runs) this.#counts.addEarlierRun(run, use, ageMs);
  }

  /** A clock that is ahead must not make known use forgotten. */
  #earliestNow(): number {
    const { now, confirmedNow } = this.#options;
    return Math.min(now(), confirmedNow());
  }

  list(scope: UsageScope): readonly LimitState[] {
    const now = this.#options.now();
    return this.#limits.map((limit) => {
      const refusal = this.#refusals.find(scope, limit.id, now);
      const isPresent = refusal !== null && this.#counts.isInPeriod(limit, refusal.at, now);
      const isRefused = (run: RunId | null) => isPresent && run === refusal.run;
      const most =
        limit.period === 'run' ? this.#counts.findMostUsed(limit, scope, isRefused) : null;
      const isShown = isPresent && (limit.period !== 'run' || most?.isRefused === true);
      return {
        ...limit,
        clientName: null,
        used: most?.used ?? this.#counts.usedInPeriod(limit, scope, now),
        run: most?.run ?? null,
        resetsAt: this.#counts.resetOf(limit, scope, now),
        refusedAt: isShown ? refusal.at : null,
        refusedNeed: isShown ? refusal.needed : null,
      };
    });
  }

  async findUsed(kind: LimitKind, scope: UsageScope): Promise<number> {
    if (kind.period !== 'run') return this.#counts.usedInPeriod(kind, scope, this.#options.now());
    await (this.#loadingRuns ??= this.#loadRuns());
    return this.#counts.findMostUsed(kind, scope, () => false)?.used ?? 0;
  }

  async set(given: NewLimit): Promise<Limit> {
    const { store, now, randomBytes } = this.#options;
    const limit = parseLimit(given);
    const changed = await this.#changeAmount(limit);
    if (changed !== null) return changed;
    if (this.#limits.length >= MAX_LIMITS)
      throw new UserError(`There may be ${MAX_LIMITS} limits. Remove some first.`, null);
    const id = LimitId.parse(`limit-${Buffer.from(randomBytes(ID_BYTES)).toString('hex')}`);
    const createdAt = now();
    await insertLimit(store, { ...limit, id, createdAt });
    await this.reload();
    return { ...limit, id, createdAt, suspended: null, allowedOnceAt: null };
  }

  /** Changes the amount of a limit of the same kind; `null` when there is none. Its exceptions stay. */
  async #changeAmount({ amount, ...kind }: NewLimit): Promise<Limit | null> {
    const known = this.#limits.find((limit) => isOfKind(limit, kind));
    if (known === undefined) return null;
    const isChanged = await changeLimitAmount(this.#options.store, known.id, amount);
    await this.reload();
    return isChanged ? { ...known, amount } : null;
  }

  async allow(id: string, exception: LimitException): Promise<void> {
    const { store, now } = this.#options;
    const isChanged = await writeException(store, id, { exception, at: Math.round(now()) });
    await this.reload();
    if (!isChanged) throw new NotFoundError('This limit was removed or replaced.');
  }

  async remove(id: string): Promise<void> {
    const isRemoved = await deleteLimit(this.#options.store, id);
    await this.reload();
    if (!isRemoved) throw new NotFoundError('This limit was removed or replaced.');
  }

  admit(request: SpendRequest): Admission {
    this.#counts.trim(this.#earliestNow());
    const { estimate, refusal, excepted, isUncounted } = this.#checkAll(request);
    if (refusal !== null) {
      const { limit, problem, needed } = refusal;
      const at = this.#options.now();
      this.#refusals.note(request.scope, limit.id, { at, run: request.run, needed });
      throw problem;
    }
    // Only now is it certain that no other limit refuses the request.
    if (excepted.length > 0) {
      this.#usedExceptions.use(excepted);
      this.#limits = this.#limits.map((limit) => this.#usedExceptions.without(limit));
      this.#listeners.emit();
    }
    const counted = this.#counts.begin(request, estimate);
    return {
      isLimited: () =>
        this.#limits.some((limit) => growsWithResponse(limit) && concerns(limit, request)),
      raise: (used) => counted.raise(used),
      settle: (used) => {
        counted.settle(used);
        if (isUncounted) this.#notePass(request);
      },
      cancel: () => counted.cancel(),
      findExceeded: (used) =>
        this.#findExceeded(request, { counted: counted.counted, used, excepted }),
    };
  }

  findRefusal(request: SpendRequest): Problem | null {
    return this.#checkAll(request).refusal?.problem ?? null;
  }

  /** Checks a request against the limits up to the first that refuses it. */
  #checkAll(request: SpendRequest) {
    const { money, tokens } = this.#limits.length === 0 ? NO_USE : request.expected();
    const estimate = { money: money ?? 0, tokens, requests: 1 };
    const excepted: Limit[] = [];
    let isUncounted = false;
    for (const limit of this.#limits) {
      if (!concerns(limit, request)) continue;
      const isUnpriced = limit.measure === 'money' && money === null;
      const checked = this.#check(limit, request, { estimate, isUnpriced });
      if (checked === 'excepted') excepted.push(limit);
      else if (checked !== null)
        return { estimate, refusal: { limit, ...checked }, excepted, isUncounted };
      isUncounted ||= isUnpriced;
    }
    return { estimate, refusal: null, excepted, isUncounted };
  }

  async reload(): Promise<void> {
    const { store, log } = this.#options;
    // The runs are known before a limit for them holds, and what changed meanwhile is read after them.
    if ((await readLimits(store, log)).some(({ period }) => period === 'run')) {
      await (this.#loadingRuns ??= this.#loadRuns());
    }
    const limits = (await readLimits(store, log)).map((limit) =>
      this.#usedExceptions.without(limit),
    );
    for (const { id, amount } of this.#limits) {
      const now = limits.find((limit) => limit.id === id);
      if (now === undefined) this.#usedExceptions.forget(id);
      // A changed amount may let pass what was refused.
      if (now?.amount !== amount) this.#refusals.forget(id);
    }
    if (JSON.stringify(limits) === JSON.stringify(this.#limits)) return;
    this.#limits = limits;
    this.#listeners.emit();
  }

  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Returns why a limit refuses a request, or that the request needs its exception for one; `null` when it fits. */
  #check(
    limit: Limit,
    request: SpendRequest,
    { estimate, isUnpriced }: { readonly estimate: Use; readonly isUnpriced: boolean },
  ): { readonly needed: number | null; readonly problem: Problem } | 'excepted' | null {
    const used = this.#counts.used(limit, request);
    const needed = neededOf(limit, estimate);
    const fits = used + needed <= limit.amount;
    const isLacking = isUnpriced && this.#options.refusesUnpriced();
    const passes = fits && !isLacking;
    if (passes || isSuspended(limit, request.at)) return null;
    if (limit.allowedOnceAt !== null) return 'excepted';
    const exceeded = this.#describe(limit, request, { used, needed });
    return fits
      ? { needed: null, problem: unpricedProblem(exceeded, request.model) }
      : { needed: isLacking ? null : needed, problem: limitProblem(exceeded) };
  }

  #notePass({ clientName, model, service, scope, at }: SpendRequest): void {
    if (scope === 'sandbox' || model === null) return;
    if (this.#passes.note({ clientName, model, service, at })) this.#listeners.emit();
  }

  listUnpriced(isPriced: (pass: NotedPass) => boolean): readonly UnpricedPass[] {
    return this.#passes.list(this.#limits, isPriced);
  }

  /** Finds a limit of money or tokens that a running request exceeds by what it has used so far. */
  #findExceeded(request: SpendRequest, { counted, used, excepted }: RunningUse): Problem | null {
    for (const limit of this.#limits) {
      if (!growsWithResponse(limit) || !concerns(limit, request)) continue;
      const { measure } = limit;
      if (isSuspended(limit, this.#options.now())) continue;
      if (excepted.some(({ id }) => id === limit.id)) continue;
      const others = this.#counts.used(limit, request) - counted[measure];
      if (others + used[measure] <= limit.amount) continue;
      const needed = used[measure];
      return cutProblem(this.#describe(limit, request, { used: others, needed }));
    }
    return null;
  }

  #describe(
    limit: Limit,
    { clientName, scope, run, at }: SpendRequest,
    amounts: Pick<ExceededLimit, 'used' | 'needed'>,
  ): ExceededLimit {
    return {
      ...amounts,
      limit,
      run,
      clientName: limit.clientId === null ? null : clientName,
      resetsAt: this.#counts.resetOf(limit, scope, at),
      now: this.#options.now(),
      currency: this.#options.currency(),
      command: this.#options.command,
    };
  }
}
