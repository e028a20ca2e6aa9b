import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { afterEach, assert, beforeEach, expect, test } from 'vitest';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import { SILENT_SENDER, type Sender } from '../../../shared/exchange/sender.ts';
import type { RunDetail, RunStep, StepFacts } from '../../../shared/run/run.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { BodyDatabase } from '../body-database.ts';
import type { CleanBody } from '../clean-body.ts';
import type { PlacedStep } from './report-step.ts';

let folder: string;
let database: BodyDatabase;
let count: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-runs-'));
  database = new BodyDatabase(join(folder, 'bodies.db'));
  count = 0;
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

type Message = Readonly<Record<string, unknown>>;

interface Sent {
  readonly messages: readonly Message[];
  readonly answer?: Message;
  readonly tools?: readonly string[];
  readonly system?: string;
  readonly conversation?: string | null;
  readonly run?: string;
  readonly sender?: Partial<Sender>;
  readonly client?: string;
  readonly at?: number;
  readonly status?: number;
  readonly protocol?: TextProtocol;
}

const user = (content: unknown): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });
const instructs = (content: unknown): Message => ({ role: 'system', content });
const calls = (id: string, name: string, input: unknown): Message => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
});
const result = (id: string, content: string): Message => ({
  role: 'tool',
  tool_call_id: id,
  content,
});

const STEP: StepFacts = {
  protocol: 'chat',
  clientName: 'Agent',
  model: 'm',
  status: 200,
  errorCode: null,
  endedBy: 'service',
  durationMs: 1_000,
  firstByteMs: 100,
  usage: { ...UNKNOWN_USAGE, input: 100, output: 10, source: 'reported' },
};

/** Stores a request of Chat Completions with its answer. Returns its id. */
function send(sent: Sent): ExchangeId {
  const { messages, answer = says('Done.'), tools = ['bash'], system = 'You are an agent.' } = sent;
  count += 1;
  const { at = count * 10_000, status = 200, client = 'c', conversation = null } = sent;
  const { run = null, sender = null } = sent;
  const id = ExchangeId.parse(`ex-${count.toString(16).padStart(16, '0')}`);
  const request = {
    model: 'm',
    messages: [{ role: 'system', content: system }, ...messages],
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((name) => ({ type: 'function', function: { name } })) }),
  };
  const response =
    status === 200
      ? { choices: [{ index: 0, message: answer, finish_reason: 'stop' }] }
      : { error: { message: 'busy' } };
  const step = {
    ...STEP,
    protocol: sent.protocol ?? 'chat',
    status,
    errorCode: status === 200 ? null : 'busy',
  };
  database.keep([
    {
      id,
      startedAt: at,
      run: client,
      kind: client,
      client,
      facts: JSON.stringify({
        conversation,
        run,
        sender: sender && { ...SILENT_SENDER, ...sender },
        step,
      }),
      bodies: [
        toBody('sent', JSON.stringify(request)),
        toBody('returned', JSON.stringify(response)),
      ],
    },
  ]);
  return id;
}

function toBody(side: CleanBody['side'], text: string): CleanBody {
  return {
    side,
    head: Buffer.from(text),
    tail: Buffer.alloc(0),
    binary: false,
    bytes: text.length,
    omitted: 0,
    contentType: 'application/json',
    masked: 0,
    eventTimes: null,
  };
}

/** Places everything, and returns all runs, the oldest first. */
function listAll(): RunDetail[] {
  while (database.place().hasMore);
  const { runs } = database.listRuns({ filter: { single: true }, limit: 500, before: null });
  return runs.toReversed().flatMap(({ id }) => database.readRun(id) ?? []);
}

/** Returns the ids of the steps of each sequence of a run. */
/** Changes the file beside the program. */
function changeFile(sql: string): void {
  const other = new DatabaseSync(join(folder, 'bodies.db'));
  other.exec(sql);
  other.close();
}

const toIds = ({ sequences }: RunDetail) =>
  sequences.map(({ kind, steps }) => [kind, ...steps.map(({ id }) => id)]);

const TASK = user('Fix the failing test in the parser.');

test('instructions that a program puts after the text of the user are not text of the user', () => {
  const call = calls('call-1', 'bash', { command: 'npm test' });
  const start = [TASK, instructs('# Environment')];
  send({ messages: start, answer: call });
  const done = [...start, call, result('call-1', '1 failed'), instructs('The date changed.')];
  send({ messages: done });
  const prompts = listAll()[0]?.sequences[0]?.steps.map(({ prompt }) => prompt);
  expect(prompts).toEqual(['Fix the failing test in the parser.', null]);
});

