import * as fc from 'fast-check';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { describe, expect, test } from 'vitest';
import { VideoId, VideoState, type StatusMeaning } from '../../../shared/video/video.ts';
import type { AnyEventPayload, VideoEvent } from './event.ts';
import { type Job, JobData, INITIAL_JOB } from './job.ts';
import { RUNNING_VIDEO_STATES } from '../../../shared/video/video-states.ts';
import { DEFAULT_TIMING } from './timing.ts';
import { fromRow, insertStatement } from '../store/row.ts';
import { transition } from './transition.ts';

const START = Date.UTC(2026, 10, 21);
const HASH = 'a'.repeat(64);

function createJob(fields: Partial<Job> = {}): Job {
  return {
    ...INITIAL_JOB,
    id: VideoId.parse('0123456789abcdef'),
    rev: 1,
    state: 'draft',
    origin: 'window',
    clientId: null,
    clientName: null,
    service: 'sandbox',
    createdAt: START,
    stateSince: START,
    dueAt: null,
    plannedAt: START,
    position: null,
    image: { hash: HASH, name: 'fox.png', type: 'image/png', bytes: 3 },
    waitMinutes: 30,
    request: {
      model: 'h3',
      task: 'ref2va',
      prompt: 'A fox',
      seconds: '4',
      resolution: '480p',
      more: {},
    },
    ...fields,
  };
}

/** Creates a client's order in its first state: saved on disk, about to be sent. */
const CLIENTS: Partial<Job> = {
  origin: 'client',
  state: 'submitting',
  orders: 1,
  orderedAt: START,
  image: null,
};

const position = fc.integer({ min: 1, max: 9 });
const sentence = fc.constantFrom('It did not work.', 'Wait.');
const retryAfterMs = fc.option(fc.integer({ min: 0, max: 86_400_000 }));
const taskId = fc.constantFrom('task-1', 'task-2', '7');
const order = fc.integer({ min: 1, max: 4 });
const pointer = fc.constantFrom('/id', '/task/0/id');
const candidate = fc.record({ pointer, value: taskId });
const verdict = fc.constantFrom('unasked' as const, 'accepted' as const, 'refused' as const);
const suspects = fc.array(fc.record({ pointer, value: taskId, verdict }), { maxLength: 3 });
const meaning = fc.constantFrom<StatusMeaning[]>('working', 'failed', 'completed');
const question = fc.record({
  about: fc.constantFrom('file-url' as const, 'task-id' as const),
  answer: fc.constant('{}'),
  candidates: fc.array(candidate, { maxLength: 2 }),
});
const exchangeId = fc.constantFrom('ex-1', 'ex-2').map((id) => ExchangeId.parse(id));
const file = fc.constant({ name: 'a', path: '/a', type: 'video/mp4', bytes: 1, sha256: HASH });
const only = <const Kind extends string>(kind: Kind) => fc.record({ kind: fc.constant(kind) });
const kind = <const Kind extends string>(name: Kind) => fc.constant(name);

/** All events of a job. */
const happening: fc.Arbitrary<AnyEventPayload> = fc.oneof(
  fc.record({ kind: kind('confirm'), position }),
  fc.record({ kind: kind('submit-again'), position }),
  fc.record({ kind: kind('give-id'), taskId }),
  fc.record({ kind: kind('answer'), value: fc.constantFrom('http://a/b', 'task-1') }),
  fc.record({ kind: kind('explain'), meaning }),
  fc.record({ kind: kind('pick-reason'), reason: sentence }),
  fc.record({ kind: kind('extend'), minutes: fc.integer({ min: 1, max: 60 }) }),
  only('fetch-again'),
  only('cancel'),
  fc.record({ kind: kind('claimed'), upload: fc.option(fc.constant('http://a/b')) }),
  fc.record({ kind: kind('uploaded'), url: fc.constant('http://a/c') }),
  fc.record({ kind: kind('upload-failed'), sentence, retryAfterMs }),
  fc.record({ kind: kind('upload-refused'), sentence }),
  fc.record({ kind: kind('upload-unclear'), question }),
  fc.record({
    kind: kind('accepted'),
    order,
    taskId: fc.option(taskId),
    suspects,
    answer: fc.constant('{}'),
  }),
  fc.record({ kind: kind('sent'), order, exchangeId }),
  fc.record({ kind: kind('not-ordered'), order, sentence, retryAfterMs }),
  fc.record({ kind: kind('refused'), order, sentence, maybeUpload: fc.boolean() }),
  fc.record({ kind: kind('lost'), order, sentence }),
  fc.record({ kind: kind('candidates-polled'), suspects, problem: fc.option(sentence) }),
  fc.record({
    kind: kind('polled'),
    taskId,
    word: fc.constantFrom('queued', 'failed', 'completed'),
    meaning,
    progress: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
    progressAt: fc.option(pointer),
    cost: fc.option(fc.constant('1')),
    reason: fc.option(sentence),
    reasons: fc.array(candidate, { maxLength: 2 }),
    fetches: fc.boolean(),
  }),
  fc.record({ kind: kind('poll-failed'), taskId, sentence, retryAfterMs }),
  fc.record({ kind: kind('downloaded'), taskId, file }),
  fc.record({
    kind: kind('download-failed'),
    taskId,
    how: fc.constantFrom(
      'retry-later' as const,
      'address-expired' as const,
      'not-a-video' as const,
    ),
    sentence,
    retryAfterMs,
  }),
  only('engine-started'),
  only('clock-set-back'),
  fc.record({ kind: kind('blocked'), sentence }),
  only('unblocked'),
  fc.record({ kind: kind('internal-error'), sentence }),
);

