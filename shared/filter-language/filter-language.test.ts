import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type HistoryFilter,
  HistoryFilter as Schema,
  type NumberRange,
} from '../history/history.ts';
import { toPattern } from '../name-pattern.ts';
import { isRoute, ROUTE_NAMES } from '../exchange/route-label.ts';
import { completeFilter } from './complete.ts';
import { FIELDS, FLAGS } from './fields.ts';
import { parseFilter } from './parse.ts';
import { printTerms } from './print.ts';
import { printFilter, printWords } from './print-filter.ts';
import { replaceTerms } from './replace-term.ts';
import type { Term } from './terms.ts';
import { listBodyTexts, toFilter } from './to-filter.ts';

const NOW = new Date(2026, 10, 21, 15, 4, 30).getTime();
const SERVICES = [
  { id: 'https://models.example.com', name: 'Acme' },
  { id: 'sandbox', name: 'Sandbox' },
];

function read(text: string): HistoryFilter {
  const { terms, errors } = parseFilter(text);
  expect(errors).toEqual([]);
  return toFilter(
    terms.map(({ term }) => term),
    { now: NOW, services: SERVICES },
  );
}

describe('a filter means', () => {
  test.each<[string, HistoryFilter]>([
    ['', {}],
    ['model:gpt*', { models: ['gpt*'] }],
    ['status>=400', { statuses: [{ from: 400, to: 999 }] }],
    ['status:429', { statuses: [{ from: 429, to: 429 }] }],
    [
      'status:4xx,500-503',
      {
        statuses: [
          { from: 400, to: 499 },
          { from: 500, to: 503 },
        ],
      },
    ],
    ['status:4xx status>404', { statuses: [{ from: 405, to: 499 }] }],
    ['status>=400 status<500', { statuses: [{ from: 400, to: 499 }] }],
    ['status:>=400', { statuses: [{ from: 400, to: 999 }] }],
    ['client:cline', { clients: ['cline'] }],
    ['client:"Claude Code"', { clients: ['Claude Code'] }],
    ['client:"a*",b*', { clients: [String.raw`a\*`, 'b*'] }],
    ['client:"Claude C"*', { clients: ['Claude C*'] }],
    ['-client:a -client:b,c', { not: { clients: ['a', 'b', 'c'] } }],
    ['repaired failed stream known', { repaired: true, failed: true, streamed: true, known: true }],
    ['-repaired -FAILED', { repaired: false, failed: false }],
    ['answered -left', { answered: true, left: false }],
    ['pinned tag:bug,to-*', { pinned: true, tags: ['bug', 'to-*'] }],
    ['-pinned -note:"try again"', { pinned: false, not: { notes: ['try again'] } }],
    ['run:19B2 project:*shop*', { run: 'run-19b2', projects: ['*shop*'] }],
    ['run:run-19b2', { run: 'run-19b2' }],
    ['-project:a', { not: { projects: ['a'] } }],
    ['tool:bash,mcp__*', { tools: ['bash', 'mcp__*'] }],
    ['tool:"find page" -tool:read', { tools: ['find page'], not: { tools: ['read'] } }],
    ['tokens>10k', { tokens: { from: 10_001 } }],
    ['tokens>=10k tokens<1.5m', { tokens: { from: 10_000, to: 1_499_999 } }],
    ['input=5 output<=2K', { input: { from: 5, to: 5 }, output: { to: 2_000 } }],
    ['cost>0.05', { cost: { from: 50_001 } }],
    ['cost>=0.000001 cost<1', { cost: { from: 1, to: 999_999 } }],
    ['cost<=999999999.999999 cost:0', { cost: { from: 0, to: 0 } }],
    ['duration>2s', { duration: { from: 2_001 } }],
    ['duration>=800ms duration<1m', { duration: { from: 800, to: 59_999 } }],
    ['route:chat', { routes: ['chat'] }],
    ['-route:models', { not: { routes: ['models'] } }],
    ['route:video-*', { routes: ['video-submit', 'video-status', 'video-content'] }],
    ['service:acme', { services: ['https://models.example.com'] }],
    ['service:https://other.example.com', { services: ['https://other.example.com'] }],
    ['error:rate_limit', { errors: ['rate_limit'] }],
    ['program:""', { agents: [''] }],
    ['repair:path-*,model-id', { repairs: ['path-*', 'model-id'] }],
    ['since:2d', { since: NOW - 2 * 86_400_000 }],
    ['since:today', { since: new Date(2026, 10, 21).getTime() }],
    ['until:yesterday', { until: new Date(2026, 10, 21).getTime() }],
    ['since:2026-11-01', { since: new Date(2026, 10, 1).getTime() }],
    ['until:2026-11-01', { until: new Date(2026, 10, 2).getTime() }],
    ['until:2026-11-01T09:30', { until: new Date(2026, 10, 1, 9, 30).getTime() }],
    ['id:ex-19B2', { id: 'ex-19b2' }],
    ['rate_lim zed', { text: 'rate_lim zed' }],
    ['/v1/messages?x=1', { text: '/v1/messages?x=1' }],
    [
      '-noise "too many" -"no \\"such\\""',
      { exact: ['too many'], not: { text: 'noise', exact: ['no "such"'] } },
    ],
    ['each video', { each: true, text: 'video' }],
    ['MODEL:A', { models: ['A'] }],
  ])('%s', (text, filter) => {
    expect(read(text)).toEqual(filter);
    expect(Schema.parse(read(text))).toEqual(filter);
  });
});

