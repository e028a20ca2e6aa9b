import { describe, expect, it, test } from 'vitest';
import type { Model } from '../model.ts';
import { findAbilities, findContextWindow, findMaxOutput } from './model-facts.ts';
import { findPrices, toModelFields } from './model-fields.ts';

/** Parses as the window gets it, so that `__proto__` is a member like any other. */
function parse(text: string): Model {
  return JSON.parse(`{"id":"acme/one",${text}}`);
}

const CREATED = 1_767_225_600;

describe('the context window', () => {
  it.each([
    ['"context_window":200000', 200_000],
    ['"contextLength":"128000"', 128_000],
    ['"max_context_tokens":32768', 32_768],
    ['"window":8192', 8_192],
    ['"context":"200k"', 200_000],
    ['"limits":{"context":"1M","output":64000}', 1_000_000],
    ['"top":{"provider":{"context_length":4096}}', 4_096],
    ['"context_window":null,"ctx":4096', 4_096],
  ])('%s is one', (text, tokens) => {
    expect(findContextWindow(parse(text))).toBe(tokens);
  });

  it.each([
    '"context_window":1e308',
    '"context_window":-4096',
    '"context_window":4096.5',
    '"context_window":3',
    '"context_window":"99999999999999999999"',
    '"context_window":"many"',
    '"context_window":[4096]',
    '"context_window":true',
    '"max_output_context":4096',
    '"price_per_context":4096',
    '"parameters":7000000000',
    '"a":{"b":{"c":{"d":{"context":4096}}}}',
    '"__proto__":{"context":0}',
  ])('%s is none', (text) => {
    expect(findContextWindow(parse(text))).toBeNull();
  });
});

describe('the longest answer', () => {
  it.each([
    ['"max_output_tokens":64000', 64_000],
    ['"maxCompletionTokens":"32k"', 32_000],
    ['"limits":{"context":200000,"output":8192}', 8_192],
    ['"output_token_limit":4096,"context_window":8192', 4_096],
  ])('%s is one', (text, tokens) => {
    expect(findMaxOutput(parse(text))).toBe(tokens);
  });

  it.each([
    '"max_tokens":64000',
    '"output_price":3000',
    '"output_modalities":["text"]',
    '"pricing":{"output":"500"}',
    '"context_window":200000',
  ])('%s is none', (text) => {
    expect(findMaxOutput(parse(text))).toBeNull();
  });
});

describe('abilities', () => {
  it.each([
    ['"capabilities":["text","tools","vision"]', ['text', 'tools', 'vision']],
    ['"tags":["Function-Calling","thinking"]', ['tools', 'reasoning']],
    ['"supports":{"tools":true,"vision":false,"audio":"no"}', ['tools']],
    ['"architecture":{"modality":"text+image->text"}', ['text', 'vision']],
    ['"pricing":{"audio":true,"tools":["tools"]}', []],
    ['"supports_tools":true,"no_audio":true', ['tools']],
    ['"tags":["not-tools","constructor","__proto__","toString"]', []],
    ['"__proto__":{"tags":["tools"]},"constructor":["reasoning"]', ['tools', 'reasoning']],
  ])('%s', (text, abilities) => {
    expect(findAbilities(parse(text))).toEqual(abilities);
  });
});

/** The field of the only other member. */
function fieldOf(text: string) {
  return toModelFields(parse(text))[1];
}

describe('fields', () => {
  it.each([
    [`"created":${CREATED}`, 'Created', CREATED * 1_000],
    [`"created":"${CREATED}"`, 'Created', CREATED * 1_000],
    [`"updatedAt":${CREATED}123`, 'Updated at', CREATED * 1_000 + 123],
    ['"release_date":"2026-01-01"', 'Release date', CREATED * 1_000],
    ['"available_since":"2026-01-01T00:00:00Z"', 'Available since', CREATED * 1_000],
  ])('%s is a date', (text, label, at) => {
    expect(fieldOf(text)).toMatchObject({ kind: 'date', label, at });
  });

  it.each([
    ['"created":0', '0'],
    ['"created":-1', '-1'],
    ['"created":1e300', '1e+300'],
    [`"parameters":${CREATED}`, String(CREATED)],
    ['"created":{"at":1}', '{"at":1}'],
    ['"created":[1,2]', '[1,2]'],
    ['"permission":[{"id":"a"}]', '[{"id":"a"}]'],
    ['"tags":[]', '[]'],
    ['"tags":["text",7]', '["text",7]'],
    ['"max_tokens":-1', '-1'],
    ['"max_tokens":1.5', '1.5'],
    ['"limit":null', 'null'],
  ])('%s stays as the service sent it, with its name', (text, raw) => {
    const [, name] = /^"(\w+)"/u.exec(text) ?? [];
    expect(fieldOf(text)).toEqual({ name, label: name, kind: 'raw', text: raw });
  });

  it('names are readable, and those that cannot be are kept', () => {
    const long = 'x'.repeat(300);
    expect(
      toModelFields(parse(`"owned_by":"acme","__proto__":"a","${long}":"b","☃":"c","":"d"`)).map(
        ({ label }) => label,
      ),
    ).toEqual(['ID', 'Owned by', 'Proto', long, '☃', '']);
    expect(fieldOf('"max_tokens":64000')).toMatchObject({ kind: 'count', count: 64_000 });
    expect(fieldOf('"tags":["text","text"]')).toMatchObject({ kind: 'list' });
    expect(fieldOf(`"tags":["${'y'.repeat(200)}"]`)).toMatchObject({ kind: 'raw' });
    expect(fieldOf('"created":"not a date"')).toMatchObject({ kind: 'text', text: 'not a date' });
  });
});

test('prices are those that the list names, in its own figures, and nothing else', () => {
  expect(findPrices(parse('"context_window":4096,"input":3'))).toEqual([]);
  expect(
    findPrices(
      parse('"pricing":{"prompt":"0.000003","completion":0.000015,"image":"free","x":[1]}'),
    ),
  ).toEqual([
    { label: 'prompt', value: '0.000003' },
    { label: 'completion', value: '0.000015' },
  ]);
  expect(findPrices(parse('"price":"$3","input_cost_per_token":-1,"cost":1e999'))).toEqual([
    { label: 'price', value: '$3' },
  ]);
});

test('ten thousand models with wide and deep metadata are read', () => {
  const deep = '{"a":'.repeat(200) + '1' + '}'.repeat(200);
  const wide = Array.from({ length: 40 }, (_, at) => `"field_${at}":${at}`).join(',');
  const model = parse(`"deep":${deep},${wide},"context_window":4096`);
  let sum = 0;
  for (let count = 0; count < 10_000; count += 1) sum += findContextWindow(model) ?? 0;
  expect(sum).toBe(40_960_000);
  expect(toModelFields(model)).toHaveLength(43);
});
