import { expect, test } from 'vitest';
import type { ExchangeBodies, StoredBody } from '../../../shared/exchange/body.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { ExportFormat } from '../../../shared/history/export.ts';
import type { CostedRun, RunSequence, RunStep } from '../../../shared/run/run.ts';
import { aRunSummary, aStep } from '../../kit/history/a-run.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { exportChunks, joinText, NO_BODIES } from '../../kit/history/export-chunks.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';

type Content = string | readonly object[];
const SYSTEM = 'You mend programs.';
const user = (content: Content) => ({ role: 'user', content });
const assistant = (content: Content) => ({ role: 'assistant', content });
const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: { of: id } });
const resultOf = (id: string, content: string) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});

const aBody = (value: object, masked = 0): StoredBody => {
  const text = JSON.stringify(value);
  return {
    text,
    binary: false,
    bytes: text.length,
    contentType: 'application/json',
    omitted: null,
    masked,
    eventTimes: null,
  };
};

const bodiesOf = (messages: readonly object[], content: Content, masked = 0): ExchangeBodies => ({
  state: 'kept',
  received: null,
  sent: aBody({ model: 'm', system: SYSTEM, tools: [{ name: 'read' }], messages }, masked),
  returned: aBody({ content, stop_reason: 'end_turn' }),
});

const ask = (...texts: readonly string[]) => texts.map((text) => user(text));

const TASK = user('Find the fault.');
const FIRST = [TASK, assistant([call('c1', 'Task')]), user([resultOf('c1', 'It is line 7.')])];
/** The agent, the agent that its first step starts, and what the agent does afterwards. */
const BODIES: Readonly<Record<string, ExchangeBodies>> = {
  one: bodiesOf([TASK], [call('c1', 'Task')]),
  sub: bodiesOf([user('Look at the parser.')], [{ type: 'text', text: 'Line 7.' }]),
  two: bodiesOf(FIRST, [{ type: 'text', text: 'Mended <b>it</b>.' }], 2),
  late: bodiesOf([user('Something else.')], [{ type: 'text', text: 'Yes.' }]),
};

const findBodies = (id: string) => BODIES[id] ?? NO_BODIES;

const toStep = (id: string, startedAt: number, facts: Partial<RunStep> = {}) =>
  aStep(id, startedAt, { clientName: 'Cline', prompt: `Prompt of ${id}`, ...facts });

const sequence = (
  id: number,
  kind: RunSequence['kind'],
  startedBy: string | null,
  steps: readonly RunStep[],
): RunSequence => ({
  id,
  kind,
  startedBy: startedBy === null ? null : ExchangeId.parse(startedBy),
  steps: [...steps],
});

const RUN: CostedRun = {
  run: aRunSummary({
    title: 'Find the fault.',
    clientName: 'Cline',
    conversation: 'c',
    models: ['m'],
    endedAt: NOON + 9_000,
    steps: 4,
    calls: 1,
    input: 100,
    output: 10,
    cacheRead: 50,
  }),
  sequences: [
    sequence(1, 'main', null, [
      toStep('one', NOON),
      toStep('two', NOON + 3_000, {
        diagnosis: { kind: 'changed', reason: 'model_changed', missed: 2_000 },
      }),
      toStep('gone', NOON),
    ]),
    sequence(2, 'agent', 'one', [toStep('sub', NOON + 1_000)]),
  ],
  moreSteps: 1,
  costs: {
    one: { amount: 1_500_000, source: 'reported', priceId: 1, service: 'https://s.example' },
    two: { amount: null, source: 'unpriced', priceId: null, service: 'https://s.example' },
  },
  misses: {
    two: {
      lost: 2_000,
      cost: 30_000,
      causes: [
        { kind: 'expired', text: 'its cache had expired' },
        { kind: 'model', text: 'the model changed' },
      ],
    },
  },
  missed: { times: 1, lost: 2_000, cost: 30_000, unpriced: 0 },
  isInHistory: true,
};

async function exportRun(find = findBodies) {
  await using folder = await openHistoryFolder();
  const all = ['one', 'two', 'sub', 'late'];
  await folder.record(...all.map((id) => anExchange(id, { route: 'messages' })));
  const ids = ['one', 'two', 'sub', 'late'].map((id) => ExchangeId.parse(id));
  return joinText(await exportChunks(folder, { format: 'html', ids, readRun, bodies: find }));
}