describe('an error is at its place and says what to write', () => {
  test.each([
    ['a modle:x', 'modle:x', 'Did you mean model?'],
    ['localhost:8080', 'localhost:8080', 'write "localhost:8080".'],
    ['model:', 'model:', 'Write for example model:gpt*.'],
    ['model:a,,b', 'model:a,,b', 'A value is missing after "model"'],
    ['model>5', 'model>5', 'cannot be compared'],
    ['x status:4oo y', '4oo', 'status:429'],
    ['status>4xx', 'status>4xx', 'compared with one number'],
    ['tokens>many', 'many', 'such as 500, 10k or 1m'],
    ['duration>2', '2', '800ms, 2s or 1m'],
    ['x cost>much', 'much', 'an amount such as 0.05 or 20'],
    ['cost>1k', '1k', 'an amount such as 0.05 or 20'],
    ['cost>-1', '-1', 'an amount such as 0.05 or 20'],
    ['cost<1e-9', '1e-9', 'an amount such as 0.05 or 20'],
    ['cost>0.0000001', '0.0000001', 'an amount such as 0.05 or 20'],
    ['cost>1000000000', '1000000000', 'up to 999999999.999999'],
    [`cost>${'9'.repeat(3_000)}`, '9'.repeat(3_000), 'up to 999999999.999999'],
    ['cost>0,05', '05', 'takes one number'],
    ['-cost>0.05', '-cost>0.05', 'Write cost<=0.05.'],
    ['-tokens>10k', '-tokens>10k', 'Write tokens<=10k.'],
    ['-since:2d', '-since:2d', 'Write until:'],
    ['since:tomorrow', 'tomorrow', 'an age such as 30m'],
    ['route:chet', 'chet', 'Did you mean chat?'],
    ['id:xyz', 'id:xyz', 'the beginning of one id'],
    ['failed:yes', 'failed:yes', 'write failed or -failed'],
    ['client:"Claude', '"Claude', 'Write " at the end.'],
    ['""', '""', 'a text between the quotes'],
    ['model:a model:b', 'model:b', 'write model:one,other'],
    ['failed -failed', '-failed', 'Leave out one of them.'],
    ['-each', '-each', 'takes no "-"'],
    ['-body:x', '-body:x', 'takes no "-"'],
    ['body:a,b', 'body:a,b', 'takes one text'],
    ['body:"?!"', '"?!"', 'takes words'],
    [`client:${'x,'.repeat(50)}x`, `client:${'x,'.repeat(50)}x`, 'at most 50 names'],
    ['a'.repeat(201), 'a'.repeat(201), 'at most 200 characters'],
    [`${'a'.repeat(150)} ${'b'.repeat(60)}`, 'b'.repeat(60), 'at most 200 characters together'],
    [`${'failed '.repeat(50)}x`, undefined, 'at most 50 terms'],
  ])('%s', (text, place, sentence) => {
    const { errors } = parseFilter(text);
    const [error] = place === undefined ? errors.slice(-1) : errors;
    expect(error?.message).toContain(sentence);
    if (place !== undefined) expect(text.slice(error?.from, error?.to)).toBe(place);
  });
});