const chances = fc.record({
  happenings: fc.array(happening, { minLength: 1, maxLength: 12 }),
  pauseMs: fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.constant(7 * 86_400_000)),
  jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
});

interface Transition {
  readonly before: Job;
  readonly event: VideoEvent;
  readonly after: Job;
}

interface Chance {
  readonly happenings: readonly AnyEventPayload[];
  readonly pauseMs: number;
  readonly jitter: number;
}

/** Applies the events in order; of several, the first that has an effect. */
function runEvents(initial: Job, all: readonly Chance[]): readonly Transition[] {
  const transitions: Transition[] = [];
  let before = initial;
  let at = START;
  for (const { happenings, pauseMs, jitter } of all) {
    at += pauseMs;
    const tries = happenings.map((what): Transition => {
      const event = { ...fitToJob(what, before), at, jitter };
      return { before, event, after: transition(before, event) };
    });
    const transitioned = tries.find(({ after }) => after !== before) ?? tries[0];
    if (transitioned === undefined) continue;
    transitions.push(transitioned);
    before = transitioned.after;
  }
  return transitions;
}

function fitToJob(what: AnyEventPayload, { orders, taskId: own }: Job): AnyEventPayload {
  const fits = what.kind === 'accepted' || what.kind === 'lost' || what.kind === 'refused';
  if ((fits || what.kind === 'not-ordered' || what.kind === 'sent') && what.order <= 3)
    return { ...what, order: orders };
  if ('taskId' in what && what.taskId === 'task-1' && own !== null && what.kind !== 'give-id') {
    return { ...what, taskId: own };
  }
  return what;
}

const first = fc.constantFrom(createJob(), createJob({ image: null }), createJob(CLIENTS));
const lives = fc
  .tuple(first, fc.array(chances, { maxLength: 40, size: 'max' }))
  .map(([job, all]) => runEvents(job, all));
const RUNS = { numRuns: 1_000 };

/** Checks an invariant after every change of many random jobs. */
function checkAlways(check: (transitioned: Transition) => void): void {
  fc.assert(
    fc.property(lives, (transitions) => {
      for (const transitioned of transitions) check(transitioned);
    }),
    RUNS,
  );
}