const readRun = () => Promise.resolve(RUN);
const failToRead = () => Promise.reject(new Error('The run was read.'));

test.each(ExportFormat.options.filter((format) => format !== 'html' && format !== 'md'))(
  'a run is not read for an export of its exchanges as %s',
  async (format) => {
    await using folder = await openHistoryFolder();
    const ids = ['one', 'two', 'sub'].map((id) => ExchangeId.parse(id));
    await folder.record(...ids.map((id) => anExchange(id, { route: 'messages' })));
    const chunks = await exportChunks(folder, { format, ids, readRun: failToRead });
    expect(chunks.at(-1)?.exchanges).toBe(3);
  },
);

test('a page of a run has each agent below the step that started it, and each text once', async () => {
  const page = await exportRun();
  const places = [
    '<h2>Agent</h2>',
    '<h3>Step 1</h3>',
    'Call of Task',
    '<h4>Agent started by a tool call</h4>',
    '<h5>Step 2</h5>',
    'Look at the parser.',
    '<h3>Step 3</h3>',
    'Result of Task',
    'It is line 7.',
    'Mended &lt;b&gt;it&lt;/b&gt;.',
    'Something else.',
    'Step 4 (gone) is not in this file',
    '2 secrets are masked in these',
  ].map((text) => page.indexOf(text));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places[0]).toBeGreaterThan(0);
  for (const text of [SYSTEM, 'Call of Task', 'It is line 7.', '<main>', '</html>'])
    expect(page.split(text)).toHaveLength(2);
  expect(page).toContain('2 messages of <a href="#one">step 1</a> are left out.');
  expect(page.match(/>\d\. Prompt of \w+/gu)).toEqual([
    '>1. Prompt of one',
    '>2. Prompt of sub',
    '>3. Prompt of two',
    '>4. Prompt of gone',
  ]);
  expect(page.match(/<div[ >]/gu)).toHaveLength(page.match(/<\/div>/gu)?.length ?? 0);
});

test('a page says what a run is, costs and lacks, and forbids itself everything', async () => {
  const page = await exportRun();
  expect(page).toContain('<title>Find the fault. – Gatehouse</title>');
  expect(page).toContain('<html lang="en">');
  expect(page).toContain('€1.50, 1 without a price');
  expect(page).toContain('100, 50 % from the cache');
  expect(page).toContain('<dt>Cache missed</dt><dd>once, 2,000 tokens, about €0.030</dd>');
  expect(page).toContain(
    'The cache missed: 2,000 tokens read again, about €0.030</b>: its cache had expired; also: the model changed.',
  );
  expect(page).toContain('The service says: the model changed (2,000 tokens missed).');
  expect(page).toContain('Made with Gatehouse 1.2.3, <time');
  expect(page).toContain(
    'default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; img-src data:',
  );
  expect(page).not.toMatch(
    /<(?:script|link rel="stylesheet"|iframe|form)|\ssrc="(?!data:)|javascript:/u,
  );
});

const ANSWER = { type: 'text', text: 'I look.' };
const SPELT = { input: { b: 1, a: 2 }, type: 'tool_use', id: 'c1', name: 'Task' };

test.each([
  ['is not stored', NO_BODIES, true],
  ['has another text', bodiesOf([TASK], [{ type: 'text', text: 'I saw.' }, SPELT]), true],
  ['has another call', bodiesOf([TASK], [ANSWER, { ...SPELT, input: { b: 2, a: 2 } }]), true],
  ['has no parts', bodiesOf([TASK], []), true],
  ['is the same', bodiesOf([TASK], [ANSWER, { ...SPELT, input: { a: 2, b: 1 } }]), false],
])('an answer in a request is shown unless it was: the one before %s', async (_, one, isShown) => {
  const two = bodiesOf(
    [TASK, assistant([ANSWER, SPELT]), user([resultOf('c1', 'It is line 7.')])],
    [{ type: 'text', text: 'Done.' }],
  );
  const page = await exportRun((id) => ({ ...BODIES, one, two })[id] ?? NO_BODIES);
  expect(page.includes('<p class="label">Earlier answer</p>')).toBe(isShown);
  expect(page).toContain('I look.');
  expect(page).toContain('It is line 7.');
});

