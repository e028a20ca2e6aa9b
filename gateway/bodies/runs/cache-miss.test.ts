import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { SILENT_SENDER, type Sender } from '../../../shared/exchange/sender.ts';
import { UNKNOWN_USAGE, type Usage } from '../../../shared/exchange/usage.ts';
import { findCacheMiss } from '../../../shared/run/cache-miss.ts';
import type { StepPlace } from '../../../shared/run/run.ts';
import { BodyDatabase } from '../body-database.ts';

let folder: string;
let database: BodyDatabase;
let count: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-cache-'));
  database = new BodyDatabase(join(folder, 'bodies.db'));
  count = 0;
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

type Fields = Readonly<Record<string, unknown>>;

interface Sent {
  /** Seconds after the first request. */
  readonly at?: number;
  readonly durationMs?: number;
  readonly model?: string;
  readonly protocol?: TextProtocol;
  readonly usage?: Partial<Usage>;
  readonly sender?: Partial<Sender>;
  readonly status?: number;
  /** Bytes of the middle that is not stored, and where. */
  readonly omitted?: { readonly from: number; readonly to: number };
  readonly masked?: number;
}

const SYSTEM = 'You are an agent.\nToday is 2026-03-01.\nWork well.';
const TASK = { role: 'user', content: 'Mend the parser.' };
const ANSWER = { role: 'assistant', content: [{ type: 'text', text: 'I look at it – ✓.' }] };
const NEXT = { role: 'user', content: 'Go on with the lexer.' };
const tool = (name: string, description = 'A tool.') => ({ name, description, input_schema: {} });
const developer = (text: string) => ({ role: 'developer', content: text });
const callPut = (cacheControl: unknown) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'x', name: 'put', input: { cache_control: cacheControl } }],
});
const putTool = (type: string) => ({
  ...tool('put'),
  input_schema: { type: 'object', properties: { cache_control: { type } } },
});
const longTool = (end: string) => tool(`mcp__${'x'.repeat(58)}${end}`);
const BASE: Fields = { system: SYSTEM, tools: [tool('ls'), tool('grep')] };
const FIRST: Fields = { ...BASE, messages: [TASK] };
const SECOND: Fields = { ...BASE, messages: [TASK, ANSWER, NEXT] };
const WROTE: Partial<Usage> = { input: 4_000, cacheRead: 0, cacheWrite: 4_000 };
const MISSED: Partial<Usage> = { input: 4_500, cacheRead: 0, cacheWrite: 4_500 };

/** Stores a request, of Messages unless another protocol is named, gives it its place, and returns that. */
function send(fields: Fields, sent: Sent = {}): StepPlace {
  count += 1;
  const { at = 20 * count, durationMs = 10_000, model = 'm', status = 200, masked = 0 } = sent;
  const { usage = count === 1 ? WROTE : MISSED, sender = null, omitted } = sent;
  const { protocol = 'messages' } = sent;
  const id = ExchangeId.parse(`ex-${count.toString(16).padStart(16, '0')}`);
  const request = Buffer.from(JSON.stringify(fields));
  const answer = { type: 'message', role: 'assistant', content: ANSWER.content };
  const body = {
    tail: Buffer.alloc(0),
    binary: false,
    contentType: 'application/json',
    eventTimes: null,
  };
  const step = {
    protocol,
    clientName: 'Agent',
    model,
    status,
    errorCode: status === 200 ? null : 'busy',
    endedBy: 'service',
    durationMs,
    firstByteMs: Math.min(1_000, durationMs),
    usage: { ...UNKNOWN_USAGE, source: 'reported', ...usage },
  };
  const kept = omitted ?? { from: request.length, to: request.length };
  const response = Buffer.from(JSON.stringify(status === 200 ? answer : { error: {} }));
  database.keep([
    {
      id,
      startedAt: at * 1_000,
      run: 'r',
      kind: 'r',
      client: 'c',
      facts: JSON.stringify({
        conversation: 's',
        sender: sender && { ...SILENT_SENDER, ...sender },
        step,
      }),
      bodies: [
        {
          ...body,
          side: 'sent',
          head: request.subarray(0, kept.from),
          tail: request.subarray(kept.to),
          bytes: request.length,
          omitted: kept.to - kept.from,
          masked,
        },
        {
          ...body,
          side: 'returned',
          head: response,
          bytes: response.length,
          omitted: 0,
          masked: 0,
        },
      ],
    },
  ]);
  while (database.place().hasMore);
  const place = database.findPlace(id);
  if (place === null) throw new Error('The exchange has no place.');
  return place;
}

