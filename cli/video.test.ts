import { expect, test } from 'vitest';
import { NO_PRICES } from '../shared/money/price.ts';
import { UpstreamId } from '../shared/upstream.ts';
import { describeCharge } from '../shared/video/describe-charge.ts';
import { VideoJob, VideoState } from '../shared/video/video.ts';
import { formatBar, formatProgress } from './commands/video/progress.ts';
import { toResumeAction } from './commands/video/resume.ts';
import {
  formatChange,
  describePause,
  describeOutcome,
  describeUnpriced,
  isActive,
  formatLiveStatus,
} from './output/format-video.ts';

const NOW = new Date(2026, 10, 21, 9, 30, 5).getTime();
const WORDING = { command: 'gatehouse', currency: 'USD' };
const FILE = {
  name: 'fox.mp4',
  path: '/videos/fox.mp4',
  type: 'video/mp4',
  bytes: 1_300_000,
  sha256: 'ab'.repeat(32),
  present: true,
};

function job(change: Partial<VideoJob> = {}): VideoJob {
  return VideoJob.parse({
    id: 'a1b2c3d4e5f60718',
    state: 'rendering',
    origin: 'command',
    clientName: null,
    service: {
      id: 'u1',
      name: 'models.example.com',
      gone: false,
      address: 'https://models.example.com',
    },
    request: {
      model: 'h3',
      task: 'ref2va',
      prompt: 'A red fox',
      seconds: '4',
      resolution: '480p',
      more: {},
    },
    image: null,
    createdAt: NOW - 200_000,
    stateSince: NOW - 190_000,
    submittedAt: NOW - 185_000,
    charged: 'yes',
    taskId: 'task-1',
    word: 'processing',
    wordIsNew: false,
    progress: null,
    askedAt: NOW - 12_000,
    nextAt: NOW + 6_000,
    asksUntil: NOW + 1_600_000,
    waitMinutes: 30,
    problem: null,
    reason: null,
    reasons: [],
    question: null,
    file: null,
    cost: null,
    computedCost: null,
    ...change,
  });
}

test('a job under way says when it was asked, when it will be, and how long it has taken', () => {
  expect(formatLiveStatus(job(), NOW)).toBe(
    'rendering, checked 12 s ago, next check in 6 s, running for 3 min',
  );
  expect(formatLiveStatus(job({ progress: 0.625, nextAt: NOW }), NOW)).toBe(
    'rendering 62 %, checked 12 s ago, next check now, running for 3 min',
  );
});

test('what stands in the way and a word nobody has explained come first', () => {
  const words = { problem: 'The service is busy (429).', word: 'parked', wordIsNew: true };
  expect(formatLiveStatus(job(words), NOW)).toMatch(
    /^rendering \("parked"\), The service is busy \(429\)\., checked/u,
  );
  expect(formatChange(job(words))).toBe('rendering ("parked"), The service is busy (429).');
});

test('one that waits during a pause says why and how to continue, another does not', () => {
  const pause = describePause(true, 'npm run -s gatehouse --');
  const words = 'waiting: Gatehouse is paused; to continue: npm run -s gatehouse -- resume';
  const waiting = job({ state: 'waiting', nextAt: null });
  expect(formatLiveStatus(waiting, NOW, pause)).toBe(words);
  expect(formatChange(waiting, pause)).toBe(words);
  expect(formatChange(job(), pause)).toBe('rendering');
  expect(formatProgress([waiting, job()], NOW, pause)).toMatch(/gatehouse -- resume$/u);
  expect(describePause(false, 'gatehouse')).toBe(null);
  expect(formatChange(waiting)).toBe('waiting');
});

test('a line for every change is the same while nothing but time changes', () => {
  expect(formatChange(job({ askedAt: NOW, nextAt: NOW + 9_000 }))).toBe(formatChange(job()));
});

test.each(VideoState.options.filter((state) => !isActive({ state })))(
  'a job that is %s says what to do, and what is to be pasted names it',
  (state) => {
    const words = describeOutcome(job({ state, charged: 'maybe' }), WORDING);
    const pasted = words.split('\n').filter((line) => line.startsWith('  gatehouse'));
    expect(pasted.every((line) => /^ {2}gatehouse video \w+ a1b2c3d4/u.test(line))).toBe(true);
    expect(pasted.length).toBeGreaterThan(state === 'failed' ? -1 : 0);
    expect(words).not.toContain(' ID');
  },
);