test('a page of a run over Responses has each call and each result once', async () => {
  await using folder = await openHistoryFolder();
  const ids = ['one', 'two', 'late'].map((id) => ExchangeId.parse(id));
  await folder.record(...ids.map((id) => anExchange(id, { route: 'responses' })));
  const answers = [1, 2, 3].map((number) => [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { type: 'function_call', call_id: `c${number}`, name: 'read', arguments: `{"line":${number}}` },
  ]);
  const done = answers.map((items, at) => [
    ...items,
    { type: 'function_call_output', call_id: `c${at + 1}`, output: `It has word ${at + 1}.` },
  ]);
  const bodies = (id: string): ExchangeBodies => {
    const at = ids.indexOf(ExchangeId.parse(id));
    return {
      state: 'kept',
      received: null,
      sent: aBody({ model: 'm', input: [TASK, ...done.slice(0, at).flat()] }),
      returned: aBody({ output: answers[at], status: 'completed' }),
    };
  };
  const steps = ids.map((id, at) => toStep(id, NOON + at, { protocol: 'responses' }));
  const run = { ...RUN, sequences: [sequence(1, 'main', null, steps)] };
  const page = joinText(
    await exportChunks(folder, {
      format: 'html',
      ids,
      readRun: () => Promise.resolve(run),
      bodies,
    }),
  );
  expect(page.match(/Call of read/gu)).toHaveLength(3);
  expect(page.match(/It has word \d/gu)).toEqual(['It has word 1', 'It has word 2']);
  expect(page.match(/\d messages? of <a href="#\w+">step \d/gu)).toEqual([
    '1 message of <a href="#one">step 1',
    '2 messages of <a href="#two">step 2',
  ]);
});

test.each(['html', 'md'] as const)(
  'a file (%s) of requests that continue each other has each prompt and each result once',
  async (format) => {
    await using folder = await openHistoryFolder();
    const ids = ['one', 'two', 'late'].map((id) => ExchangeId.parse(id));
    await folder.record(...ids.map((id) => anExchange(id, { route: 'responses' })));
    const turns = [1, 2, 3].map((number) => {
      // A client sent what stands for a masked secret elsewhere.
      const output = `It has word ${number - 1}, <key>.`;
      return {
        sent:
          number === 1 ? TASK : { type: 'function_call_output', call_id: `c${number - 1}`, output },
        answer: {
          type: 'function_call',
          call_id: `c${number}`,
          name: `read-${number}`,
          arguments: '{}',
        },
      };
    });
    const bodies = (id: string): ExchangeBodies => {
      const at = ids.indexOf(ExchangeId.parse(id));
      const items = turns.slice(0, at).flatMap(({ sent, answer }) => [sent, answer]);
      const flags = { start: 'whole', gap: null, isCutOff: false, isAmbiguous: false } as const;
      return {
        state: 'kept',
        received: null,
        sent: aBody({ model: 'm', input: [turns[at]?.sent] }),
        returned: aBody({ output: [turns[at]?.answer], status: 'completed' }),
        ...(at > 0 && { earlier: { items: JSON.stringify(items), count: items.length, ...flags } }),
      };
    };
    const text = joinText(await exportChunks(folder, { format, ids, bodies }));
    expect(text.split('Find the fault.')).toHaveLength(2);
    expect(text).not.toContain('1 secret');
    expect(text.match(/It has word \d/gu)).toEqual(['It has word 1', 'It has word 2']);
  },
);

const findFailedBodies = (id: string) => (id === 'late' ? findBodies(id) : bodiesOf([TASK], []));