test('a message continues its sequence when the mark for the cache, and the list around its text, move on', () => {
  const mark = { cache_control: { type: 'ephemeral' } };
  const environment = '# Environment\nThe shell is bash.';
  const marked = [{ type: 'text', text: environment, ...mark }];
  send({ messages: [TASK, instructs(marked)], conversation: 's' });
  const next = user([{ type: 'text', text: 'Go on.', ...mark }]);
  const all = [TASK, instructs(environment), says('Done.'), next];
  send({ messages: all, conversation: 's' });
  const [run] = listAll();
  expect(run?.sequences.map(({ kind, steps }) => [kind, steps.length])).toEqual([['main', 2]]);
  expect(run?.sequences[0]?.steps[1]).toMatchObject({ prompt: 'Go on.', change: null });
});

test('requests that continue each other are the steps of one run', () => {
  const call = calls('call-1', 'bash', { command: 'npm test' });
  const one = send({ messages: [TASK], answer: call });
  const two = send({ messages: [TASK, call, result('call-1', '1 failed')] });
  const [run, ...others] = listAll();
  expect(others).toEqual([]);
  expect(run?.run).toMatchObject({
    title: 'Fix the failing test in the parser.',
    clientName: 'Agent',
    steps: 2,
    calls: 1,
    failed: 0,
    input: 200,
    output: 20,
    cacheRead: null,
    models: ['m'],
  });
  expect(run?.sequences).toHaveLength(1);
  const [first, second] = run?.sequences[0]?.steps ?? [];
  expect(first).toMatchObject({
    id: one,
    prompt: 'Fix the failing test in the parser.',
    results: [],
    calls: [{ id: 'call-1', name: 'bash', input: '{"command":"npm test"}' }],
    change: null,
  });
  expect(second).toMatchObject({
    id: two,
    prompt: null,
    results: [{ callId: 'call-1', name: 'bash', text: '1 failed', isError: false, length: 8 }],
    answer: 'Done.',
    calls: [],
    change: null,
    repeated: false,
  });
});

test('long names of tools and their results end with a mark', () => {
  const name = 'n'.repeat(300);
  const call = calls('call-1', name, {});
  send({ messages: [TASK], answer: call, tools: [name] });
  send({ messages: [TASK, call, result('call-1', 'x')] });
  const short = `${'n'.repeat(199)}…`;
  const [first, second] = listAll()[0]?.sequences[0]?.steps ?? [];
  expect(first?.calls).toMatchObject([{ name: short }]);
  expect(first?.context.largestTools).toMatchObject([{ name: short }]);
  expect(second?.results).toMatchObject([{ name: short }]);
  expect(second?.context.largestResults).toMatchObject([{ name: short }]);
});

test('two runs of the same task at the same time stay apart by their tool calls', () => {
  const [a, b] = [calls('a', 'bash', { command: 'ls' }), calls('b', 'bash', { command: 'ls' })];
  send({ messages: [TASK], answer: a, at: 1 });
  send({ messages: [TASK], answer: b, at: 2 });
  send({ messages: [TASK, b, result('b', 'b')], at: 3_000 });
  send({ messages: [TASK, a, result('a', 'a')], at: 3_001 });
  expect(
    listAll().map((run) => run.sequences[0]?.steps.map(({ results }) => results[0]?.text)),
  ).toEqual(
    expect.arrayContaining([
      [undefined, 'a'],
      [undefined, 'b'],
    ]),
  );
});

test('a client that names its runs has one for each name', () => {
  send({ messages: [TASK], conversation: 'one' });
  send({ messages: [TASK], conversation: 'two' });
  send({ messages: [user('<title>')], tools: [], conversation: 'one' });
  const runs = listAll();
  expect(runs.map(({ run }) => run.conversation)).toEqual(['two', 'one']);
  expect(runs.map((run) => run.sequences.map(({ kind }) => kind))).toEqual([
    ['main'],
    ['main', 'helper'],
  ]);
});

test('an agent that a tool call starts is a sequence of its run', () => {
  const prompt = 'Find every caller of parseRequest and list them.';
  const call = calls('call-1', 'task', { description: 'find', prompt });
  const caller = send({ messages: [TASK], answer: call });
  send({ messages: [user(prompt)], answer: says('Three callers.') });
  send({ messages: [TASK, call, result('call-1', 'Three callers.')] });
  const [run, ...others] = listAll();
  expect(others).toEqual([]);
  expect(
    run?.sequences.map(({ kind, startedBy, steps }) => [kind, startedBy, steps.length]),
  ).toEqual([
    ['main', null, 2],
    ['agent', caller, 1],
  ]);
});

