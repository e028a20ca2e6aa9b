import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FORGET_MS, GROWTH_MS, MAX_HOLD_MS, TRY_MS } from './call-limit.ts';
import { FIRST_OPEN_MS, MAX_OPEN_MS, OPENS_AFTER } from './circuit.ts';
import { MAX_PER_CLIENT } from './fair-queue.ts';
import { type Ticket, CallScheduler, type Waiter, type RefusalReason } from './call-scheduler.ts';

const WAIT_MS = 30_000;

interface Entry extends Waiter {
  readonly id: number;
}

/** An event that affects the calls of a service. `which` selects one of the present calls. */
type SchedulerEvent =
  | { readonly kind: 'arrive'; readonly client: string }
  | { readonly kind: 'give-up'; readonly which: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | {
      readonly kind: 'answer';
      readonly which: number;
      readonly how: 'good' | 'throttled' | 'error' | 'not-connected' | 'abandoned';
      readonly retryAfterMs: number | null;
    };

const EVENTS = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: arrival() },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('give-up'), which: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.nat(20_000) }) },
    { weight: 4, arbitrary: answer() },
  ),
  { maxLength: 200 },
) as fc.Arbitrary<readonly SchedulerEvent[]>;

function arrival() {
  return fc.record({ kind: fc.constant('arrive'), client: fc.constantFrom('a', 'b', 'c', '') });
}

function answer() {
  return fc.record({
    kind: fc.constant('answer'),
    which: fc.nat(),
    how: fc.constantFrom('good', 'good', 'throttled', 'error', 'not-connected', 'abandoned'),
    retryAfterMs: fc.option(fc.nat(100_000)),
  });
}

/** Simulates events as the program would handle them, and records the result of every call. */
class Simulation {
  readonly scheduler = new CallScheduler<Entry>();
  readonly flying: Ticket[] = [];
  readonly waiting = new Map<number, Entry>();
  readonly ends = new Map<
    number,
    { readonly at: number; readonly end: 'left' | RefusalReason['kind'] }
  >();
  now = 0;
  heldUntil = 0;
  #leftAt = Number.NEGATIVE_INFINITY;
  #id = 0;

  apply(what: SchedulerEvent): void {
    switch (what.kind) {
      case 'arrive':
        return this.arrive(what.client);
      case 'give-up': {
        const entry = pick([...this.waiting.values()], what.which);
        if (entry === undefined) return;
        expect(this.scheduler.forget(entry)).toBe(true);
        this.waiting.delete(entry.id);
        return;
      }
      case 'pass':
        return this.pass(what.ms);
      case 'answer': {
        const ticket = pick(this.flying, what.which);
        if (ticket === undefined) return;
        this.flying.splice(this.flying.indexOf(ticket), 1);
        this.#answer(ticket, what);
        this.check();
      }
    }
  }