const NAMES = [...Object.keys(FIELDS), ...Object.keys(FLAGS), 'x', 'modle', ''];
const VALUES = [
  'a',
  'gpt*',
  '"a b"',
  '"',
  '\\',
  '*',
  '429',
  '4xx',
  '10k',
  '0.05',
  '2s',
  '2d',
  'chat',
  ',',
  '""',
  '>',
  '',
];
const someText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(
      fc.tuple(
        fc.constantFrom('', '-', ' ', '  ', '\t'),
        fc.constantFrom(...NAMES),
        fc.constantFrom(':', '>=', '<', '=', '', ':>'),
        fc.array(fc.constantFrom(...VALUES), { maxLength: 3 }).map((values) => values.join('')),
      ),
      { maxLength: 8 },
    )
    .map((terms) => terms.map((parts) => parts.join('')).join(' ')),
);

describe('any text', () => {
  test('can be parsed, and what is printed of it means the same and stays', () => {
    fc.assert(
      fc.property(someText, (text) => {
        const { terms, errors } = parseFilter(text);
        const valid = terms.map(({ term }) => term);
        for (const { from, to } of [...terms, ...errors]) {
          expect(from).toBeLessThan(to);
          expect(to).toBeLessThanOrEqual(text.length);
        }
        const printed = printTerms(valid);
        const again = parseFilter(printed);
        expect(again.errors).toEqual([]);
        expect(again.terms.map(({ term }) => term)).toEqual(valid);
        expect(printTerms(again.terms.map(({ term }) => term))).toBe(printed);
        const filter = toFilter(valid, { now: NOW, services: SERVICES });
        expect(Schema.safeParse(filter).success).toBe(true);
        if (errors.length === 0) expect(read(replaceTerms(text, () => false, ''))).toEqual(filter);
      }),
      { numRuns: 3_000 },
    );
  });

  test('can be continued at any place', () => {
    const names = {
      clients: ['Cline', 'Claude "Code", 2*'],
      models: ['a/b'],
      services: ['Acme'],
      tools: ['mcp__a "b"\n*', 'x,y'],
      tags: ['a,b'],
    };
    fc.assert(
      fc.property(someText, fc.nat(70), (text, place) => {
        const caret = Math.min(place, text.length);
        const { from, to, completions } = completeFilter(text, caret, names);
        expect(from).toBeLessThanOrEqual(caret);
        expect(to).toBeGreaterThanOrEqual(caret);
        for (const one of completions) {
          const { terms } = parseFilter(one.text);
          expect(terms.length + parseFilter(one.text).errors.length).toBe(1);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test.each(['a', '"', '\\', '"\\', 'model:', 'x:', '-', ',', 'a,', 'model:"', '- ', ' a:b', '*'])(
    'is parsed up to a limit, whatever is repeated: %j',
    (part) => {
      const text = part.repeat(100_000 / part.length);
      const { terms, errors } = parseFilter(text);
      expect(terms.length + errors.length).toBeLessThan(60);
      expect(errors.length).toBeGreaterThan(0);
      expect(
        completeFilter(text, text.length, {
          clients: [],
          models: [],
          services: [],
          tools: [],
          tags: [],
        }),
      ).toBeDefined();
    },
  );
});

const somePattern = fc.oneof(
  fc.constantFrom('gpt*', '*', 'a*b*c', String.raw`\**`),
  fc.string({ minLength: 1, maxLength: 12 }).map(toPattern),
);
const someCriteria = {
  text: fc.constantFrom('a', 'rate_l zed'),
  exact: fc.array(fc.constantFrom('a b', '"', '\\'), { minLength: 1, maxLength: 2 }),
  clients: fc.array(somePattern, { minLength: 1, maxLength: 3 }),
  models: fc.array(somePattern, { minLength: 1, maxLength: 3 }),
  agents: fc.constantFrom<string[]>(['', 'curl/8']),
  errors: fc.constantFrom<string[]>(['http_503']),
  repairs: fc.constantFrom<string[]>(['model-id', 'path-*']),
  tools: fc.array(somePattern, { minLength: 1, maxLength: 3 }),
  services: fc.constantFrom<string[]>(['https://models.example.com', 'sandbox']),
  routes: fc.subarray(ROUTE_NAMES.filter(isRoute), { minLength: 1 }),
  statuses: fc.constantFrom<NumberRange[]>(
    [{ from: 429, to: 429 }],
    [
      { from: 400, to: 499 },
      { from: 500, to: 503 },
    ],
  ),
};
const someRange = fc.constantFrom(
  { from: 5 },
  { to: 2_000 },
  { from: 1, to: 60_000 },
  { from: 7, to: 7 },
);

test('a filter that is printed and parsed is the same filter', () => {
  const someFilter = fc.record(
    {
      ...someCriteria,
      not: fc.record(someCriteria, { requiredKeys: ['clients'] }),
      failed: fc.boolean(),
      left: fc.boolean(),
      answered: fc.boolean(),
      known: fc.boolean(),
      repaired: fc.boolean(),
      streamed: fc.boolean(),
      tokens: someRange,
      cost: someRange,
      duration: someRange,
      id: fc.constant('ex-19b2'),
      since: fc.integer({ min: 1_000_000_000_000, max: 2_000_000_000_000 }),
      until: fc.integer({ min: 1_000_000_000_000, max: 2_000_000_000_000 }),
      each: fc.constant(true),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(someFilter, (filter) => {
      expect(read(printFilter(filter))).toEqual(filter);
    }),
    { numRuns: 500 },
  );
});

test('words are printed so that they are searched for, whatever they mean in the language', () => {
  expect(printWords('rate_lim zed')).toBe('rate_lim zed');
  expect(printWords('http://a.b -x "y" failed')).toBe('http a b x y "failed"');
});

describe('what can follow', () => {
  const names = {
    clients: ['Cline', 'Claude Code'],
    models: ['acme/large'],
    services: ['Acme'],
    tools: ['Bash', 'mcp__docs__find page', 'quoted "name"', 'a*b'],
    tags: ['bug', 'to-do'],
  };
  test.each([
    ['mo', ['model:']],
    ['failed st', ['status>=', 'stream']],
    ['-re', ['repair:', 'repaired']],
    ['client:cl', ['Cline', '"Claude Code"']],
    ['client:Cline,"Clau', ['"Claude Code"']],
    ['model:LARGE', ['acme/large']],
    ['status:4', ['4xx', '429']],
    ['route:vid', ['video-submit', 'video-status', 'video-content']],
    ['tag:', ['bug', 'to-do']],
    ['-tag:bug,to', ['to-do']],
    ['to', ['tool:', 'tokens>']],
    ['tool:BA', ['Bash']],
    ['-tool:Bash,mcp', ['"mcp__docs__find page"']],
    ['tool:quot', [String.raw`"quoted \"name\""`]],
    ['tool:*', ['"a*b"']],
    ['pin', ['pinned']],
    ['co', ['cost>']],
    ['tokens>1', []],
    ['cost>0', []],
    ['"mo', []],
  ])('%s', (text, texts) => {
    const { completions } = completeFilter(text, text.length, names);
    expect(completions.map((one) => one.text)).toEqual(texts);
  });

  test('an empty filter is every field and flag', () => {
    expect(completeFilter('', 0, names).completions).toHaveLength(
      Object.keys(FIELDS).length + Object.keys(FLAGS).length,
    );
  });
});

function isClient(term: Term): boolean {
  return term.kind === 'names';
}

test('a menu replaces its terms where they are, and leaves the rest as it was written', () => {
  expect(replaceTerms('a  client:b "c d" ', isClient, 'client:x,y')).toBe('a client:x,y "c d"');
  expect(replaceTerms('a client:b bad:', isClient, '')).toBe('a bad:');
  expect(replaceTerms('a', isClient, 'client:x')).toBe('a client:x');
  expect(replaceTerms('', isClient, '')).toBe('');
});

test('texts to find in requests and responses are no part of the filter', () => {
  const { terms } = parseFilter('body:"no such file" failed body:EACCES');
  const asked = terms.map(({ term }) => term);
  expect(listBodyTexts(asked)).toEqual(['no such file', 'EACCES']);
  expect(toFilter(asked, { now: NOW, services: [] })).toEqual({ failed: true });
  expect(printTerms(asked)).toBe('body:"no such file" failed body:"EACCES"');
});