/** Returns the kinds of causes of a miss; `null` when there is none. */
function toKinds({ step, compared }: StepPlace): string[] | null {
  return findCacheMiss(step, compared)?.causes.map(({ kind }) => kind) ?? null;
}

/** Returns the text of a request from the byte that a change names. */
function readByte(fields: Fields, { step }: StepPlace): string {
  const bytes = Buffer.from(JSON.stringify(fields));
  return bytes.subarray(step.change?.byte ?? bytes.length).toString();
}

test('a first request misses nothing, and an equal one whose cache is gone was evicted', () => {
  expect(toKinds(send(FIRST, { usage: MISSED }))).toBeNull();
  const second = send(SECOND);
  expect(second.step).toMatchObject({ change: null, comparison: { follows: true, isWhole: true } });
  expect(toKinds(second)).toEqual(['evicted']);
});

test('a date in the system prompt is named with its character, its line and its byte', () => {
  send(FIRST);
  const changed = { ...SECOND, system: SYSTEM.replace('03-01', '03-02') };
  const place = send(changed);
  expect(toKinds(place)).toEqual(['system']);
  expect(place.step.change).toMatchObject({
    character: SYSTEM.indexOf('1.\nWork') + 1,
    looksLike: 'date',
    before: 'Today is 2026-03-01.',
    now: 'Today is 2026-03-02.',
  });
  expect(readByte(changed, place)).toMatch(/^2\.\\nWork well\./u);
});

