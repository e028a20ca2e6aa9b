import { describe, expect, test } from 'vitest';
import { isFailureWithReason } from './parse-poll.ts';

const REASON = [{ pointer: '/failure_reason', value: 'nsfw' }];

describe('an unexplained status word', () => {
  test.each([
    'failed',
    'FAILED',
    'failure',
    'error',
    'cancelled',
    'canceled',
    'expired',
    'rejected',
    'Render_Failed',
    'job-error',
    'timed_out',
    'content_violation',
  ])('“%s” with a reason beside it means a failure', (word) =>
    expect(isFailureWithReason(word, REASON)).toBe(true),
  );

  test.each([
    'queued',
    'spoiled',
    'in_progress',
    'not failed',
    'failing_over',
    'not_failed',
    'no_error',
    'completed',
    '',
  ])('“%s” means no failure, whatever is beside it', (word) =>
    expect(isFailureWithReason(word, REASON)).toBe(false),
  );

  test('“failed” without a reason means no failure', () => {
    expect(isFailureWithReason('failed', [])).toBe(false);
    const facts = [
      { pointer: '/finished_at', value: '2026-11-22T10:00:00Z' },
      { pointer: '/server', value: 'render-17' },
      { pointer: '/poster', value: 'https://files.example.com/a.png' },
    ];
    expect(isFailureWithReason('failed', facts)).toBe(false);
  });

  test.each(['/msg', '/error_msg', '/code', '/data/code'])('a reason is found in %s', (pointer) =>
    expect(isFailureWithReason('failure', [{ pointer, value: 'm' }])).toBe(true),
  );

  test('a reason is found by its text where its member has another name', () => {
    const english = [{ pointer: '/note', value: 'The prompt was refused.' }];
    const chinese = [{ pointer: '/note', value: '内容违规' }];
    expect(isFailureWithReason('error', english)).toBe(true);
    expect(isFailureWithReason('error', chinese)).toBe(true);
  });
});
