import type { Model } from '../../shared/model.ts';
import { Problem } from '../../shared/problem.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';

import { ModelIndex, type ModelMatch } from './model-index.ts';
import { parseModelList } from './model-list.ts';
import { loadModelList, type CachedModelList, saveModelList } from './cached-model-list.ts';

export { type ModelMatch } from './model-index.ts';
export { countModels, readModelList } from './model-list.ts';
export { appendModels, wrapModelList } from './wrapped-list.ts';

export interface ModelsOptions {
  readonly store: Store;
  /** Base address of the upstream that the list belongs to. */
  readonly upstream: string;
  /** Fetches the body of `GET /v1/models`, decoded. Rejects unless it is answered with a model list. */
  fetchList(signal: AbortSignal): Promise<Buffer>;
  /** Unix time in milliseconds. */
  now(): number;
  readonly log: Log;
  /** Called when the list changes, becomes available or becomes unavailable. */
  onChange?(): void;
}

/** The models of one upstream, cached across restarts. */
export interface Models {
  /** Returns the last known list; empty when there is none. */
  known(): readonly Model[];
  /** Returns the milliseconds since the list was fetched; `null` when it never was. */
  age(): number | null;
  /** Returns the Unix time in milliseconds of the last fetch; `null` when there was none. */
  fetchedAt(): number | null;
  /** Describes why the last fetch failed; `null` when it succeeded. */
  problem(): string | null;
  /** Describes which models of the service are left out; `null` when none is. */
  omitted(): string | null;
  /** Returns whether the last known list contains exactly this id. */
  has(id: string): boolean;
  /**
   * Looks up a model name. Never rejects. Waits at most 3 s, and only for an unknown id while the list is absent or older than
   * 60 s.
   */
  match(name: string): Promise<ModelMatch>;
  /**
   * Learns from a complete model list that passed through, requested without a query; ignores pages of a list, and anything
   * else.
   */
  learn(body: Buffer): void;
  /**
   * Fetches the list unless there is one or that was tried before, so that the first unknown id need not wait. Never
   * rejects; a failure is logged and is the `problem`.
   */
  fetchFirst(): void;
  /** Fetches the list now. Rejects when that fails; the old list stays. */
  refresh(): Promise<readonly Model[]>;
  /** Stops fetching and waits until the list is saved. The store stays open. */
  close(): Promise<void>;
}

interface LoadedList {
  /** The stored text: as received, or without the entries that are left out. */
  readonly body: string;
  readonly omitted: string | null;
  readonly models: readonly Model[];
  readonly index: ModelIndex;
  readonly fetchedAt: number;
}

const MAX_AGE_MS = 60_000;
const FETCH_TIMEOUT_MS = 15_000;
const MAX_WAIT_MS = 3_000;
/** After a failed fetch, no caller waits for another one within this time. */
const RETRY_DELAY_MS = 10_000;

