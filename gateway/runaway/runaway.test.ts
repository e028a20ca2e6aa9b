import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WatchedStep } from '../bodies/bodies.ts';
import { Runaways, type RunawaySettings } from './runaway.ts';
import { MAX_RUNS, StepCounts } from './step-counts.ts';

const MINUTE_MS = 60_000;
const STEP: WatchedStep = {
  clientId: 'c',
  clientName: 'Agent',
  run: 'run-1',
  sequence: 1,
  at: 0,
  text: null,
  answered: true,
  calls: null,
  startsAgent: false,
};
const BASH = { digest: 'bash', names: 'Bash' };
const READ = { digest: 'read', names: 'Read' };
const at = (minute: number) => ({ ...STEP, at: minute * MINUTE_MS });
const AGENT = { id: 'c', name: 'Agent' };

/** Alarms by clocks that stand still, and what was logged. */
function openRunaways(changes: Partial<RunawaySettings> = {}) {
  const logged: string[] = [];
  const clock = { ms: 0 };
  const settings: RunawaySettings = {
    runawayAction: 'ask',
    runawayRepeats: 3,
    runawayAgents: 4,
    runawayRequests: 5,
    runawayMinutes: 10,
    ...changes,
  };
  const runaways = new Runaways({
    settings: () => settings,
    now: () => 1_000,
    monotonic: () => clock.ms,
    log: (level, message) => logged.push(`${level} ${message}`),
    command: 'gatehouse',
  });
  return { runaways, logged, clock, settings };
}

const repeat = (count: number, step: Partial<WatchedStep> = {}) =>
  Array.from({ length: count }, (): WatchedStep => ({ ...STEP, calls: BASH, ...step }));

test('equal tool calls in a row are an alarm from the set number on, whose number grows, and a line of the log', () => {
  const { runaways, logged } = openRunaways();
  runaways.take(repeat(2));
  expect(runaways.list()).toEqual([]);
  runaways.take(repeat(2));
  expect(runaways.list()).toEqual([
    {
      clientId: 'c',
      clientName: 'Agent',
      run: 'run-1',
      cause: { kind: 'repeats', tools: 'Bash', times: 4 },
      stopped: false,
      at: 1_000,
    },
  ]);
  expect(logged).toEqual([
    'warn Agent called Bash with the same arguments 3 times in a row. Stop it: gatehouse clients stop Agent. Let it go on: gatehouse clients resume Agent',
  ]);
  expect(() => runaways.admit(AGENT)).not.toThrow();
});

test.each([
  ['another call', { calls: READ }, false],
  ['an answer without calls', { calls: null }, false],
  ['a message of a person', { calls: BASH, text: 'stop' }, false],
  ['a failure', { calls: null, answered: false }, true],
  ['another agent of the run', { sequence: 2, calls: READ }, true],
])('after %s the alarm stays: %j', (_name, change, stays) => {
  const { runaways } = openRunaways();
  runaways.take(repeat(3));
  runaways.take([{ ...STEP, ...change }]);
  expect(runaways.list()).toHaveLength(stays ? 1 : 0);
});

test('requests without a person count only together with the time', () => {
  const { runaways } = openRunaways();
  runaways.take([{ ...at(0), text: 'go' }, ...[1, 2, 3, 4, 9].map(at)]);
  expect(runaways.list()).toEqual([]);
  runaways.take([at(12)]);
  expect(runaways.list()).toMatchObject([
    { cause: { kind: 'requests', requests: 6, minutes: 12 } },
  ]);
  runaways.take([{ ...at(13), text: 'go on' }]);
  expect(runaways.list()).toEqual([]);
  runaways.take([14, 15, 16].map(at));
  expect(runaways.list()).toEqual([]);
});