test('the byte counts those of other characters, and is not named behind a masked secret', () => {
  const next = { role: 'user', content: 'See "❤" and <key> now.' };
  send({ ...BASE, messages: [TASK, ANSWER, next] });
  const more = [ANSWER, { role: 'user', content: 'Thanks.' }];
  const changed = {
    ...BASE,
    messages: [TASK, ANSWER, { ...next, content: `${next.content}\tÄ` }, ...more],
  };
  const place = send(changed);
  expect(place.step.change).toMatchObject({ part: 'message', place: 2, kind: 'newest' });
  expect(readByte(changed, place)).toMatch(/^\\tÄ"\},\{"role":"assistant"/u);
  const masked = { ...changed, messages: [...changed.messages.slice(0, 2), NEXT, ...more, NEXT] };
  expect(send(masked, { masked: 1 }).step.change?.byte).not.toBeNull();
  const behind = [TASK, { ...ANSWER, content: '<key> and more' }, NEXT, ...more, NEXT];
  send({ ...BASE, messages: behind }, { masked: 1 });
  const end = [...behind.slice(0, 2), { ...NEXT, content: 'Stop.' }, ...more, NEXT, ...more];
  const hidden = send({ ...BASE, messages: end }, { masked: 1 });
  expect(hidden.step.change).toMatchObject({ place: 2, byte: null });
});

test.each([
  ['a list of parts', 'Work well in 2026.', [{ type: 'text', text: 'Work well in 2027.' }]],
  [
    'a list of more parts',
    'Work well in 2026.',
    [
      { type: 'text', text: 'Work well in 2027.' },
      { type: 'text', text: 'Be brief.' },
    ],
  ],
  ['a text', [{ type: 'text', text: 'Work well in 2026.' }], 'Work well in 2027.'],
])('a text that is now %s, with other words, is compared as text', (_, before, now) => {
  const shown = {
    character: 'Work well in 2026'.length,
    before: 'Work well in 2026.',
    now: 'Work well in 2027.',
  };
  const [earlier, changed] = [before, now].map((content) => ({
    ...BASE,
    messages: [TASK, ANSWER, { role: 'user', content }],
  }));
  if (earlier === undefined || changed === undefined) throw new Error('There are two requests.');
  send(earlier);
  const place = send(changed);
  expect(place.step.change).toMatchObject({ part: 'message', place: 2, ...shown });
  expect(readByte(changed, place)).toMatch(/^7\./u);
  send({ ...FIRST, system: before });
  expect(send({ ...FIRST, system: now }).step.change).toMatchObject({ part: 'system', ...shown });
});

test.each([
  ['an id', 'session 3f2a9c0b-7d41-4e2a-9d1e-0c4be61f2a77', 'id'],
  ['a time', 'now 14:05', 'time'],
  ['a path', 'in /home/ada/project', 'path'],
  ['a number', 'of 412 files', 'number'],
  ['words', 'with care', null],
])('%s in the system prompt is recognised', (_, text, looksLike) => {
  const other = text.replaceAll(/[45a]/gu, (sign) => ({ '4': '8', '5': '9', a: 'e' })[sign] ?? '');
  send({ ...FIRST, system: `Work ${text}.` });
  expect(send({ ...SECOND, system: `Work ${other}.` }).step.change).toMatchObject({ looksLike });
});

test('tools that were added, removed, changed and moved are named', () => {
  send({ ...FIRST, tools: ['ls', 'grep', 'cat', 'old'].map((name) => tool(name)) });
  const tools = [tool('grep'), tool('ls', 'Lists files.'), tool('cat'), tool('new')];
  const place = send({ ...SECOND, tools });
  expect(toKinds(place)).toEqual(['tools']);
  expect(place.step.change?.tools).toEqual({
    added: ['new'],
    removed: ['old'],
    changed: ['ls'],
    reordered: true,
    more: 0,
  });
  expect(place.step.comparison?.isOtherAgent).toBe(false);
});

test('a long name of a changed tool is cut visibly, so that its end is no part of a key', () => {
  send({ ...FIRST, tools: [longTool('1')] });
  const place = send({ ...SECOND, tools: [longTool('23')] });
  expect(place.step.change?.tools).toMatchObject({
    added: [`mcp__${'x'.repeat(58)}…`],
    removed: [`mcp__${'x'.repeat(58)}1`],
  });
});

test('marks that are left out are the cause, and a system prompt in a list is the same as a text', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  send({ ...FIRST, system: [{ type: 'text', text: SYSTEM, ...mark }] });
  const place = send(SECOND);
  expect(place.step.change).toBeNull();
  expect(toKinds(place)).toEqual(['parameters']);
});

test('a mark on a message, a result of a tool, a tool or the request counts', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const result = { type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: 'a' }] };
  const marked = { ...result, content: [{ type: 'text', text: 'a', ...mark }] };
  const without = { ...FIRST, messages: [TASK, { role: 'user', content: [result] }] };
  for (const fields of [
    { ...without, messages: [{ ...TASK, ...mark }, without.messages[1]] },
    { ...without, messages: [TASK, { role: 'user', content: [marked] }] },
    { ...without, tools: [tool('ls'), { ...tool('grep'), ...mark }] },
    { ...without, ...mark },
  ]) {
    send(without);
    const { step } = send(fields);
    expect(step.change).toBeNull();
    expect(step.comparison?.parameters).toEqual([
      { name: 'cache_control', before: null, now: 'true' },
    ]);
  }
});

test('a field of a tool with the name of the marks is none', () => {
  const result = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'x', content: 'ok' }],
  };
  send(FIRST);
  const place = send({ ...FIRST, messages: [TASK, callPut('no-store'), result] });
  expect(toKinds(place)).toEqual(['evicted']);
  const changed = send({ ...FIRST, messages: [TASK, callPut({ type: 'public' }), result, NEXT] });
  expect(changed.step.change).toMatchObject({ part: 'message', place: 1, now: expect.any(String) });
  const messages = [TASK, callPut({ type: 'public' }), result, NEXT, ANSWER, NEXT];
  send({ ...FIRST, tools: [putTool('string')], messages });
  const other = send({
    ...FIRST,
    tools: [putTool('object')],
    messages: [...messages, ANSWER, NEXT],
  });
  expect(other.step.change?.tools?.changed).toEqual(['put']);
  expect(other.step.comparison?.parameters).toEqual([]);
});