test('a request for a title beside a task belongs to its run, also when it comes first', () => {
  send({ messages: [user('Title for: Fix the failing test in the parser.')], tools: [], at: 5 });
  send({ messages: [TASK], at: 9 });
  const [run, ...others] = listAll();
  expect(others).toEqual([]);
  expect(run?.run.title).toBe('Fix the failing test in the parser.');
  expect(run?.sequences.map(({ kind }) => kind)).toEqual(['helper', 'main']);
});

test('a run has its task as its title before its main request, too, without quotes around it', () => {
  const task = user('"Mend the \\"date\\" parser."');
  const asks = user('Generate a title for this conversation:\n');
  send({ messages: [asks, task], tools: [], conversation: 'ses' });
  expect(listAll()[0]?.run.title).toBe('Mend the "date" parser.');
  send({ messages: [task], conversation: 'ses' });
  expect(listAll()[0]?.run).toMatchObject({ title: 'Mend the "date" parser.', steps: 2 });
  send({ messages: [user('"One" and "two"')], conversation: 'other' });
  send({ messages: [asks], tools: [], conversation: 'third' });
  expect(listAll().map(({ run }) => run.title)).toEqual(
    expect.arrayContaining(['"One" and "two"', 'Generate a title for this conversation:']),
  );
});

test('a failed request that is sent again is one sequence; an answered one begins a new run', () => {
  send({ messages: [TASK], status: 503 });
  send({ messages: [TASK] });
  send({ messages: [TASK] });
  send({ messages: [user('Another task')], status: 503, conversation: 's' });
  send({ messages: [user('A title')], tools: [], conversation: 's' });
  const all = listAll().map(({ run }) => [run.steps, run.failed, run.endedWell]);
  expect(all.map(String).toSorted()).toEqual(['1,0,true', '2,1,false', '2,1,true']);
});

test('a change of an earlier part is named, with the texts around it', () => {
  const call = calls('call-1', 'bash', {});
  const more = [TASK, call, result('call-1', 'x')];
  send({ messages: [TASK], answer: call, system: 'Today is Monday.' });
  send({ messages: more, system: 'Today is Tuesday.' });
  send({ messages: [...more, says('Done.'), user('Thanks')], system: 'Today is Tuesday.' });
  send({
    messages: [
      user('Fix it.'),
      ...more.slice(1),
      says('Done.'),
      user('Thanks'),
      says('Done.'),
      user('?'),
    ],
    system: 'Today is Tuesday.',
  });
  const [run] = listAll();
  const changes = run?.sequences[0]?.steps.map(({ change }) => change);
  expect(changes).toMatchObject([
    null,
    { part: 'system', place: 0, before: expect.stringContaining('Monday') },
    null,
    { part: 'message', place: 0, name: 'user', now: expect.stringContaining('Fix it.') },
  ]);
  expect(changes?.[1]?.now).toContain('Tuesday');
});

test('an agent with a conversation of its own belongs to the run that started it', () => {
  const task = calls('call-1', 'task', { prompt: 'Count the words of the notes.' });
  const part = user('Count the words of the notes.');
  const read = calls('call-2', 'read', { path: 'notes' });
  const one = send({ messages: [TASK], answer: task, conversation: 'parent' });
  const two = send({ messages: [part], answer: read, conversation: 'child' });
  const three = send({ messages: [part, read, result('call-2', 'x')], conversation: 'child' });
  const four = send({ messages: [TASK, task, result('call-1', '8')], conversation: 'parent' });
  const other = send({ messages: [user('Another task.')], conversation: 'other' });
  const [run, another, ...rest] = listAll();
  expect(rest).toEqual([]);
  expect(run && toIds(run)).toEqual([
    ['main', one, four],
    ['agent', two, three],
  ]);
  expect(run?.sequences[1]?.startedBy).toBe(one);
  expect(another && toIds(another)).toEqual([['main', other]]);
});

test('marks of the cache that move are no change', () => {
  const marked = { type: 'text', text: 'Fix it now.', cache_control: { type: 'ephemeral' } };
  const call = calls('call-1', 'bash', {});
  send({ messages: [user([marked])], answer: call });
  send({ messages: [user([{ type: 'text', text: 'Fix it now.' }]), call, result('call-1', 'x')] });
  const [run] = listAll();
  expect(run?.sequences[0]?.steps.map(({ change }) => change)).toEqual([null, null]);
});

