import { expect, test } from 'vitest';
import { areOneAnswer } from './clients.ts';

const json = { body: 'JSON' } as const;
const form = { body: 'form' } as const;
const task = '"object":"video","task_id":"one"';
const plain = `{${task}}`;
const named = `{"id":"one",${task}}`;

test('copies of one response are equal byte for byte', () => {
  expect(areOneAnswer([plain, plain], json)).toBe(true);
  expect(areOneAnswer([plain, `{ ${task}}`], json)).toBe(false);
  expect(areOneAnswer([plain, named], json)).toBe(false);
});

test('a copy of a response to a form may lack the added id and nothing else', () => {
  expect(areOneAnswer([plain, named, named], form)).toBe(true);
  expect(areOneAnswer([named, `{"id":"two",${task}}`], form)).toBe(false);
  expect(areOneAnswer([plain, '{"object":"video","task_id":"two"}'], form)).toBe(false);
  expect(areOneAnswer([plain.slice(0, 9), plain.slice(0, 9)], form)).toBe(true);
  expect(areOneAnswer([plain, plain.slice(0, 9)], form)).toBe(false);
});