test.each([
  ['html', '<summary>2 more times the same: 500 service error: Busy *now*</summary>', 4],
  ['md', '` 2 more times the same: 500 service error: Busy *now* `', 2],
] as const)(
  'a file (%s) of a run folds what failed again in the same way',
  async (...[format, fold, shown]) => {
    await using folder = await openHistoryFolder();
    const ids = ['one', 'two', 'more', 'late'].map((id) => ExchangeId.parse(id));
    await folder.record(...ids.map((id) => anExchange(id, { route: 'messages' })));
    const failed = { status: 500, error: 'Busy *now*.', prompt: null };
    const steps = [
      toStep('one', NOON, failed),
      toStep('two', NOON + 1, { ...failed, repeated: true }),
      toStep('more', NOON + 2, { ...failed, repeated: true }),
      toStep('late', NOON + 3),
    ];
    const run = { ...RUN, sequences: [sequence(1, 'main', null, steps)] };
    const read = () => Promise.resolve(run);
    const text = joinText(
      await exportChunks(folder, { format, ids, readRun: read, bodies: findFailedBodies }),
    );
    const [before = '', after = ''] = text.split(fold);
    expect(before).toContain('Find the fault.');
    expect(after).toContain('Something else.');
    expect(text.match(/<article |^## /gmu)).toHaveLength(shown);
    if (format === 'md') {
      const rest = { format, ids: ids.slice(1), readRun: read, bodies: findFailedBodies };
      const without = joinText(await exportChunks(folder, rest));
      expect(without, 'one of them is shown').toMatch(
        /^## [^]*Find the fault\.[^]*` 1 more time the same/mu,
      );
      return;
    }
    expect(text.match(/<a href="#\w+">\d\. [^<]*/gu)).toEqual([
      '<a href="#one">1. an error',
      '<a href="#two">2. 2 more times the same: 500 service error: Busy *now*',
      '<a href="#late">4. Prompt of late',
    ]);
    expect(after).toMatch(/id="two"[^]*id="more"[^]*<\/details>\n<article class="step" id="late"/u);
  },
);

test('a page of some exchanges has no message twice in a row', async () => {
  await using folder = await openHistoryFolder();
  const ids = ['one', 'two', 'late'].map((id) => ExchangeId.parse(id));
  await folder.record(...ids.map((id) => anExchange(id, { route: 'messages' })));
  const page = joinText(await exportChunks(folder, { format: 'html', ids, bodies: findBodies }));
  expect(page).toContain('<h1>Requests and responses</h1>');
  expect(page.match(/<article /gu)).toHaveLength(3);
  expect(page).toContain('2 messages of <a href="#one">one</a> are left out.');
  expect(page.split('Find the fault.')).toHaveLength(2);
  expect(page).toContain('<dt>Client</dt><dd>Cline</dd>');
});

test('the secrets of a page are those of each request, and those that it repeats only once', async () => {
  await using folder = await openHistoryFolder();
  const found: Readonly<Record<string, ExchangeBodies>> = {
    one: bodiesOf(ask('One <key>'), 'Yes.', 1),
    other: bodiesOf(ask('Another <key>'), 'Yes.', 1),
    more: bodiesOf(ask('Another <key>', 'Go on, <key>'), 'Yes.', 2),
    third: bodiesOf(ask('A third <key>'), 'Yes.', 1),
  };
  const ids = Object.keys(found).map((id) => ExchangeId.parse(id));
  await folder.record(...ids.map((id) => anExchange(id, { route: 'messages' })));
  const bodies = (id: string) => found[id] ?? NO_BODIES;
  const page = joinText(await exportChunks(folder, { format: 'html', ids, bodies }));
  expect(page.match(/1 secret is masked here/gu)).toHaveLength(4);
  expect(page).toContain('4 secrets are masked in these');
});

test.each([
  ['data:image/svg+xml;base64,PHN2Zy8+', 'data:image/svg+xml;base64'],
  ['https://evil.example/i.png', 'https://evil.example/i.png'],
  ['data:image/png;base64,AAAA" onerror="x', 'data:image/png;base64'],
])('an image %s is only named', async (url, name) => {
  await using folder = await openHistoryFolder();
  await folder.record(anExchange('a', { route: 'chat' }));
  const messages = [user([{ type: 'image_url', image_url: { url } }])];
  const sent = aBody({ model: 'm', messages });
  const bodies = () => ({ ...NO_BODIES, state: 'kept', sent }) as const;
  const page = joinText(await exportChunks(folder, { format: 'html', bodies }));
  expect(page).not.toContain('<img');
  expect(page).toContain(`<pre>\n${name}</pre>`);
});