describe('in every sequence of events of a job', () => {
  test('an order is sent only after a user’s confirmation, or after the previous one was certainly rejected', () => {
    fc.assert(
      fc.property(lives, (transitions) => {
        let mayOrder = 0;
        for (const { before, event, after } of transitions) {
          const decided = event.kind === 'confirm' || event.kind === 'submit-again';
          if (decided && after !== before) mayOrder += 1;
          const turnedDown = event.kind === 'not-ordered' || event.kind === 'refused';
          const goesOn = after.state === 'waiting' || after.state === 'uploading';
          if (turnedDown && before.state === 'submitting' && goesOn) mayOrder += 1;
          if (after.orders === before.orders) continue;
          expect(after.orders).toBe(before.orders + 1);
          expect(after.state).toBe('submitting');
          mayOrder -= 1;
          expect(mayOrder).toBeGreaterThanOrEqual(0);
        }
      }),
      RUNS,
    );
  });

  test('an order is sent with its stored bytes and time, and only from waiting or uploading', () => {
    checkAlways(({ before, event, after }) => {
      if (after.state !== 'submitting' || before.state === 'submitting') return;
      expect(['waiting', 'uploading']).toContain(before.state);
      expect(after.orders).toBe(before.orders + 1);
      expect(after.orderedAt).toBe(event.at);
      expect(JSON.parse(after.body ?? '')).toMatchObject({ model: 'h3', seconds: '4' });
      expect(after.dueAt).toBeNull();
    });
  });

  test('a client’s order is never sent by Gatehouse', () => {
    checkAlways(({ before, after }) => {
      if (before.origin === 'client') expect(after.orders).toBe(1);
    });
  });

  test('a charge is never forgotten', () => {
    const rank = { no: 0, maybe: 1, yes: 2 } as const;
    checkAlways(({ before, after }) => {
      expect(rank[after.charged]).toBeGreaterThanOrEqual(rank[before.charged]);
    });
  });

  test('only a user, or its own response, settles an order that may have arrived', () => {
    const allowed = ['submit-again', 'give-id', 'cancel', 'accepted'];
    checkAlways(({ before, event, after }) => {
      if (before.state !== 'unsure' || after === before) return;
      expect(allowed).toContain(event.kind);
    });
  });

  test('a task id is never lost', () => {
    checkAlways(({ before, event, after }) => {
      if (before.taskId === null || after.taskId === before.taskId) return;
      expect(['give-id', 'accepted', 'answer', 'candidates-polled']).toContain(event.kind);
      expect(after.taskId === null && event.kind !== 'accepted').toBe(false);
    });
  });

  test('a job that needs an answer has a question', () => {
    checkAlways(({ after }) => {
      if (after.state === 'needs-answer') expect(after.question).not.toBeNull();
    });
  });

  test('no failed poll and no failed download makes a job fail', () => {
    const harmless = [
      'poll-failed',
      'download-failed',
      'blocked',
      'internal-error',
      'engine-started',
      'candidates-polled',
    ];
    checkAlways(({ event, after, before }) => {
      if (harmless.includes(event.kind) && before.state !== 'failed') {
        expect(after.state).not.toBe('failed');
      }
    });
  });

  test('a job has a next action exactly where Gatehouse acts by itself', () => {
    checkAlways(({ after }) => {
      const acts = RUNNING_VIDEO_STATES.includes(after.state);
      expect(after.dueAt !== null).toBe(acts && after.state !== 'submitting');
    });
  });

  test('no next action lies in the past, or later than the slowest interval or the service’s Retry-After', () => {
    checkAlways(({ before, event, after }) => {
      if (after === before || after.dueAt === null || after.dueAt === before.dueAt) return;
      const asked = 'retryAfterMs' in event ? (event.retryAfterMs ?? 0) : 0;
      const slowest = Math.max(DEFAULT_TIMING.slowestRetryMs, asked);
      expect(after.dueAt).toBeGreaterThanOrEqual(event.at);
      expect(after.dueAt).toBeLessThanOrEqual(event.at + slowest);
      expect(after.plannedAt).toBe(event.at);
    });
  });

  test('a finished job is unchanged until a user acts on it', () => {
    const persons = ['fetch-again', 'explain', 'pick-reason', 'give-id', 'extend', 'cancel'];
    const rests: readonly VideoState[] = ['done', 'failed'];
    checkAlways(({ before, event, after }) => {
      if (rests.includes(before.state) && after !== before) expect(persons).toContain(event.kind);
    });
  });

  test('the stored job equals the job that was saved', () => {
    checkAlways(({ after }) => {
      expect(JobData.parse(JSON.parse(JSON.stringify(JobData.parse(after))))).toEqual(
        JobData.parse(after),
      );
    });
  });
});

test('every state is reached', () => {
  const reached = new Set<VideoState>();
  fc.assert(
    fc.property(lives, (transitions) => {
      for (const { after } of transitions) reached.add(after.state);
    }),
    RUNS,
  );
  expect(VideoState.options.filter((state) => !reached.has(state))).toEqual([]);
});

test('a job equals itself after it was stored as a row', () => {
  const job = createJob({ taskId: 'task-1', progress: 0.5, dueAt: START + 5 });
  const names = /\(rev, (.*?)\) values/u.exec(insertStatement(job).sql)?.[1]?.split(', ') ?? [];
  const values = insertStatement(job).rows[0] ?? [];
  const row = Object.fromEntries(names.map((name, index) => [name, values[index]]));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: the columns come from the statement
  expect(fromRow({ rev: 1, ...row } as Parameters<typeof fromRow>[0])).toEqual(job);
});

function rendering(fields: Partial<Job> = {}): Job {
  return createJob({
    state: 'rendering',
    taskId: 'task-1',
    asksUntil: START + 60_000,
    dueAt: START,
    ...fields,
  });
}