test('a finished video says where it is and how large', () => {
  expect(describeOutcome(job({ state: 'done', file: FILE }), WORDING)).toBe(
    'The video is finished (1.2 MiB):\n  /videos/fox.mp4',
  );
  const gone = describeOutcome(job({ state: 'done', file: { ...FILE, present: false } }), WORDING);
  expect(gone).toContain('without a new charge:\n  gatehouse video resume a1b2c3d4');
});

test('an unsure order names the price of being wrong', () => {
  const words = describeOutcome(job({ state: 'unsure', charged: 'maybe' }), WORDING);
  expect(words).toContain('it may have been charged');
  expect(words).toContain('you pay twice');
  expect(words).toContain('gatehouse video answer a1b2c3d4 --id TASK');
});

test('a reason of the service cannot pass for a line of ours', () => {
  const reason = 'No.\n  gatehouse key forget';
  const words = describeOutcome(job({ state: 'failed', reason }), WORDING);
  expect(words).not.toContain('\n');
});

test('the name of a field cannot become a command when it is pasted', () => {
  const question = {
    about: 'file-url' as const,
    answer: '{}',
    candidates: [
      { pointer: '/data/url', value: 'https://a.example/1' },
      { pointer: "/$(rm x)'", value: 'https://a.example/2' },
    ],
  };
  const words = describeOutcome(job({ state: 'needs-answer', charged: 'no', question }), WORDING);
  expect(words).toContain('answer a1b2c3d4 --pointer /data/url\n    which is https://a.example/1');
  expect(words).toContain(String.raw`--pointer '/$(rm x)'\'''`);
});

const PRICED = { amount: 200_000, source: 'reported', priceId: 1 } as const;
const UNPRICED = { amount: null, source: 'unpriced', priceId: null } as const;

test.each([
  [{ charged: 'no', computedCost: null }, 'not charged'],
  [{ computedCost: PRICED }, 'charged: $0.20 by your prices'],
  [{ charged: 'maybe', computedCost: PRICED }, 'may have been charged: $0.20 by your prices'],
  [{ computedCost: UNPRICED }, 'charged: no price known'],
  [
    { computedCost: { ...UNPRICED, source: 'unknown' } },
    'charged: cost unknown, because its length is not known',
  ],
  [{ cost: '0.12 USD', computedCost: PRICED }, 'charged: 0.12 USD'],
  [{ cost: `1\n${'2'.repeat(90)}` }, `charged: 1 ${'2'.repeat(57)}…`],
] as const)('of %j it is told: %s', (change, words) => {
  expect(describeCharge(job(change), 'USD')).toBe(words);
});

test('an outcome has the amount of the charge', () => {
  expect(describeOutcome(job({ state: 'failed', computedCost: PRICED }), WORDING)).toContain(
    '(charged: $0.20 by your prices)',
  );
});

test('videos without a price are told how to set one, each model once', () => {
  const { request } = job();
  const other = { ...request, model: "a'b", resolution: null };
  const jobs = [
    job({ computedCost: UNPRICED }),
    job({ computedCost: UNPRICED, charged: 'maybe' }),
    job({ computedCost: UNPRICED, request: other }),
    job({ computedCost: UNPRICED, cost: '0.1' }),
    job({ computedCost: PRICED }),
    job({ charged: 'no' }),
  ];
  const source = { command: 'gatehouse', findPrice: () => null };
  expect(describeUnpriced(jobs, source)).toBe(
    [
      'To set a price that is not known:',
      '  gatehouse prices set h3 --video-second 480p=AMOUNT',
      String.raw`  gatehouse prices set 'a'\''b' --video-second '*'=AMOUNT`,
    ].join('\n'),
  );
  expect(describeUnpriced(jobs.slice(3), source)).toBeNull();
});