test('many sub-agents without a message of a person are an alarm, also when they are started at once', () => {
  const { runaways } = openRunaways({ runawayRequests: 100 });
  const start = (sequence: number) => ({ ...STEP, sequence, startsAgent: true });
  runaways.take([2, 3, 4].map(start));
  // Their further requests start nobody.
  runaways.take([2, 3, 4].map((sequence) => ({ ...STEP, sequence })));
  expect(runaways.list()).toEqual([]);
  runaways.take([5, 6].map(start));
  expect(runaways.list()).toMatchObject([{ cause: { kind: 'agents', agents: 5 } }]);
  runaways.take([{ ...STEP, text: 'enough' }]);
  expect(runaways.list()).toEqual([]);
  runaways.take([start(7)]);
  expect(runaways.list()).toEqual([]);
});

test('a text that comes again with each request is not a person’s', () => {
  const { runaways } = openRunaways({ runawayMinutes: 0 });
  runaways.take(repeat(6, { calls: null, text: 'continue' }));
  expect(runaways.list()).toMatchObject([{ cause: { kind: 'requests', requests: 5 } }]);
});

test('in the action “stop” a client is refused until it is let go on, and then counted anew', () => {
  const { runaways, logged } = openRunaways({ runawayAction: 'stop' });
  runaways.take(repeat(3));
  expect(() => runaways.admit(AGENT)).toThrow(
    'Gatehouse stopped Agent. Its agent called Bash with the same arguments 3 times in a row. Nothing was sent. Let it go on in Gatehouse on Home, or with the command “gatehouse clients resume Agent”.',
  );
  expect(() => runaways.admit({ id: 'd', name: 'Another' })).not.toThrow();
  expect(logged).toHaveLength(1);
  // Requests that were in flight end.
  runaways.take([{ ...STEP, calls: READ }]);
  expect(runaways.list()).toMatchObject([{ stopped: true }]);
  expect(runaways.resume('c')).toBe(true);
  expect(runaways.resume('c')).toBe(false);
  runaways.take(repeat(2));
  expect(() => runaways.admit(AGENT)).not.toThrow();
  runaways.take(repeat(1));
  expect(() => runaways.admit(AGENT)).toThrow();
});

test('a person stops a client after an alarm, or without one', () => {
  const { runaways } = openRunaways();
  runaways.take(repeat(3));
  runaways.stop(AGENT);
  expect(runaways.list()).toMatchObject([{ run: 'run-1', stopped: true }]);
  runaways.stop({ id: 'd', name: 'Another' });
  expect(runaways.list()).toMatchObject([{ clientId: 'd', run: null, cause: null }, {}]);
  expect(() => runaways.admit({ id: 'd', name: 'Another' })).toThrow('A person stopped it.');
});

test('the action “off” forgets everything, and the action “stop” stops the run of an alarm, too', () => {
  const { runaways, settings } = openRunaways();
  runaways.take(repeat(3));
  Object.assign(settings, { runawayAction: 'stop' });
  runaways.take(repeat(1));
  expect(() => runaways.admit(AGENT)).toThrow();
  Object.assign(settings, { runawayAction: 'off' });
  runaways.applySettings();
  runaways.take(repeat(9));
  expect(runaways.list()).toEqual([]);
  expect(() => runaways.admit(AGENT)).not.toThrow();
});

test('an alarm of a run that sends nothing for an hour ends, and another run of the client has one then', () => {
  const { runaways, clock } = openRunaways();
  runaways.take(repeat(3));
  runaways.take(repeat(3, { run: 'run-2' }));
  expect(runaways.list()).toMatchObject([{ run: 'run-1' }]);
  clock.ms = 60 * MINUTE_MS;
  expect(runaways.list()).toEqual([]);
  runaways.take(repeat(1, { run: 'run-2', at: clock.ms }));
  expect(runaways.list()).toMatchObject([{ run: 'run-2' }]);
});

const step = fc.record({
  clientId: fc.constantFrom('a', 'b'),
  clientName: fc.constant('Agent'),
  run: fc.constantFrom('1', '2'),
  sequence: fc.constantFrom(1, 2),
  at: fc.integer({ min: 0, max: 100 }),
  text: fc.constantFrom(null, null, null, 'x', 'y'),
  answered: fc.boolean(),
  startsAgent: fc.boolean(),
  calls: fc.constantFrom(null, BASH, READ),
});
/** A run belongs to one client. */
const steps = fc.array(
  step.map((one) => ({ ...one, run: `${one.clientId}${one.run}` })),
  { maxLength: 60 },
);

