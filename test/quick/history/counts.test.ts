import { expect, test } from 'vitest';
import { ANSWERED } from '../../../shared/history/history.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { exportChunks } from '../../kit/history/export-chunks.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';

function refusal(id: string, fields: Record<string, unknown> = {}) {
  const unknown = {
    clientId: null,
    clientName: null,
    userAgent: null,
    status: 401,
    errorCode: 'missing_local_key',
  };
  return anExchange(id, { ...unknown, endedBy: 'gateway', ...fields });
}

test.each([
  ['with the search index', {}],
  ['without it', { getRetention: null }],
])('a count has each of the requests that are one row, %s', async (_, options) => {
  await using folder = await openHistoryFolder(options);
  const { history } = folder;
  await folder.record(anExchange('a'), refusal('b', { times: 20 }), refusal('c', { status: 400 }));
  expect(await history.count({}, 100)).toBe(22);
  expect(await history.count({ text: '401' }, 100)).toBe(20);
  expect(await history.count({ known: false }, 100)).toBe(21);
  expect(await history.count({ known: true }, 100)).toBe(1);
  expect(await history.count({ clients: ['Cline'] }, 100)).toBe(1);
  expect(await history.count(ANSWERED, 100)).toBe(1);
  expect(await history.count({ until: NOON }, 100)).toBe(0);
  // Another request is counted with an earlier row.
  await folder.record(refusal('b'));
  expect(await history.count({}, 100)).toBe(23);
  const days = await history.days('services');
  expect(days.at(-1)?.exchanges).toBe(23);
});

test.each([
  ['with the search index', {}],
  ['without it', { getRetention: null }],
])('a count has each refusal of a revoked key, %s', async (_, options) => {
  await using folder = await openHistoryFolder(options);
  const { history } = folder;
  const revoked = { clientName: 'Cline', errorCode: 'invalid_local_key' };
  await folder.record(anExchange('a'), refusal('b', { ...revoked, times: 20 }), refusal('c'));
  expect(await history.count({}, 100)).toBe(22);
  expect(await history.count({ failed: true }, 100)).toBe(21);
  expect(await history.count({ clients: ['Cline'] }, 100)).toBe(21);
  expect(await history.count({ known: true }, 100)).toBe(21);
  expect(await history.count({ known: false }, 100)).toBe(1);
  expect(await history.count({ errors: ['invalid_local_key'] }, 100)).toBe(20);
  expect(await history.count({ errors: ['http_500'] }, 100)).toBe(0);
  expect(await history.count({ failed: true }, 10)).toBe(10);
  const days = await history.days('services');
  expect(days.at(-1)?.errors).toBe(21);
});

test('a count never exceeds its limit, and tells that there are more', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  await folder.record(
    ...Array.from({ length: 300 }, (_, at) => anExchange(`a${at}`)),
    refusal('b', { times: 500 }),
  );
  for (const upTo of [1, 300, 301, 302, 700, 800]) expect(await history.count({}, upTo)).toBe(upTo);
  expect(await history.count({}, 801)).toBe(800);
  expect(await history.count({ text: 'cline' }, 301)).toBe(300);
  await folder.record(anExchange('late'));
  expect(await history.count({}, 802)).toBe(801);
});

test('an export counts the same exchanges', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(anExchange('a'), refusal('b', { times: 20 }));
  const chunks = await exportChunks(folder, { format: 'jsonl' });
  expect(chunks.map(({ exchanges }) => exchanges)).toEqual([21]);
});