test('the price that a video lacks is set within the present price of its model', () => {
  const price = {
    service: 'https://models.example.com',
    model: 'h*',
    prices: NO_PRICES,
    tiers: [],
  };
  const describe = (validFrom: number) =>
    describeUnpriced([job({ computedCost: UNPRICED })], {
      command: 'gatehouse',
      findPrice: (service) =>
        service === price.service ? { ...price, validFrom, origin: 'entered' } : null,
    });
  const set = `gatehouse prices set 'h*' --service https://models.example.com`;
  expect(describe(0)).toContain(`${set} --video-second 480p=AMOUNT`);
  expect(describe(new Date(2026, 10, 21).getTime())).toContain(`${set} --from 2026-11-21 --video`);
  const morning = new Date(2026, 10, 21, 9, 30);
  expect(describe(morning.getTime())).toContain(`${set} --from ${morning.toISOString()} --video`);
});

test('the bar is as wide at its beginning as at its end, whatever it is given', () => {
  const drawn = [-1, 0, 0.5, 1, 7].map(formatBar);
  expect(new Set(drawn.map((one) => one.length))).toEqual(new Set([22]));
  expect(drawn[2]).toBe(`[${'='.repeat(10)}${' '.repeat(10)}]`);
});

test('several videos share one line', () => {
  const jobs = [job(), job({ state: 'done' }), job({ state: 'waiting' }), job()];
  expect(formatProgress(jobs, NOW)).toBe(
    `4 videos ${formatBar(0.25)} 2 rendering, 1 done, 1 waiting, running for 3 min`,
  );
  expect(formatProgress([job({ progress: 0.5 })], NOW)).toBe(
    `a1b2c3d4 ${formatBar(0.5)} rendering 50 %, checked 12 s ago, next check in 6 s, running for 3 min`,
  );
});

const WISH = { minutes: null, submitAgain: false };

test.each([
  [{ state: 'draft' }, WISH, { type: 'confirm' }],
  [{ state: 'timed-out' }, WISH, { type: 'extend', minutes: 30 }],
  [{ state: 'timed-out' }, { ...WISH, minutes: 5 }, { type: 'extend', minutes: 5 }],
  [{ state: 'cancelled' }, WISH, { type: 'extend', minutes: 30 }],
  [{ state: 'rendering' }, { ...WISH, minutes: 5 }, { type: 'extend', minutes: 5 }],
  [{ state: 'done', file: { ...FILE, present: false } }, WISH, { type: 'fetch-again' }],
  [{ state: 'unsure' }, { ...WISH, submitAgain: true }, { type: 'submit-again' }],
] as const)('%j is resumed with %j by %j', (change, wish, action) => {
  expect(toResumeAction(job(change), wish, WORDING)).toEqual(action);
});

test.each(VideoState.options.filter((state) => state !== 'unsure').map((state) => [state]))(
  'an order that is %s is never sent again',
  (state) => {
    const wish = { ...WISH, submitAgain: true };
    expect(() => toResumeAction(job({ state }), wish, WORDING)).toThrow('outcome is unknown');
  },
);

test.each([
  [{ state: 'unsure' }, 'you pay twice'],
  [{ state: 'cancelled', taskId: null }, 'but the order stands'],
  [{ state: 'failed' }, 'order another one'],
  [{ state: 'done', file: FILE }, '/videos/fox.mp4'],
  [{ state: 'rendering' }, '--minutes N'],
] as const)('%j is not resumed without more, and says why', (change, words) => {
  expect(() => toResumeAction(job(change), WISH, WORDING)).toThrow(words);
});

test('finding 19: no state of a video of the sandbox speaks of a charge', () => {
  const service = {
    id: UpstreamId.parse('sandbox'),
    name: 'Sandbox',
    gone: false,
    address: 'sandbox',
  };
  for (const state of VideoState.options) {
    for (const origin of ['command', 'client'] as const) {
      for (const charged of ['no', 'maybe', 'yes'] as const) {
        const sandboxJob = job({ state, origin, charged, service });
        const words = describeOutcome(sandboxJob, WORDING).replaceAll('no charge', '');
        expect(words).not.toMatch(/charg|\bpay/iu);
        expect(describeCharge(sandboxJob, 'USD')).toBe('no charge (sandbox)');
        expect(describeCharge({ ...sandboxJob, computedCost: PRICED }, 'USD')).toBe(
          charged === 'yes' ? '$0.20 (sandbox, not charged)' : 'no charge (sandbox)',
        );
      }
    }
  }
});