/** Counts requests that came at these times, and returns the last count. */
function countAt(times: readonly number[]) {
  const counts = new StepCounts();
  return times.map((time) => counts.add({ ...STEP, at: time })).at(-1);
}

test('counts of a run do not depend on other runs, nor on the order in which requests without calls come', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const [together, alone] = [new StepCounts(), new StepCounts()];
      for (const one of all) {
        const count = together.add(one);
        if (one.run !== 'a1') continue;
        expect(alone.add(one)).toEqual(count);
        expect(count.requests).toBeLessThanOrEqual(all.length);
        expect(count.passedMs).toBeGreaterThanOrEqual(0);
        expect(count.passedMs).toBeLessThanOrEqual(100);
      }
    }),
  );
  const times = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1 });
  fc.assert(
    fc.property(times, (any) => {
      expect(countAt(any)).toEqual(countAt(any.toSorted((a, b) => a - b)));
    }),
  );
});

test('a message of a person begins anew, and what came before it counts no more, however late it is placed', () => {
  fc.assert(
    fc.property(steps, fc.array(fc.integer({ min: 0, max: 500 })), (before, late) => {
      const counts = new StepCounts();
      for (const one of before) counts.add({ ...one, run: 'run-1' });
      const person = { ...STEP, sequence: 9, at: 1_000, text: 'new', calls: null };
      expect(counts.add(person)).toEqual({
        requests: 0,
        passedMs: 0,
        repeats: 0,
        tools: '',
        agents: 0,
      });
      for (const time of late) {
        expect(counts.add({ ...STEP, at: time, calls: BASH })).toMatchObject({
          requests: 0,
          repeats: 0,
        });
      }
    }),
  );
});

test('only clients whose own runs repeat a call are stopped, in whatever order their steps come', () => {
  fc.assert(
    fc.property(
      fc.shuffledSubarray(
        'aaaaabbbbbbccccccc'.split('').map((id, n) => ({ id, n })),
        { minLength: 18 },
      ),
      (order) => {
        const { runaways } = openRunaways({ runawayAction: 'stop', runawayRepeats: 6 });
        runaways.take(
          order.map(({ id, n }) => ({
            ...STEP,
            clientId: id,
            run: `run-${id}`,
            // The calls of `c` differ.
            calls: id === 'c' ? { digest: `${n}`, names: 'Bash' } : BASH,
          })),
        );
        expect(runaways.list().map(({ clientId }) => clientId)).toEqual(['b']);
      },
    ),
  );
});

test('the number of runs in memory is bounded, and a stopped client stays stopped', () => {
  const counts = new StepCounts();
  for (let run = 0; run < 3 * MAX_RUNS; run += 1) counts.add({ ...STEP, run: `run-${run}` });
  expect(counts.size).toBe(MAX_RUNS);
  const { runaways } = openRunaways({ runawayAction: 'stop' });
  runaways.take(repeat(3));
  for (let run = 0; run < 3 * MAX_RUNS; run += 1)
    runaways.take([{ ...STEP, clientId: `other-${run}`, run: `run-o${run}` }]);
  expect(() => runaways.admit(AGENT)).toThrow();
});

test('many single requests of another client do not hide an agent that repeats a call', () => {
  const counts = new StepCounts();
  let repeats = 0;
  for (let call = 0; call < 60; call += 1) {
    ({ repeats } = counts.add({ ...STEP, calls: BASH }));
    for (let other = 0; other < 2 * MAX_RUNS; other += 1)
      counts.add({ ...STEP, clientId: 'bulk', run: `run-${call}-${other}` });
  }
  expect(repeats).toBe(60);
  expect(counts.size).toBe(MAX_RUNS);
});

test('a setting that is changed while nothing is watched lets no client go on that a person stopped', () => {
  const { runaways } = openRunaways({ runawayAction: 'off' });
  runaways.stop(AGENT);
  runaways.applySettings();
  expect(() => runaways.admit(AGENT)).toThrow('A person stopped it');
});
