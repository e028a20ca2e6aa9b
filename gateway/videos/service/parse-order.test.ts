import { describe, expect, test } from 'vitest';
import { EMPTY_FIELD_MAP } from '../../../shared/video/video.ts';
import { parseOrderAnswer } from './parse-order.ts';

/** Parses the response to an order at a service whose task id is known to be at `/id`. */
function ordered(json: unknown) {
  const map = { ...EMPTY_FIELD_MAP, taskId: '/id' };
  const text = JSON.stringify(json);
  const reply = { kind: 'answer', status: 200, text, json, retryAfterMs: null } as const;
  return parseOrderAnswer(reply, { order: 1, request: {}, map });
}

describe('the known pointer of the task id', () => {
  test('is used when an id is there', () => {
    expect(ordered({ id: 7 })).toMatchObject({ kind: 'accepted', taskId: '7', suspects: [] });
  });

  test.each(['..', '.', 'Your video is made.', 'http://a/b', 'x'.repeat(513)])(
    'is not used for %j, and the other fields are searched',
    (id) => {
      expect(ordered({ id, task: 'task-1' })).toMatchObject({
        kind: 'accepted',
        taskId: null,
        suspects: [{ pointer: '/task', value: 'task-1' }],
      });
    },
  );
});