const polled = (at: number, word = 'queued'): VideoEvent => ({
  kind: 'polled',
  at,
  jitter: 0.5,
  taskId: 'task-1',
  word,
  meaning: word === 'completed' ? 'completed' : 'working',
  progress: null,
  progressAt: null,
  cost: null,
  reason: null,
  reasons: [],
  fetches: true,
});
const failed = (at: number, asksMs: number | null = null): VideoEvent => ({
  kind: 'poll-failed',
  at,
  jitter: 0,
  taskId: 'task-1',
  sentence: 'No.',
  retryAfterMs: asksMs,
});

describe('polling', () => {
  test('repeats every 5 to 10 seconds, half as often after each failure, up to two minutes', () => {
    expect(transition(rendering(), polled(START)).dueAt).toBe(START + 7_500);
    const delays: number[] = [];
    let job = rendering({ asksUntil: START + 86_400_000 });
    for (let index = 0; index < 8; index += 1) {
      job = transition(job, failed(START));
      delays.push((job.dueAt ?? 0) - START);
    }
    expect(delays).toEqual([10, 20, 40, 80, 120, 120, 120, 120].map((seconds) => seconds * 1_000));
    expect(transition(job, polled(START)).dueAt).toBe(START + 7_500);
  });

  test('respects a longer Retry-After', () => {
    expect(transition(rendering(), failed(START, 300_000)).dueAt).toBe(START + 300_000);
  });

  test('continues after a week of sleep until one response came, and stops then', () => {
    const week = START + 7 * 86_400_000;
    const woken = transition(rendering(), failed(week));
    expect(woken.state).toBe('rendering');
    expect(transition(woken, polled(week + 1)).state).toBe('timed-out');
    expect(transition(woken, polled(week + 1, 'completed')).state).toBe('downloading');
  });

  test('stops without a response when none comes for long enough after the time', () => {
    let job = rendering();
    let failures = 0;
    while (job.state === 'rendering') {
      job = transition(job, failed(START + 60_000 + failures));
      failures += 1;
    }
    expect([job.state, job.stage, failures]).toEqual(['timed-out', 'rendering', 6]);
  });

  test('resumes when a user wants it, without another order', () => {
    const stopped = transition(rendering(), polled(START + 60_000));
    const more = { kind: 'extend', at: START + 90_000, jitter: 0, minutes: 10 } as const;
    expect(transition(stopped, more)).toMatchObject({
      state: 'rendering',
      orders: 0,
      asksUntil: START + 690_000,
      dueAt: START + 90_000,
    });
  });

  test('does not wait for years when the clock was set back by years', () => {
    const ahead = rendering({ asksUntil: START + 1e11, dueAt: START + 1e11 });
    const back = transition(ahead, { kind: 'clock-set-back', at: START, jitter: 0.5 });
    expect(back).toMatchObject({ dueAt: START + 2_500, asksUntil: START + 1_800_000 });
  });

  test('does not wait for years either when the first event after that is a response', () => {
    const ahead = rendering({ plannedAt: START + 1e11, asksUntil: START + 1e11 + 60_000 });
    expect(transition(ahead, polled(START)).asksUntil).toBe(START + 1_800_000);
  });

  test('a task that a user names is charged once the service knows it', () => {
    const unsure = createJob({ state: 'unsure', charged: 'maybe', orders: 1 });
    const moment = { at: START, jitter: 0 };
    const named = transition(unsure, { kind: 'give-id', taskId: 'task-1', ...moment });
    expect(named).toMatchObject({ state: 'rendering', charged: 'maybe' });
    const known = transition(named, {
      kind: 'polled',
      taskId: 'task-1',
      word: 'queued',
      meaning: 'working',
      cost: null,
      progress: null,
      progressAt: null,
      reason: null,
      reasons: [],
      fetches: true,
      ...moment,
    });
    expect(known).toMatchObject({ state: 'rendering', charged: 'yes' });
  });

  test('a video that is due later is fetched at once when a user wants it', () => {
    const later = createJob({ state: 'downloading', taskId: 'task-1', dueAt: START + 600_000 });
    const now = transition(later, { kind: 'fetch-again', at: START, jitter: 0 });
    expect(now).toMatchObject({ state: 'downloading', dueAt: START });
  });

  test('ignores a response about another task', () => {
    const other = rendering({ taskId: 'task-2' });
    expect(transition(other, polled(START, 'completed'))).toBe(other);
  });
});
