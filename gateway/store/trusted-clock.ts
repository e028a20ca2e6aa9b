import { sql } from 'kysely';
import type { Log } from '../host.ts';
import type { Store } from './store.ts';

/**
 * The clock for deletion by age: the machine's clock, as far as it is confirmed. A clock that jumps ahead deletes nothing; it
 * is trusted again when a service sends about the same time in its answers (`Date`, RFC 9110 section 6.6.1), or when it agrees
 * again with the last run plus the elapsed time.
 */
export interface TrustedClock {
  /** Returns Unix time in milliseconds; never ahead of the machine's clock. */
  now(): number;
  /** Returns how far the machine's clock is behind the confirmed time, in milliseconds; 0 when it is not. */
  behind(): number;
  /** Returns how far the machine's clock is ahead of the confirmed time, in milliseconds; 0 when it is trusted. */
  ahead(): number;
  /**
   * Confirms a Unix time in milliseconds that a service on another machine sent. A time ahead of this machine's clock is
   * ignored.
   */
  confirm(date: number): void;
  /** Saves the confirmed time for the next start. Rejects with the store's errors. */
  save(): Promise<void>;
}

export interface TrustedClockOptions {
  readonly store: Store;
  readonly log: Log;
  /** The machine's clock: Unix time in milliseconds. */
  readonly now: () => number;
}

const KEY = 'confirmed-time';
const HOUR_MS = 3_600_000;
/** A clock that is ahead by less is trusted: the machine may have been off for a weekend. */
const MAX_UNSEEN_MS = 3 * 24 * HOUR_MS;
/** Correct clocks may differ by this much. */
const TOLERANCE_MS = HOUR_MS;

/** Starts with the time that the last run confirmed, or with the newest exchange; with neither there is nothing to lose. */
export async function openTrustedClock(options: TrustedClockOptions): Promise<TrustedClock> {
  const known =
    (await readSavedTime(options.store)) ?? (await readNewestExchangeTime(options.store));
  return new Clock(options, known ?? options.now());
}

class Clock implements TrustedClock {
  readonly #options: TrustedClockOptions;
  /** The confirmed time, in Unix milliseconds; `#at` is the monotonic time of its confirmation. */
  #confirmed: number;
  #at = performance.now();
  #isLogged = false;

  constructor(options: TrustedClockOptions, confirmed: number) {
    this.#options = options;
    this.#confirmed = confirmed;
  }

  now(): number {
    const now = this.#options.now();
    const expected = this.#expected();
    const ahead = now - expected;
    if (ahead > MAX_UNSEEN_MS) {
      this.#logOnce(ahead);
      return expected;
    }
    if (ahead > 0) this.#believe(now);
    return now;
  }

  behind(): number {
    const behind = this.#expected() - this.#options.now();
    return behind > TOLERANCE_MS ? Math.round(behind) : 0;
  }

  ahead(): number {
    const ahead = this.#options.now() - this.#expected();
    return ahead > MAX_UNSEEN_MS ? Math.round(ahead) : 0;
  }

  confirm(date: number): void {
    // A future date confirms nothing: it would make a later jump of this clock look small.
    if (!Number.isFinite(date) || date > this.#options.now() + TOLERANCE_MS) return;
    this.#believe(date);
    if (this.ahead() === 0) this.#isLogged = false;
  }

  async save(): Promise<void> {
    this.now();
    const row = [KEY, JSON.stringify(Math.round(this.#expected()))];
    await this.#options.store.write([
      {
        sql: 'insert into setting (key, value) values (?, ?) on conflict (key) do update set value = excluded.value',
        rows: [row],
      },
    ]);
  }

  #expected(): number {
    return this.#confirmed + (performance.now() - this.#at);
  }

  #believe(time: number): void {
    this.#confirmed = time;
    this.#at = performance.now();
  }

  #logOnce(ahead: number): void {
    if (this.#isLogged) return;
    this.#isLogged = true;
    this.#options.log(
      'warn',
      'The clock of this machine is far ahead of the last known time. Nothing is deleted by age until a service confirms the time.',
      { days: Math.round(ahead / (24 * HOUR_MS)) },
    );
  }
}

async function readSavedTime({ db }: Store): Promise<number | null> {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', KEY)
    .executeTakeFirst();
  const time = Number(row?.value ?? Number.NaN);
  return Number.isFinite(time) ? time : null;
}

async function readNewestExchangeTime({ db }: Store): Promise<number | null> {
  const { rows } = await sql<{ at: number | null }>`
    select started_at as at from exchange order by seq desc limit 1`.execute(db);
  return rows[0]?.at ?? null;
}