test('an exchange whose bodies are damaged has no place, and keeps no other from having one', () => {
  const one = send({ messages: [TASK] });
  changeFile("update frame set content = x'00'");
  database.close();
  // Nothing of the frame is in memory.
  database = new BodyDatabase(join(folder, 'bodies.db'));
  const two = send({ messages: [user('Another task.')], client: 'd' });
  expect(listAll().map(toIds)).toEqual([[['main', two]]]);
  expect(database.findPlace(one)).toBeNull();
});

test('places that the database undid are found anew', () => {
  const one = send({ messages: [TASK], answer: says('Yes.') });
  while (database.place().hasMore);
  const two = send({ messages: [TASK, says('Yes.'), user('And now?')], answer: says('Green.') });
  const three = send({ messages: [user('Another task.')] });
  changeFile(`create trigger refuse before insert on step when new.id = '${three}'
    begin select raise(abort, 'refused'); end`);
  expect(() => {
    while (database.place().hasMore);
  }).toThrow('refused');
  changeFile('drop trigger refuse');
  expect(listAll().map(toIds)).toEqual([[['main', one, two]], [['main', three]]]);
});

test('a run goes with its last exchange', () => {
  const one = send({ messages: [TASK], answer: says('Yes.') });
  const two = send({ messages: [TASK, says('Yes.'), user('And now?')] });
  expect(listAll().map(({ run }) => run.steps)).toEqual([2]);
  database.delete([one]);
  expect(listAll().map(({ run }) => run.steps)).toEqual([1]);
  database.delete([two]);
  expect(listAll()).toEqual([]);
});

test('runs of one request without tools are listed only on demand; pages have all others once', () => {
  for (let place = 0; place < 25; place += 1) {
    send({ messages: [user(`Question ${place}`)], tools: [] });
    send({ messages: [user(`Task ${place}`)], conversation: `s${place}` });
  }
  while (database.place().hasMore);
  const seen: string[] = [];
  for (let before: string | null = null; ;) {
    const page = database.listRuns({ filter: {}, limit: 7, before });
    seen.push(...page.runs.map(({ title }) => title));
    before = page.next;
    if (before === null) break;
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, place) => `Task ${24 - place}`));
  const found = database.listRuns({ filter: { text: 'task 24 agent' }, limit: 7, before: null });
  expect(found.runs.map(({ title }) => title)).toEqual(['Task 24']);
});

test('runs are found in any case', () => {
  send({ messages: [user('Ärger mit ΟΔΟΣ')], conversation: 'É1' });
  while (database.place().hasMore);
  for (const text of ['ärger', 'ÄRGER MIT', 'οδος', 'é1']) {
    const found = database.listRuns({ filter: { text }, limit: 7, before: null });
    expect(found.runs.map(({ title }) => title)).toEqual(['Ärger mit ΟΔΟΣ']);
  }
});

test('a run is found by its exchanges, with the first of them and its number', () => {
  const call = calls('call-1', 'bash', { command: 'ls' });
  const messages = [TASK, call, result('call-1', 'a.ts')];
  send({ messages: [TASK], answer: call });
  const two = send({ messages, answer: says('One file.') });
  const three = send({ messages: [...messages, says('One file.'), user('And now?')] });
  send({ messages: [user('Another task')], conversation: 'other' });
  while (database.place().hasMore);
  const find = (...exchanges: ExchangeId[]) =>
    database.listRuns({ filter: { exchanges }, limit: 7, before: null });
  const { runs, matches } = find(three, two, ExchangeId.parse('ex-ffffffffffffffff'));
  expect(runs.map(({ steps }) => steps)).toEqual([3]);
  expect(matches).toEqual({
    [runs[0]?.id ?? '']: { id: two, kind: 'main', number: 2, steps: 2 },
  });
  expect(find()).toEqual({ runs: [], matches: {}, next: null });
});

test('the place of an exchange names its run, its number and the step before it', () => {
  const one = send({ messages: [TASK], answer: says('Yes.') });
  const two = send({ messages: [TASK, says('Yes.'), user('And now?')] });
  const [run] = listAll();
  expect(database.findPlace(two)).toMatchObject({
    run: run?.run.id,
    number: 2,
    before: { id: one },
    step: { id: two, prompt: 'And now?' },
  });
  expect(database.findPlace(ExchangeId.parse('ex-unknown'))).toBeNull();
  expect(database.readRun(RunId.parse('run-unknown'))).toBeNull();
});