test('tools of one name are told apart by their number', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((url) => ({ type: 'mcp', server_url: url }));
  send({ ...FIRST, tools: [a, b] });
  const place = send({ ...SECOND, tools: [c, b, d] });
  expect(place.step.change?.tools).toMatchObject({
    added: ['mcp (3)'],
    changed: ['mcp'],
    removed: [],
    reordered: false,
  });
});

test('a model, parameters and another agent are told apart', () => {
  send(FIRST);
  expect(toKinds(send(SECOND, { model: 'n' }))).toEqual(['model']);
  const thinking = { ...SECOND, thinking: { type: 'enabled', budget_tokens: 4_096 } };
  const place = send({ ...thinking, messages: [TASK, ANSWER, NEXT, ANSWER, NEXT] }, { model: 'n' });
  expect(place.step.comparison?.parameters).toEqual([
    { name: 'thinking', before: null, now: '{"type":"enabled","budget_tokens":4096}' },
  ]);
  expect(toKinds(place)).toEqual(['parameters']);
  const messages = [TASK, ANSWER, NEXT, ANSWER, NEXT, ANSWER, NEXT];
  const other = { system: 'Plan the work of others.', tools: [tool('plan')], messages };
  const first = send({ ...thinking, ...other }, { model: 'n' });
  expect(toKinds(first)).toBeNull();
  expect(first.step.comparison?.isOtherAgent).toBe(true);
  expect(first.step.change).toBeNull();
});

test('marks of the cache are no change, and an order of keys is one only where there is no other', () => {
  const marked = { type: 'text', text: TASK.content, cache_control: { type: 'ephemeral' } };
  send({ ...FIRST, messages: [{ role: 'user', content: [marked] }] });
  expect(send(SECOND).step.change).toBeNull();
  const messages = [TASK, { content: ANSWER.content, role: 'assistant' }, NEXT, ANSWER, NEXT];
  const place = send({ ...SECOND, messages });
  expect(place.step.change).toMatchObject({ kind: 'key order', place: 1 });
  expect(toKinds(place)).toEqual(['key-order']);
});

test('a cache expires after five minutes, or after an hour when it was written for one', () => {
  send(FIRST, { at: 0, usage: { ...WROTE, cacheWriteHour: 4_000 } });
  const messages = [TASK, ANSWER, NEXT, ANSWER, NEXT];
  expect(toKinds(send(SECOND, { at: 3_000 }))).toEqual(['evicted']);
  expect(toKinds(send({ ...SECOND, messages }, { at: 3_400 }))).toEqual(['expired']);
});

test('a life of the cache is known from the step that wrote it last', () => {
  send(FIRST, { at: 0, usage: { ...WROTE, cacheWriteHour: 4_000 } });
  send(SECOND, { at: 10, usage: { input: 4_500, cacheRead: 4_500, cacheWrite: 0 } });
  const messages = [TASK, ANSWER, NEXT, ANSWER, NEXT];
  expect(toKinds(send({ ...SECOND, messages }, { at: 900 }))).toEqual(['evicted']);
});

test('of two requests at once the second could not read what the first had not written', () => {
  send(FIRST, { at: 0 });
  expect(toKinds(send({ ...FIRST, messages: [TASK, NEXT] }, { at: 0.5 }))).toEqual(['at-once']);
});

test('a shortened history is no miss, also in a sequence that continues the run', () => {
  send(FIRST);
  const long = [TASK, ANSWER, NEXT, ANSWER, { role: 'user', content: 'And the rest.' }];
  send({ ...SECOND, messages: long });
  const rewound = send({ ...SECOND, messages: [TASK, ANSWER, { ...NEXT, content: 'No, stop.' }] });
  expect(rewound.step.change?.kind).toBe('shortened');
  expect(toKinds(rewound)).toBeNull();
  const summary = { role: 'user', content: 'What was done so far: the parser.' };
  const compacted = send({ ...BASE, messages: [summary] });
  expect(compacted).toMatchObject({ number: 1, compared: { id: rewound.step.id } });
  expect(compacted.step.change?.kind).toBe('shortened');
  expect(toKinds(compacted)).toBeNull();
});