class StoredModels implements Models {
  readonly #options: ModelsOptions;
  readonly #closing = new AbortController();
  #known: LoadedList | null = null;
  #fetching: Promise<readonly Model[]> | null = null;
  #failedAt = Number.NEGATIVE_INFINITY;
  #problem: string | null = null;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: ModelsOptions) {
    this.#options = options;
  }

  async load(): Promise<void> {
    const { store, upstream } = this.#options;
    const row = await loadModelList(store, upstream);
    if (row === null || !this.#accept(row.body, row.fetchedAt)) return;
    // An earlier version stored any text, and a key may have become known only now.
    if (this.#known?.body !== row.body) this.#save(row.fetchedAt);
  }

  known(): readonly Model[] {
    return this.#known?.models ?? [];
  }

  age(): number | null {
    return this.#known === null ? null : this.#options.now() - this.#known.fetchedAt;
  }

  fetchedAt(): number | null {
    return this.#known?.fetchedAt ?? null;
  }

  problem(): string | null {
    return this.#problem;
  }

  omitted(): string | null {
    return this.#known?.omitted ?? null;
  }

  has(id: string): boolean {
    return this.#known?.index.has(id) === true;
  }

  async match(name: string): Promise<ModelMatch> {
    if (this.has(name)) return { kind: 'exact' };
    if (this.#shouldFetch()) await waitUpTo(this.#fetch(), MAX_WAIT_MS);
    return this.#known?.index.match(name) ?? { kind: 'none', suggestions: [] };
  }

  learn(body: Buffer): void {
    const now = this.#options.now();
    if (this.#accept(body.toString(), now)) this.#save(now);
  }

  fetchFirst(): void {
    if (this.#known !== null || this.#failedAt !== Number.NEGATIVE_INFINITY) return;
    this.#fetch().catch(() => undefined);
  }

  async refresh(): Promise<readonly Model[]> {
    return this.#fetch();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#fetching !== null) await waitUpTo(this.#fetching, MAX_WAIT_MS);
    await this.#saving;
  }

  #shouldFetch(): boolean {
    const age = this.age();
    // A negative age means that the clock was set back: the age says nothing then.
    const stale = age === null || age >= MAX_AGE_MS || age < 0;
    return stale && this.#options.now() - this.#failedAt >= RETRY_DELAY_MS;
  }

  #accept(received: string, fetchedAt: number): boolean {
    const body = this.#options.store.guard.redact(received);
    if (this.#known?.body === body) {
      this.#known = { ...this.#known, fetchedAt };
      this.#setProblem(null);
      return true;
    }
    const list = parseModelList(body);
    if (list === null) return false;
    const { models, omitted } = list;
    if (omitted !== null && omitted !== this.#known?.omitted) this.#options.log('warn', omitted);
    const storedBody = omitted === null ? body : JSON.stringify({ object: 'list', data: models });
    this.#known = { body: storedBody, omitted, models, index: new ModelIndex(models), fetchedAt };
    this.#problem = null;
    this.#options.onChange?.();
    return true;
  }

  #setProblem(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onChange?.();
  }

  #fetch(): Promise<readonly Model[]> {
    this.#fetching ??= this.#fetchOnce().finally(() => {
      this.#fetching = null;
    });
    return this.#fetching;
  }

  async #fetchOnce(): Promise<readonly Model[]> {
    const options = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
    try {
      const body = await abortable(options.fetchList(signal), signal);
      const before = this.#known;
      this.learn(body);
      if (this.#known === before) {
        throw new Problem(
          'upstream_invalid_answer',
          'The service sent only a page of its model list, or one that is too long.',
        );
      }
      return this.known();
    } catch (error) {
      this.#failedAt = options.now();
      if (!this.#closing.signal.aborted) {
        const reason = String(error);
        options.log('warn', 'The model list could not be fetched.', { reason });
        this.#setProblem(error instanceof Error ? error.message : 'No reason was given.');
      }
      throw error;
    }
  }

  #save(fetchedAt: number): void {
    const body = this.#known?.body ?? '';
    this.#saving = this.#saveAfter(this.#saving, { body, fetchedAt });
  }

  async #saveAfter(before: Promise<void>, list: CachedModelList): Promise<void> {
    const { store, upstream, log } = this.#options;
    await before;
    try {
      await saveModelList(store, upstream, list);
    } catch (error) {
      log('warn', 'The model list could not be saved.', { reason: String(error) });
    }
  }
}

/** Opens the models of one upstream with the list that was saved last. */
export async function openModels(options: ModelsOptions): Promise<Models> {
  const models = new StoredModels(options);
  await models.load();
  return models;
}

/** Resolves when the promise has settled in either way, or after `ms`. */
async function waitUpTo(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([Promise.allSettled([promise]), late]);
  clearTimeout(timer);
}

/** Resolves or rejects as the promise does, but rejects as soon as the signal is aborted, even when the promise never settles. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