test('whatever order interleaved runs arrive in, no step is lost and none is in two runs', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ run: fc.nat(3), named: fc.boolean() }), { maxLength: 24 }),
      (turns) => {
        const histories = new Map<number, Message[]>();
        const sent = turns.map(({ run, named }) => {
          const before = histories.get(run) ?? [user(`Task of ${run} ${count}`)];
          const call = calls(`call-${count}`, 'bash', {});
          histories.set(run, [...before, call, result(`call-${count}`, 'ok')]);
          return send({
            messages: before,
            answer: call,
            conversation: named ? `s${run}` : null,
          });
        });
        const steps: RunStep[] = listAll().flatMap(({ sequences }) =>
          sequences.flatMap((sequence) => sequence.steps),
        );
        const ids = steps.map(({ id }) => id).filter((id) => sent.includes(id));
        expect(ids.toSorted()).toEqual(sent.toSorted());
        database.delete(sent);
        expect(listAll()).toEqual([]);
      },
    ),
    { numRuns: 40 },
  );
});

test('agents of one session whose requests begin alike are told apart by the ids that their client gives', () => {
  const conversation = 's';
  const run = 'run-1';
  const named = { conversation, run };
  const later = [TASK, says('Done.'), user('Go on.')];
  const main = send({ ...named, messages: [TASK], sender: { agent: 't1' } });
  const agent = send({ ...named, messages: [TASK], sender: { agent: 't2', parent: 't1' } });
  const second = send({ ...named, messages: later, sender: { agent: 't2', parent: 't1' } });
  const third = send({ ...named, messages: later, sender: { agent: 't1' } });
  while (database.place().hasMore);
  expect(listAll().map(toIds)).toEqual([
    [
      ['main', main, third],
      ['agent', agent, second],
    ],
  ]);
  expect(listAll()[0]?.run.id).toBe(run);
});

test('an agent that its client names is none that continues the first one, whatever its messages', () => {
  const named = { conversation: 's', run: 'run-1' };
  const main = send({ ...named, messages: [TASK], sender: { requestClass: 'main' } });
  const agent = send({ ...named, messages: [user('Look.')], sender: { agent: 'a1' } });
  const shortened = send({ ...named, messages: [user('Summary.')] });
  while (database.place().hasMore);
  expect(listAll().map(toIds)).toEqual([
    [
      ['main', main],
      ['agent', agent],
      ['continued', shortened],
    ],
  ]);
});

test('a session that an agent started belongs to the run of its parent', () => {
  const run = 'run-1';
  const main = send({ messages: [TASK], conversation: 's1', run });
  const sender = { parent: 's1' };
  const agent = send({ messages: [user('Look it up.')], conversation: 's2', run, sender });
  while (database.place().hasMore);
  expect(listAll().map(toIds)).toEqual([
    [
      ['main', main],
      ['agent', agent],
    ],
  ]);
});

test('exchanges whose client names no run are reported with the run that they belong to', () => {
  const first = send({ messages: [TASK] });
  const second = send({ messages: [TASK, says('Done.'), user('Go on.')] });
  send({ messages: [user('Another task')], conversation: 's', run: 'run-2' });
  const recognised: unknown[] = [];
  for (let more = true; more;) {
    const placed = database.place();
    recognised.push(...placed.recognised);
    more = placed.hasMore;
  }
  const run = `run-${first.slice('ex-'.length)}`;
  expect(recognised).toEqual([
    { id: first, run, tools: [] },
    { id: second, run, tools: [] },
  ]);
});

test('no request can stop the placing of others', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom('chat', 'responses', 'messages'), (text, protocol) => {
      const id = ExchangeId.parse(`ex-${(1_000_000 + count).toString(16)}`);
      count += 1;
      database.keep([
        {
          id,
          startedAt: count,
          run: 'r',
          kind: 'r',
          client: null,
          facts: JSON.stringify({ conversation: null, step: { ...STEP, protocol } }),
          bodies: [toBody('sent', `{"messages":${text},"input":${text},"tools":${text}}`)],
        },
      ]);
      while (database.place().hasMore);
    }),
    { numRuns: 200 },
  );
  const id = send({ messages: [TASK] });
  expect(listAll().map(toIds)).toContainEqual([['main', id]]);
});

