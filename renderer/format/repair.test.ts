import { describe, expect, test } from 'vitest';
import { RepairCode } from '../../shared/exchange/repair.ts';
import { repairTitle } from '../../shared/exchange/repair-title.ts';
import { advisedValue, describeRepair, describeRepairs } from './repair.ts';

function toText(code: RepairCode, before: string, clientName: string | null): string {
  const pieces = describeRepair({ code, before, after: '/v1/messages', advice: '' }, clientName);
  return pieces.map((part) => (typeof part === 'string' ? part : part.value)).join('');
}

describe('a repair in words', () => {
  test('names the client, what it asked for and what was done', () => {
    expect(toText('path-doubled', '/v1/messages/v1/messages', 'Cline')).toBe(
      '“Cline” asked for /v1/messages/v1/messages. Gatehouse sent it to /v1/messages.',
    );
  });

  test('is told of a client without a name too', () => {
    expect(toText('path-case', '/V1/messages', null)).toMatch(/^The client asked for/u);
  });

  test('has no empty value where nothing was declared', () => {
    expect(toText('content-type-json', '', 'curl')).toMatch(/^“curl” did not declare/u);
  });

  test.each(RepairCode.options)('is there for %s, as sentences and as a title', (code) => {
    expect(toText(code, 'before', 'Zed')).toMatch(/^[A-Z“].*\.$/u);
    expect(repairTitle(code)).toMatch(/^[a-z]/u);
  });
});

describe('the repairs of an exchange in one line', () => {
  test.each<[readonly RepairCode[], string | null]>([
    [[], null],
    [['cache-reason-asked'], null],
    [['model-id'], 'Gatehouse made 1 repair: the model id is not exact'],
    [['cache-reason-asked', 'model-id'], 'Gatehouse made 1 repair: the model id is not exact'],
    [['held'], 'Gatehouse held it for a person: a person held a request'],
  ])('of %j are %j', (codes, line) => {
    expect(describeRepairs(codes)).toBe(line);
  });
});

describe('the value to copy', () => {
  const advices = [
    'Set its base address to http://127.0.0.1:6417 and nothing more.',
    'Set its base address to http://127.0.0.1:6417, with /v1 at the end.',
    "Set this client's base address to http://127.0.0.1:6417.",
  ];
  test.each(advices)('is the address in “%s”', (advice) => {
    expect(advisedValue({ code: 'path-prefix', advice })).toBe('http://127.0.0.1:6417');
  });

  test('is the exact id of a model', () => {
    expect(advisedValue({ code: 'model-id', advice: 'Exactly.', after: 'a/b' })).toBe('a/b');
  });

  test('is missing where the advice names two possible mistakes', () => {
    const advice =
      'The path has /v1 twice. If the client adds /v1 itself, set http://127.0.0.1:6417.';
    expect(advisedValue({ code: 'path-doubled', advice })).toBeNull();
  });

  test('is missing where the advice names none', () => {
    expect(advisedValue({ code: 'body-decoded', advice: 'Switch it off.', after: 'x' })).toBeNull();
  });
});
