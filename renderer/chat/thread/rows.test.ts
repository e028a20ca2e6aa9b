import { expect, test } from 'vitest';
import { MessageId, type PathEntry } from '../../../shared/chat/chat.ts';
import { findRow, toRows } from './rows.ts';
import { toVersions } from './versions.ts';

function path(ids: string): PathEntry[] {
  return ids.split('').map((id, at) => ({
    id: MessageId.parse(id),
    by: at % 2 === 0 ? 'person' : 'model',
    length: 10,
  }));
}

function listIds(paths: readonly PathEntry[][]): string[] {
  return toRows(paths).map(({ cells, shared }) => {
    const ids = cells.map(({ id, lane }) => `${id}${lane}`).join(' ');
    return shared ? `= ${ids}` : ids;
  });
}

test('messages that all lanes share appear once, the others side by side', () => {
  expect(listIds([path('abcd')])).toEqual(['= a0', '= b0', '= c0', '= d0']);
  expect(listIds([path('abcd'), path('abef'), path('abgh')])).toEqual([
    '= a0',
    '= b0',
    'c0 e1 g2',
    'd0 f1 h2',
  ]);
  expect(listIds([path('abcd'), path('ab')])).toEqual(['= a0', '= b0', 'c0', 'd0']);
  expect(listIds([[], []])).toEqual([]);
});

test('a message is found in whichever lane it stands', () => {
  const rows = toRows([path('abcd'), path('abef')]);
  expect(findRow(rows, MessageId.parse('f'))).toBe(3);
  expect(findRow(rows, MessageId.parse('x'))).toBe(-1);
});

test('versions are those that no other lane shows', () => {
  const [a, b, c] = path('abc').map(({ id }) => id);
  if (a === undefined || b === undefined || c === undefined) throw new Error('Three were made.');
  const message = { id: b, siblings: [a, b, c] };
  expect(toVersions(message, new Set())).toEqual({ at: 1, ids: [a, b, c] });
  expect(toVersions(message, new Set([a]))).toEqual({ at: 0, ids: [b, c] });
  expect(toVersions(message, new Set([a, c]))).toBeNull();
});