/** Places everything, and returns the steps as they are reported. */
function report(): PlacedStep[] {
  const steps: PlacedStep[] = [];
  for (;;) {
    const placed = database.place();
    steps.push(...placed.steps);
    if (!placed.hasMore) return steps;
  }
}

test('a step reports a text of a person, but not those that programs write for agents, helpers and a shortened history', () => {
  const prompt = 'Find every caller of parseRequest and list them.';
  const call = calls('call-1', 'task', { prompt });
  const messages = [TASK, call, result('call-1', 'Three callers.')];
  const conversation = 's';
  send({ messages: [TASK], answer: call, conversation });
  send({ messages: [user(prompt)], conversation });
  send({ messages, conversation });
  send({ messages: [user('A title for it')], tools: [], conversation });
  send({ messages: [user('What was done so far: nothing.')], conversation });
  send({ messages: [...messages, says('Done.'), user('Thanks, now the next.')], conversation });
  send({ messages: [...messages, says('Done.'), user('<note>1</note>')], conversation });
  expect(report().map(({ text }) => text !== null)).toEqual([
    true,
    false,
    false,
    false,
    false,
    true,
    false,
  ]);
});

test('texts that differ in numbers only are reported as equal, other texts as different', () => {
  const long = 'The same long beginning. '.repeat(40);
  const texts = [`${long}Step 1 of 9.`, `${long}Step 22 of 9.`, `${long}Stop now.`];
  for (const text of texts) send({ messages: [user(text)], conversation: text });
  const [one, two, three] = report().map(({ text }) => text);
  expect(one).toBe(two);
  expect(three).not.toBe(one);
});

test('calls are reported as equal when their names and their arguments are, whatever the order of members', () => {
  const answers = [
    calls('a', 'bash', { command: 'ls', dir: '.' }),
    calls('b', 'bash', { dir: '.', command: 'ls' }),
    calls('c', 'bash', { command: 'ls', dir: '..' }),
    calls('d', 'shell', { command: 'ls', dir: '.' }),
    says('Done.'),
  ];
  for (const [place, answer] of answers.entries())
    send({ messages: [TASK], answer, conversation: `${place}` });
  send({ messages: [TASK], status: 503, conversation: 'failed' });
  const steps = report();
  const [one, two, three, four, none, failed] = steps.map((step) => step.calls?.digest);
  expect(two).toBe(one);
  expect(new Set([one, three, four]).size).toBe(3);
  expect([none, failed]).toEqual([undefined, undefined]);
  expect(steps.map(({ answered }) => answered)).toEqual([true, true, true, true, true, false]);
  expect(steps[3]?.calls?.names).toBe('shell');
});

test('what is reported of a step has a bounded size', () => {
  const many = Array.from({ length: 300 }, (_, place) => ({
    id: `${place}`,
    type: 'function',
    function: { name: `${place}`.padEnd(2_000, 'x'), arguments: '{"a":'.repeat(5_000) },
  }));
  const answer = { role: 'assistant', content: null, tool_calls: many };
  send({ messages: [user('a long text '.repeat(10_000))], answer });
  const [{ tools, ...step } = assert.fail()] = report();
  expect(JSON.stringify(step).length).toBeLessThan(600);
  expect([tools.length, new Set(tools.map(({ length }) => length))]).toEqual([100, new Set([200])]);
});

test('the tools that an answer calls and those whose results a request brings are reported once each, and again at the next start', () => {
  const two = {
    role: 'assistant',
    content: null,
    tool_calls: ['call-1', 'call-2', 'call-3'].map((id, place) => ({
      id,
      type: 'function',
      function: { name: place < 2 ? 'bash' : '', arguments: '{}' },
    })),
  };
  const results = [result('call-1', 'a'), result('call-2', 'b'), result('other', 'of no call')];
  const messages = [TASK, two, ...results];
  const read = calls('call-4', 'read file', {});
  const last = [...messages, read, result('call-4', 'c')];
  const ids = [
    send({ messages: [TASK], answer: two }),
    send({ messages, answer: read }),
    // A retry brings them again.
    send({ messages, answer: says('Done.') }),
    send({ messages: last, answer: says('Done.') }),
    send({ messages: [...last, says('Done.'), user('Thanks.')], answer: says('Done.') }),
  ];
  const expected = [['bash'], ['read file', 'bash'], ['bash'], ['read file'], []];
  expect(report().map(({ tools }) => tools)).toEqual(expected);
  const latest = new Map(database.listLatest().map(({ id, tools }) => [id, tools]));
  expect(ids.map((id) => latest.get(id))).toEqual(expected);
});
