import { Mutex } from 'async-mutex';
import { rm, rename } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import type { Log } from '../host.ts';
import { BodyThread, BodyThreadError } from './body-thread.ts';
import type { BodyRequests } from './protocol.ts';

export interface BodyThreadHostOptions {
  /** Path of the database. */
  readonly file: string;
  readonly log: Log;
  /** Is called with a thread that has just opened the database, before anything else is sent to it. */
  readonly onOpen: (thread: BodyThread) => Promise<void>;
}

/** Without requests for so long the thread ends, because an idle one keeps about 30 MB. */
const IDLE_MS = 30_000;
/** Pause after a failed opening: starting a thread for each batch of a full disk would take a whole core. */
const RETRY_MS = 30_000;
const CLOSE_MS = 5_000;
/** SQLite's codes for a damaged file, and for one that is no database (https://www.sqlite.org/rescode.html). */
const DAMAGE_CODES: readonly number[] = [11, 26];

/** Runs the thread of the bodies while it is needed: starts it with a request, ends it when idle, and replaces one that failed. */
export class BodyThreadHost {
  readonly #options: BodyThreadHostOptions;
  readonly #mutex = new Mutex();
  #thread: BodyThread | null = null;
  #failure: { readonly error: unknown; readonly at: number } | null = null;
  #idle: NodeJS.Timeout | null = null;
  #waiting = 0;
  #removals = 0;

  constructor(options: BodyThreadHostOptions) {
    this.#options = options;
  }

  /** Whether there is a database, or one is being made; not while it is being deleted, when a request would make another one. */
  get exists(): boolean {
    if (this.#removals > 0) return false;
    return this.#thread !== null || this.#waiting > 0 || existsSync(this.#options.file);
  }

  /** Sends a request to the thread. @throws the error of the thread, or that of a recent failed start */
  async request<Kind extends keyof BodyRequests>(
    kind: Kind,
    request: BodyRequests[Kind]['request'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<BodyRequests[Kind]['result']> {
    this.#waiting += 1;
    if (this.#idle !== null) clearTimeout(this.#idle);
    try {
      // It is sent while the mutex is held, so that nothing ends the thread between opening and sending.
      const { thread, reply } = await this.#mutex.runExclusive(async () => {
        const opened = await this.#open();
        return { thread: opened, reply: opened.request(kind, request, transfer) };
      });
      return await this.#orReplace(thread, reply);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0 && this.#thread !== null)
        this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  /** Deletes the database, also one that cannot be read. @throws when the system refuses */
  async remove(): Promise<void> {
    this.#removals += 1;
    try {
      await this.#mutex.runExclusive(async () => {
        await this.#end();
        for (const path of listFiles(this.#options.file)) await rm(path, { force: true });
        await rm(toAside(this.#options.file), { force: true });
        this.#failure = null;
      });
    } finally {
      this.#removals -= 1;
    }
  }

  /** Ends the thread after the requests so far. A later request starts another one. */
  async close(): Promise<void> {
    if (this.#idle !== null) clearTimeout(this.#idle);
    await this.#mutex.runExclusive(() => this.#end());
  }

  async #open(): Promise<BodyThread> {
    if (this.#thread?.hasEnded === false) return this.#thread;
    this.#thread = null;
    if (this.#failure !== null && performance.now() - this.#failure.at < RETRY_MS)
      throw this.#failure.error;
    this.#thread = await this.#start();
    this.#failure = null;
    return this.#thread;
  }

  async #start(): Promise<BodyThread> {
    const thread = new BodyThread();
    try {
      await thread.request('open', { file: this.#options.file });
      await this.#options.onOpen(thread);
      return thread;
    } catch (error) {
      await thread.end();
      // The next request finds no damaged file any more.
      if (isDamage(error)) await this.#setAside(error);
      else this.#failure = { error, at: performance.now() };
      throw error;
    }
  }

  /** Awaits a reply. When it says that the database is damaged, the thread is ended and the next request begins a new database. */
  async #orReplace<Value>(thread: BodyThread, reply: Promise<Value>): Promise<Value> {
    try {
      return await reply;
    } catch (error) {
      if (isDamage(error)) {
        await this.#mutex.runExclusive(async () => {
          // Several requests may fail for one damage, and the database may be a new one already.
          if (this.#thread !== thread) return;
          this.#thread = null;
          await thread.end();
          await this.#setAside(error);
        });
      }
      throw error;
    }
  }

  /** Bodies can be lost without harm, so a damaged database is set aside for a new one. No thread may have it open. */
  async #setAside(error: unknown): Promise<void> {
    const { file, log } = this.#options;
    const [database = file, ...others] = listFiles(file);
    const aside = toAside(file);
    log('warn', `The stored requests and responses are damaged and were set aside as ${aside}.`, {
      reason: String(error),
    });
    for (const path of others) await rm(path, { force: true });
    if (existsSync(database)) await rename(database, aside);
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    if (thread === null || thread.hasEnded) return;
    const deadline = setTimeout(() => void thread.end(), CLOSE_MS);
    await thread.request('close', {}).catch(() => undefined);
    clearTimeout(deadline);
  }
}

function listFiles(file: string): string[] {
  return [file, `${file}-wal`, `${file}-shm`];
}

function toAside(file: string): string {
  return `${file}.damaged`;
}

function isDamage(error: unknown): boolean {
  const code = error instanceof BodyThreadError ? error.errcode : null;
  return code !== null && DAMAGE_CODES.includes(code & 0xff);
}
