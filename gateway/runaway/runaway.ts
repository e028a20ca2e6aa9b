import { ClientId } from '../../shared/client.ts';
import { Problem } from '../../shared/problem.ts';
import { describeRunaway } from '../../shared/run/describe-runaway.ts';
import type { Runaway, RunawayCause } from '../../shared/run/runaway.ts';
import { RunId } from '../../shared/exchange/exchange.ts';
import type { Settings } from '../../shared/settings.ts';
import { quoteForShell } from '../../shared/shell-quote.ts';
import type { WatchedStep } from '../bodies/bodies.ts';
import type { Log } from '../host.ts';
import { Emitter } from '../lib/emitter.ts';
import { type RunCount, StepCounts } from './step-counts.ts';

/** The settings about agents that run away. */
export type RunawaySettings = Pick<
  Settings,
  'runawayAction' | 'runawayRequests' | 'runawayMinutes' | 'runawayRepeats' | 'runawayAgents'
>;

export interface RunawaysOptions {
  readonly settings: () => RunawaySettings;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Milliseconds of the monotonic clock, with which steps are timed. */
  readonly monotonic: () => number;
  readonly log: Log;
  /** The name of the command line. */
  readonly command: string;
}

interface Alarm {
  readonly runaway: Runaway;
  /** When its run last sent a request, in milliseconds of the monotonic clock. */
  readonly seenAt: number;
}

const MINUTE_MS = 60_000;
/** An alarm of a run that sends nothing more ends after this time. */
const IDLE_MS = 60 * MINUTE_MS;

/**
 * Notices agents that run away, and refuses the requests of clients that were stopped. There is at most one alarm of a client; another run
 * of it is noticed when that one has ended. All of it is in memory: a start stops nobody.
 */
export class Runaways {
  readonly #options: RunawaysOptions;
  readonly #counts = new StepCounts();
  readonly #alarms = new Map<string, Alarm>();
  readonly #listeners = new Emitter();

  constructor(options: RunawaysOptions) {
    this.#options = options;
  }

  /** Takes steps of runs, and notices those that run away. */
  take(steps: readonly WatchedStep[]): void {
    const settings = this.#options.settings();
    if (settings.runawayAction === 'off') return;
    let isChanged = false;
    for (const step of steps) isChanged = this.#take(step, settings) || isChanged;
    if (isChanged) this.#listeners.emit();
  }

  /** Refuses the requests of a client that was stopped. @throws Problem local_agent_stopped */
  admit({ id, name }: { readonly id: string; readonly name: string }): void {
    const runaway = this.#alarms.get(id)?.runaway;
    if (runaway?.stopped === true) throw this.#toProblem(name, runaway.cause);
  }

  /** Lists the alarms and the stopped clients, the latest first. */
  list(): Runaway[] {
    return [...this.#alarms.values()]
      .filter((alarm) => this.#isOpen(alarm))
      .map(({ runaway }) => runaway)
      .toReversed();
  }

  /** Refuses the requests of a client from now on; those in flight go on. */
  stop({ id, name }: { readonly id: string; readonly name: string }): void {
    const { now, monotonic } = this.#options;
    const known = this.#alarms.get(id)?.runaway ?? {
      clientId: ClientId.parse(id),
      clientName: name,
      run: null,
      cause: null,
      at: now(),
    };
    this.#alarms.set(id, { runaway: { ...known, stopped: true }, seenAt: monotonic() });
    this.#listeners.emit();
  }

  /** Lets a client go on, and begins its counts anew. Returns whether there was an alarm, or it was stopped. */
  resume(id: string): boolean {
    this.#counts.forget(id);
    const isKnown = this.#alarms.delete(id);
    if (isKnown) this.#listeners.emit();
    return isKnown;
  }

  /** Ends all alarms, but for clients that a person stopped, once the action is off. Must be called when the settings were changed. */
  applySettings(): void {
    if (this.#options.settings().runawayAction !== 'off') return;
    this.#counts.clear();
    const before = this.#alarms.size;
    for (const [id, { runaway }] of this.#alarms) {
      if (runaway.cause !== null) this.#alarms.delete(id);
    }
    if (this.#alarms.size < before) this.#listeners.emit();
  }

  /** Calls the listener when alarms began, changed or ended. Returns a function that removes the listener. */
  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Returns whether an alarm began, changed or ended. */
  #take(step: WatchedStep, settings: RunawaySettings): boolean {
    const { clientId, clientName, at: seenAt } = step;
    const alarm = this.#alarms.get(clientId);
    // The requests that were in flight when it was stopped end now.
    if (alarm?.runaway.stopped === true) return false;
    const cause = findCause(this.#counts.add(step), settings);
    const isSameRun = alarm?.runaway.run === step.run;
    if (alarm !== undefined && !isSameRun && this.#isOpen(alarm)) return false;
    if (cause === null) return isSameRun && this.#alarms.delete(clientId);
    const stopped = settings.runawayAction === 'stop';
    const known = isSameRun ? alarm?.runaway : undefined;
    const present = known ?? {
      clientId: ClientId.parse(clientId),
      clientName,
      run: RunId.parse(step.run),
      at: this.#options.now(),
    };
    this.#alarms.set(clientId, { runaway: { ...present, cause, stopped }, seenAt });
    if (known === undefined || stopped) this.#report(clientName, cause, stopped);
    return true;
  }

  #isOpen({ runaway, seenAt }: Alarm): boolean {
    return runaway.stopped || seenAt > this.#options.monotonic() - IDLE_MS;
  }

  #report(name: string, cause: RunawayCause, stopped: boolean): void {
    const { log, command } = this.#options;
    const quoted = quoteForShell(name);
    const resume = `${command} clients resume ${quoted}`;
    const choice = stopped
      ? `Its requests are refused. Let it go on: ${resume}`
      : `Stop it: ${command} clients stop ${quoted}. Let it go on: ${resume}`;
    log('warn', `${name} ${describeRunaway(cause)}. ${choice}`);
  }

  #toProblem(name: string, cause: RunawayCause | null): Problem {
    const reason = cause === null ? 'A person stopped it' : `Its agent ${describeRunaway(cause)}`;
    const resume = `${this.#options.command} clients resume ${quoteForShell(name)}`;
    return new Problem(
      'local_agent_stopped',
      `Gatehouse stopped ${name}. ${reason}. Nothing was sent. Let it go on in Gatehouse on Home, or with the command “${resume}”.`,
    );
  }
}

function findCause(
  { requests, passedMs, repeats, tools, agents }: RunCount,
  { runawayRequests, runawayMinutes, runawayRepeats, runawayAgents }: RunawaySettings,
): RunawayCause | null {
  if (repeats >= runawayRepeats) return { kind: 'repeats', tools, times: repeats };
  if (agents >= runawayAgents) return { kind: 'agents', agents };
  const minutes = Math.floor(passedMs / MINUTE_MS);
  return requests >= runawayRequests && minutes >= runawayMinutes
    ? { kind: 'requests', requests, minutes }
    : null;
}