  arrive(client: string): void {
    this.#id += 1;
    const entry = { id: this.#id, client, until: this.now + WAIT_MS };
    const ticket = this.scheduler.begin(this.now);
    if (ticket !== null) {
      this.#left(entry, ticket);
      return this.#check();
    }
    const why = this.scheduler.wait(entry, this.now);
    if (why === null) this.waiting.set(entry.id, entry);
    else this.#ended(entry, why.kind);
  }

  /** Advances the clock, with a check whenever one is due. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const next = this.scheduler.nextMs(this.now);
      if (next === null || this.now + next > until) break;
      this.now += next;
      this.check();
    }
    this.now = until;
  }

  check(): void {
    for (const decision of this.scheduler.due(this.now)) {
      this.waiting.delete(decision.entry.id);
      if ('ticket' in decision) this.#left(decision.entry, decision.ticket);
      else this.#ended(decision.entry, decision.why.kind);
    }
    this.#check();
  }

  #answer(
    ticket: Ticket,
    { how, retryAfterMs }: Extract<SchedulerEvent, { kind: 'answer' }>,
  ): void {
    if (how === 'abandoned') this.scheduler.recordAbandoned(ticket);
    else if (how === 'not-connected') this.scheduler.recordNotConnected(ticket, this.now);
    else this.scheduler.recordConnected();
    if (how === 'good') this.scheduler.recordSuccess(ticket, this.now);
    if (how === 'throttled') {
      this.scheduler.recordThrottled(ticket, retryAfterMs, this.now);
      this.heldUntil = Math.max(this.heldUntil, this.now + (retryAfterMs ?? 0));
    }
    this.scheduler.recordEnd();
  }

  #left(entry: Entry, ticket: Ticket): void {
    this.flying.push(ticket);
    this.#ended(entry, 'left');
    const { limit } = this.scheduler.state(this.now);
    const isTry = this.now - this.#leftAt >= TRY_MS;
    if (limit !== null && !isTry) expect(this.flying.length).toBeLessThanOrEqual(limit);
    this.#leftAt = this.now;
    expect(this.now).toBeGreaterThanOrEqual(this.heldUntil);
  }

  #check(): void {
    const { inFlight, waiting } = this.scheduler.state(this.now);
    expect({ inFlight, waiting }).toEqual({
      inFlight: this.flying.length,
      waiting: this.waiting.size,
    });
  }

  #ended(entry: Entry, end: 'left' | RefusalReason['kind']): void {
    expect(this.ends.has(entry.id)).toBe(false);
    expect(this.now).toBeLessThanOrEqual(entry.until);
    this.ends.set(entry.id, { at: this.now, end });
  }
}

function pick<Item>(items: readonly Item[], which: number): Item | undefined {
  return items[which % Math.max(1, items.length)];
}

function simulate(events: readonly SchedulerEvent[]): Simulation {
  const simulation = new Simulation();
  for (const what of events) simulation.apply(what);
  return simulation;
}

function expectEnds(events: readonly SchedulerEvent[]): void {
  const simulation = simulate(events);
  simulation.pass(WAIT_MS);
  expect(simulation.waiting.size).toBe(0);
  expect(simulation.scheduler.nextMs(simulation.now)).toBeNull();
}

function expectRecovery(events: readonly SchedulerEvent[]): void {
  const simulation = simulate(events);
  simulation.pass(Math.max(0, simulation.heldUntil - simulation.now) + MAX_OPEN_MS);
  while (simulation.flying.length > 0) {
    simulation.apply({ kind: 'answer', which: 0, how: 'good', retryAfterMs: null });
  }
  simulation.pass(FORGET_MS);
  simulation.arrive('a');
  simulation.apply({ kind: 'answer', which: 0, how: 'good', retryAfterMs: null });
  expect(simulation.scheduler.state(simulation.now)).toMatchObject({
    inFlight: 0,
    circuit: 'closed',
  });
  for (let n = 0; n < 5; n += 1) simulation.arrive('a');
  expect(simulation.scheduler.state(simulation.now)).toMatchObject({ inFlight: 5, limit: null });
}

/** Creates a service to which so many connections have failed that the circuit is open. */
function broken(): Simulation {
  const simulation = new Simulation();
  for (let n = 0; n < OPENS_AFTER; n += 1) {
    expect(simulation.scheduler.circuit).toBe('closed');
    simulation.arrive('a');
    simulation.apply({ kind: 'answer', which: 0, how: 'not-connected', retryAfterMs: null });
  }
  return simulation;
}

describe('In every sequence of events', () => {
  test('only a probe exceeds the limit, nothing is sent before Retry-After, and no call ends twice or too late', () => {
    fc.assert(
      fc.property(EVENTS, (events) => void simulate(events)),
      { numRuns: 500 },
    );
  });

  test('no call waits forever, even if no response ever comes', () => {
    fc.assert(fc.property(EVENTS, expectEnds), { numRuns: 300 });
  });

  test('a service that has recovered gets every call again', () => {
    fc.assert(fc.property(EVENTS, expectRecovery), { numRuns: 300 });
  });
});

describe('The limit', () => {
  test('does not exist before a 429, then is half of the calls in flight, once for a burst', () => {
    const simulation = new Simulation();
    for (let n = 0; n < 1_000; n += 1) simulation.arrive('a');
    expect(simulation.scheduler.state(0)).toMatchObject({ inFlight: 1_000, limit: null });
    for (let n = 0; n < 600; n += 1) {
      simulation.apply({ kind: 'answer', which: 0, how: 'throttled', retryAfterMs: null });
    }
    expect(simulation.scheduler.state(0)).toMatchObject({ inFlight: 400, limit: 500, heldMs: 500 });
  });

  test('is never less than one, and grows with time once the service accepts calls again', () => {
    const simulation = new Simulation();
    for (let n = 0; n < 4; n += 1) {
      simulation.arrive('a');
      simulation.apply({ kind: 'answer', which: 0, how: 'throttled', retryAfterMs: null });
      simulation.pass(10_000);
    }
    expect(simulation.scheduler.state(simulation.now)).toMatchObject({ limit: 1 });
    simulation.arrive('a');
    simulation.apply({ kind: 'answer', which: 0, how: 'good', retryAfterMs: null });
    const { limit } = simulation.scheduler.state(simulation.now);
    simulation.pass(GROWTH_MS * 10);
    expect(simulation.scheduler.state(simulation.now).limit).toBe((limit ?? 0) + 10);
  });

  test('grows from the first successful response on, not by the time before it', () => {
    const simulation = new Simulation();
    simulation.arrive('a');
    simulation.apply({ kind: 'answer', which: 0, how: 'throttled', retryAfterMs: null });
    simulation.pass(1_000);
    simulation.arrive('a');
    simulation.pass(FORGET_MS - 2_000);
    simulation.apply({ kind: 'answer', which: 0, how: 'good', retryAfterMs: null });
    expect(simulation.scheduler.state(simulation.now).limit).toBe(1);
  });

  test('lets one probe through now and then while long streams use all of it', () => {
    const simulation = new Simulation();
    for (let n = 0; n < 5; n += 1) simulation.arrive('a');
    simulation.apply({ kind: 'answer', which: 4, how: 'throttled', retryAfterMs: null });
    expect(simulation.scheduler.state(simulation.now)).toMatchObject({ inFlight: 4, limit: 2 });
    for (let n = 0; n < 3; n += 1) simulation.arrive('b');
    simulation.pass(500 + TRY_MS - 1);
    expect(simulation.scheduler.state(simulation.now)).toMatchObject({ inFlight: 4, waiting: 3 });
    simulation.pass(1);
    expect(simulation.scheduler.state(simulation.now)).toMatchObject({ inFlight: 5, waiting: 2 });
    simulation.pass(TRY_MS - 1);
    expect(simulation.scheduler.state(simulation.now)).toMatchObject({ inFlight: 5, waiting: 2 });
    simulation.pass(1);
    expect(simulation.scheduler.state(simulation.now)).toMatchObject({ inFlight: 6, waiting: 1 });
  });

  test('respects Retry-After for at most ten minutes', () => {
    const simulation = new Simulation();
    simulation.arrive('a');
    simulation.apply({ kind: 'answer', which: 0, how: 'throttled', retryAfterMs: 86_400_000 });
    expect(simulation.scheduler.state(0).heldMs).toBe(MAX_HOLD_MS);
    simulation.arrive('b');
    expect(simulation.ends.get(2)?.end).toBe('held');
  });

  test('queues calls of one client up to a maximum', () => {
    const simulation = new Simulation();
    simulation.arrive('a');
    simulation.apply({ kind: 'answer', which: 0, how: 'throttled', retryAfterMs: null });
    for (let n = 0; n < MAX_PER_CLIENT; n += 1) simulation.arrive('flood');
    expect(simulation.scheduler.waiting).toBe(MAX_PER_CLIENT);
    simulation.arrive('flood');
    expect([...simulation.ends.values()].at(-1)?.end).toBe('full');
    simulation.arrive('b');
    expect(simulation.scheduler.waiting).toBe(MAX_PER_CLIENT + 1);
  });
});

describe('The circuit', () => {
  test('opens after repeated failures, lets one probe through, and closes when that connects', () => {
    const simulation = broken();
    expect(simulation.scheduler.circuit).toBe('open');
    simulation.arrive('a');
    expect([...simulation.ends.values()].at(-1)?.end).toBe('unavailable');
    simulation.pass(FIRST_OPEN_MS);
    simulation.arrive('a');
    expect(simulation.scheduler.circuit).toBe('half-open');
    simulation.arrive('a');
    expect([...simulation.ends.values()].at(-1)?.end).toBe('unavailable');
    simulation.apply({ kind: 'answer', which: 0, how: 'error', retryAfterMs: null });
    expect(simulation.scheduler.circuit).toBe('closed');
  });

  test('stays open longer after each probe that fails', () => {
    const simulation = broken();
    for (const ms of [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]) {
      expect(simulation.scheduler.state(simulation.now).retryMs).toBe(ms);
      simulation.pass(ms);
      simulation.arrive('a');
      simulation.apply({ kind: 'answer', which: 0, how: 'not-connected', retryAfterMs: null });
    }
  });

  test('uses the next call as the probe when the first was cancelled', () => {
    const simulation = broken();
    simulation.pass(FIRST_OPEN_MS);
    simulation.arrive('a');
    simulation.apply({ kind: 'answer', which: 0, how: 'abandoned', retryAfterMs: null });
    simulation.arrive('a');
    expect(simulation.scheduler.circuit).toBe('half-open');
  });

  test('does not open when a connection succeeded between the failures', () => {
    const simulation = new Simulation();
    for (let n = 0; n < OPENS_AFTER * 3; n += 1) {
      simulation.arrive('a');
      const how = n % 3 === 0 ? 'good' : 'not-connected';
      simulation.apply({ kind: 'answer', which: 0, how, retryAfterMs: null });
    }
    expect(simulation.scheduler.circuit).toBe('closed');
  });
});
