import { expect, test } from 'vitest';
import { isUsualWorkingWord } from './status-words.ts';

test.each([
  'queued',
  'IN_PROGRESS',
  'in-progress',
  'pending',
  'processing',
  'running',
  'task_pending',
])('“%s” means still working without a question', (word) =>
  expect(isUsualWorkingWord(word)).toBe(true),
);

test.each([
  'completed',
  'succeeded',
  'done',
  'failed',
  'cancelled',
  'parked',
  'not_running',
  'failed_started',
  '',
])('“%s” is none of the usual words for work in progress', (word) =>
  expect(isUsualWorkingWord(word)).toBe(false),
);
