import { expect, test } from 'vitest';
import { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { Status } from '../../shared/status.ts';
import { UpstreamId } from '../../shared/upstream.ts';
import { createTrayMenu } from './tray-menu.ts';
import { type AppState, summarizeStatus } from '../../host/status/status-summary.ts';

const WELL: Status = {
  version: '1.0.0',
  engine: 'e',
  startedAt: 0,
  port: 6417,
  baseUrls: { chat: 'http://127.0.0.1:6417/v1', messages: 'http://127.0.0.1:6417' },
  furtherListeners: [],
  upstream: {
    id: UpstreamId.parse('u'),
    kind: 'service',
    name: 'Smith & Sons',
    baseUrl: 'https://models.example.com',
    versionVendor: 'anthropic',
    caFile: null,
    proxyUrl: null,
    active: true,
    asksCacheReason: false,
  },
  key: { name: 'keychain', sentence: 'The service key is in the keychain.' },
  keyRefusedAt: null,
  limitedAt: null,
  load: {
    inFlight: 0,
    waiting: 0,
    limit: null,
    heldMs: 0,
    circuit: 'closed',
    retryMs: 0,
    calls: 0,
    throttled: 0,
    retries: 0,
    refused: 0,
  },
  reach: { state: 'reachable', sentence: 'The service answered.', at: 1 },
  paused: false,
  pausedAt: null,
  lastError: null,
  profile: null,
  profiles: [],
  repairs: true,
  setUp: true,
  running: 0,
};
const LIMITED = { ...WELL, limitedAt: 1 };
const UNREACHABLE: Status = {
  ...LIMITED,
  reach: { state: 'unreachable', sentence: 'Nothing listens there.', at: 1 },
};
const REFUSED = { ...UNREACHABLE, keyRefusedAt: 1 };
const LOCKED: Status = { ...REFUSED, key: { name: 'locked', sentence: 'It is locked.' } };
const KEYLESS: Status = { ...REFUSED, key: { name: 'missing', sentence: 'There is none.' } };
const PAUSED = { ...KEYLESS, paused: true };

const QUIET: AppState = {
  engine: { name: 'starting' },
  startAtLogin: { on: false, settable: true, sentence: null },
  updates: { name: 'idle', checkedAt: null },
  quickChat: { shortcut: null, sentence: null, command: null },
  notices: null,
  snapshot: null,
  quitting: false,
};

function seeing(status: Status, running = 0): AppState {
  const snapshot = {
    status,
    today: null,
    limits: [],
    reachedLimits: [],
    currency: 'USD',
    videos: { active: 0, waitingForPerson: 0 },
    running,
  };
  return { ...QUIET, engine: { name: 'running', port: 6417 }, snapshot };
}

test.each([
  [QUIET, 'normal: Starting', ''],
  [seeing(WELL), 'normal: Running with Smith & Sons', ''],
  [seeing(LIMITED), 'alert: Limit reached', 'limit'],
  [seeing(UNREACHABLE), 'alert: Service unreachable', 'Nothing listens there.'],
  [seeing(REFUSED), 'alert: Key refused', 'Settings'],
  [seeing(LOCKED), 'alert: Keychain locked', 'It is locked.'],
  [seeing(KEYLESS), 'alert: Key missing', 'There is none.'],
  [seeing(PAUSED), 'paused: Paused', 'New requests are refused'],
  [
    { ...QUIET, engine: { name: 'refused', sentence: 'Port 6417 is used by x.', next: 6500 } },
    'alert: Stopped',
    'Port 6417 is used by x.',
  ],
  [{ ...QUIET, engine: { name: 'down', againAt: 1 } }, 'alert: Stopped', 'is restarting'],
  [{ ...QUIET, engine: { name: 'down', againAt: null } }, 'alert: Stopped', 'keeps stopping'],
  [{ ...seeing(WELL, 1), quitting: true }, 'paused: Quitting when 1 request has ended', ''],
] as const)('state %# is shown by icon, words and a sentence', (facts, expected, more) => {
  const state = summarizeStatus(facts);
  expect(`${state.level}: ${state.title}`).toBe(expected);
  expect(state.detail).toContain(more);
  expect(createTrayMenu(facts, acts([]))[0]).toEqual({
    label: state.title.replace('&', '&&'),
    enabled: false,
  });
});

test('all that is known stands in the menu, and each line does what it says', () => {
  const done: unknown[] = [];
  const lastError = {
    sentence: 'The service answered with 500. '.repeat(4),
    at: 1,
    exchangeId: ExchangeId.parse('12'),
  };
  const facts = seeing({ ...WELL, lastError }, 2);
  const today = {
    day: '2026-11-22',
    exchanges: 1_234,
    errors: 1,
    refused: 0,
    input: 30_000,
    output: 4_500,
    reported: 3,
    estimated: 1,
    unknown: 0,
    cost: 1_250_000,
    costEstimated: 1,
    unpriced: 2,
  };
  const videos = { active: 1, waitingForPerson: 2 };
  const menu = createTrayMenu(
    { ...facts, snapshot: facts.snapshot && { ...facts.snapshot, today, videos } },
    acts(done),
  );
  expect(menu.map(({ label, type }) => label ?? type)).toEqual([
    'Running with Smith && Sons',
    'separator',
    'http://127.0.0.1:6417',
    'Copy base URL with /v1 (Chat, Responses)',
    'Copy base URL without /v1 (Messages)',
    'separator',
    'Today: 1,234 requests, 34.5K tokens (partly estimated)',
    'Cost today: ~$1.25, and 2 requests without a price',
    '1 video under way',
    '2 videos waiting for you',
    `${`Last error: ${lastError.sentence}`.slice(0, 89)}…`,
    'separator',
    'Pause',
    'Quick chat',
    'Open Gatehouse',
    'separator',
    'Start at login',
    'Check for updates',
    'About Gatehouse',
    'separator',
    'Quit when 2 requests have ended',
  ]);
  for (const { click } of menu) if (click !== undefined) Reflect.apply(click, undefined, []);
  expect(done).toEqual([
    ['copy', 'http://127.0.0.1:6417/v1'],
    ['copy', 'http://127.0.0.1:6417'],
    ['open', '/history?filter=since%3Atoday'],
    ['open', '/usage?period=today'],
    ['open', '/videos'],
    ['open', '/videos?show=person'],
    ['open', '/history?exchange=%2212%22'],
    ['pause', true],
    ['quickChat'],
    ['open'],
    ['setStartAtLogin', true],
    ['check'],
    ['about'],
    ['quit'],
  ]);
});

test('a long explanation stands in lines of a sentence each, so that what to do is not cut off', () => {
  const sentence = 'Gatehouse already runs at http://127.0.0.1:6417 (pid 12). Stop it there.';
  const engine = { name: 'refused', sentence, next: null } as const;
  const labels = createTrayMenu({ ...QUIET, engine }, acts([])).map(({ label }) => label);
  expect(labels.slice(0, 3)).toEqual([
    'Stopped',
    'Gatehouse already runs at http://127.0.0.1:6417 (pid 12).',
    'Stop it there.',
  ]);
});

test('an engine that does not run can be started again, at another port if its own is taken', () => {
  const done: unknown[] = [];
  const engine = { name: 'refused', sentence: 'Port 6417 is used by x.', next: 6500 } as const;
  for (const { label, click } of createTrayMenu({ ...QUIET, engine }, acts(done))) {
    if (label === 'Start again' || label === 'Use port 6500') {
      Reflect.apply(click ?? (() => undefined), undefined, []);
    }
  }
  expect(done).toEqual([['start'], ['start', 6500]]);
});

test.each([
  [{ name: 'off', sentence: 'x' }, 'Updates do not come from here', null],
  [{ name: 'idle', checkedAt: 1 }, 'Check for updates', 'check'],
  [{ name: 'checking' }, 'Checking for updates…', null],
  [{ name: 'available', version: '2.0.0' }, 'Download version 2.0.0', 'download'],
  [
    { name: 'downloading', version: '2.0.0', percent: 41.6 },
    'Downloading version 2.0.0: 42%',
    null,
  ],
  [{ name: 'ready', version: '2.0.0' }, 'Restart to update to 2.0.0', 'restart'],
  [{ name: 'failed', sentence: 'x' }, 'Check for updates again (the last check failed)', 'check'],
] as const)('update %# is shown with its next step', (updates, label, act) => {
  const done: unknown[] = [];
  const item = createTrayMenu({ ...QUIET, updates }, acts(done)).find(
    (each) => each.label === label,
  );
  if (item?.click !== undefined) Reflect.apply(item.click, undefined, []);
  expect(done).toEqual(act === null ? [] : [[act]]);
  expect(item?.enabled ?? true).toBe(act !== null);
});

/** Acts that are only noted. */
test('the profiles are a submenu, in which the one in use is marked', () => {
  const done: unknown[] = [];
  const facts = seeing({ ...WELL, profile: 'R&D', profiles: ['cheap', 'R&D'] });
  const menu = createTrayMenu(facts, acts(done));
  const submenu = menu.find(({ label }) => label === 'Profile: R&&D')?.submenu;
  const items = Array.isArray(submenu) ? submenu : [];
  expect(items.map(({ label, checked }) => [label, checked])).toEqual([
    ['None', false],
    ['cheap', false],
    ['R&&D', true],
  ]);
  for (const { click } of items) if (click !== undefined) Reflect.apply(click, undefined, []);
  expect(done).toEqual([
    ['useProfile', null],
    ['useProfile', 'cheap'],
    ['useProfile', 'R&D'],
  ]);
  expect(
    createTrayMenu(seeing(WELL), acts([])).some(({ label }) => label?.startsWith('Profile')),
  ).toBe(false);
});

function acts(done: unknown[]) {
  const note =
    (name: string) =>
    (...args: readonly unknown[]): void =>
      void done.push([name, ...args]);
  return {
    copy: note('copy'),
    open: note('open'),
    quickChat: note('quickChat'),
    start: note('start'),
    pause: note('pause'),
    useProfile: note('useProfile'),
    setStartAtLogin: note('setStartAtLogin'),
    check: note('check'),
    download: note('download'),
    restart: note('restart'),
    about: note('about'),
    quit: note('quit'),
  };
}