test('an instruction that moves behind the messages of a shortened history is no other system prompt', () => {
  const rights = developer('You may not write.');
  const base = { instructions: SYSTEM, tools: [{ type: 'function', name: 'shell' }] };
  const long = [developer('Be brief.'), rights, TASK, ANSWER, NEXT, ANSWER, NEXT];
  send({ ...base, input: long }, { protocol: 'responses' });
  const summary = { role: 'user', content: 'What was done so far: the parser.' };
  const short = [developer('Be brief.'), TASK, NEXT, rights, summary];
  const compacted = send({ ...base, input: short }, { protocol: 'responses' });
  const change = { part: 'message', kind: 'shortened', place: 0 };
  expect(compacted.step.change).toMatchObject(change);
  expect(toKinds(compacted)).toBeNull();
  // One that is gone is a change of the system prompt.
  const gone = send({ ...base, input: [TASK, NEXT, rights, summary] }, { protocol: 'responses' });
  expect(gone.step.change).toMatchObject({ part: 'system', kind: 'changed', place: 1, now: '' });
});

function labelled(digest: string, more = '') {
  return [
    { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1.332.${digest};` },
    { type: 'text', text: `${SYSTEM}${more}` },
  ];
}

test('the label of Claude Code that changes with a shortened history is no other system prompt', () => {
  send({ ...BASE, system: labelled('20d'), messages: [TASK, ANSWER, NEXT] });
  const summary = { role: 'user', content: 'What was done so far: the parser.' };
  const compacted = send({ ...BASE, system: labelled('cf6'), messages: [summary] });
  expect(compacted.step.change).toMatchObject({ part: 'message', kind: 'shortened', place: 0 });
  expect(toKinds(compacted)).toBeNull();
  // What comes after the label counts, and so does the label of a history that is as long as before.
  const other = { role: 'user', content: 'Something else.' };
  const longer = [summary, ANSWER, NEXT];
  send({ ...BASE, system: labelled('cf6'), messages: longer });
  const more = send({ ...BASE, system: labelled('aaa', ' Be brief.'), messages: [other] });
  expect(more.step.change).toMatchObject({ part: 'system', place: 1 });
  const last = send({ ...BASE, system: labelled('bbb', ' Be brief.'), messages: [other, ANSWER] });
  expect(last.step.change).toMatchObject({ part: 'system', place: 0 });
});

test('of a text that goes on after line breaks, what is new there is shown', () => {
  send({ ...BASE, messages: [TASK] });
  const longer = { ...TASK, content: `${TASK.content}\n\nAnswer with text.\nOnly.` };
  const { change } = send({ ...BASE, messages: [longer, ANSWER, NEXT] }).step;
  expect(change).toMatchObject({
    before: TASK.content,
    now: `${TASK.content}\n\nAnswer with text.`,
  });
});

test('a request is compared with the latest of its purpose, and not with one that failed', () => {
  const first = send(FIRST, { sender: { requestClass: 'main' } });
  const title = { ...BASE, system: 'Name it.', messages: [TASK, ANSWER, NEXT] };
  const aside = send(title, { sender: { requestClass: 'auxiliary' } });
  expect([aside.compared, toKinds(aside)]).toEqual([null, null]);
  send(SECOND, { sender: { requestClass: 'main' }, status: 529, usage: { input: null } });
  const again = send(SECOND, { sender: { requestClass: 'main' } });
  expect(again.compared?.id).toBe(first.step.id);
  expect(toKinds(again)).toEqual(['evicted']);
});

test('where a middle is not stored, no cause is claimed', () => {
  const filler = { role: 'user', content: 'x'.repeat(2_000) };
  const long = [TASK, ANSWER, filler, ANSWER, NEXT];
  send({ ...BASE, messages: long }, { omitted: { from: 600, to: 1_400 } });
  const more = [...long, ANSWER, NEXT];
  const place = send({ ...BASE, messages: more }, { omitted: { from: 600, to: 1_400 } });
  expect(place.step.comparison?.isWhole).toBe(false);
  expect(toKinds(place)).toEqual(['unknown']);
});
