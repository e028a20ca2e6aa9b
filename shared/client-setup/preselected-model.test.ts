import { expect, test } from 'vitest';
import type { ModelList } from '../model.ts';
import { preselectModel } from './preselected-model.ts';

const summary = (id: string) => ({
  model: { id },
  lastUsedAt: null,
  exchanges: 0,
  inputTokens: 0,
  outputTokens: 0,
});

const NONE: ModelList['answered'] = { chat: null, responses: null, messages: null };

function list(answered: Partial<ModelList['answered']>) {
  return { models: ['a/text', 'h3'].map(summary), answered: { ...NONE, ...answered } };
}

test('finding 1: set-up never offers a wrong model: only one that answered the protocol of the tool', () => {
  expect(preselectModel({ style: 'chat' }, list({ chat: 'a/text' }))).toBe('a/text');
  expect(preselectModel({ style: 'chat' }, list({ messages: 'a/text' }))).toBeNull();
  expect(preselectModel({ style: 'messages' }, list({ messages: 'a/text' }))).toBe('a/text');
  expect(preselectModel({ style: 'both' }, list({ messages: 'a/text' }))).toBe('a/text');
  const codex = { style: 'chat', protocol: 'responses' } as const;
  expect(preselectModel(codex, list({ chat: 'a/text' }))).toBeNull();
  expect(preselectModel(codex, list({ responses: 'a/text' }))).toBe('a/text');
});

test('set-up asks when nothing has answered, the model is gone, or the list is unknown', () => {
  expect(preselectModel({ style: 'both' }, list({}))).toBeNull();
  expect(preselectModel({ style: 'chat' }, list({ chat: 'gone' }))).toBeNull();
  expect(preselectModel({ style: 'chat' }, undefined)).toBeNull();
});
