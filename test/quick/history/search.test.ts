import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { FAILURE_WORDS } from '../../../gateway/history/failure-cause.ts';
import { EndedBy } from '../../../shared/exchange/exchange.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { describeFailure } from '../../../shared/failure/find-failure.ts';
import { PROBLEMS } from '../../../shared/problem.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { allOf } from '../../kit/history/search.ts';

describe('A name', () => {
  test.each([
    ['with the search index', {}],
    ['without it', { getRetention: null }],
  ])('is found in any case %s', async (_, options) => {
    await using folder = await openHistoryFolder(options);
    await folder.record(anExchange('a', { clientName: 'Ärger' }), anExchange('b'));
    const filters: readonly HistoryFilter[] = [
      ...['ärger', 'ÄRGER', 'är*', '*GER'].map((name) => ({ clients: [name] })),
      { exact: ['ärge'] },
      { text: 'ÄRG' },
    ];
    for (const filter of filters) expect(await allOf(folder.history, filter, 5)).toEqual(['a']);
  });
});

describe('A word', () => {
  test('is found by its beginning among very many with the same beginning', async () => {
    await using folder = await openHistoryFolder();
    const many = Array.from({ length: 400 }, (_, at) =>
      anExchange(`m${at}`, { startedAt: NOON - at, pathReceived: `/v1/files/file${at}x` }),
    );
    await folder.record(...many);
    const page = await folder.history.page({ filter: { text: 'file' }, limit: 500 });
    expect(page.exchanges.map(({ id }) => id)).toEqual(many.map(({ id }) => id));
    expect(await folder.history.count({ text: 'file39' }, 500)).toBe(11);
  });

  test('is also found inside others when there is no search index', async () => {
    await using folder = await openHistoryFolder({ getRetention: null });
    await folder.record(anExchange('a', { errorMessage: 'Too MANY requests' }), anExchange('b'));
    expect(await folder.history.count({ text: 'any quest cline' }, 500)).toBe(1);
  });

  test.each([
    ['with the search index', {}],
    ['without it', { getRetention: null }],
  ])('of a status, a failure or an advice is found %s', async (_, options) => {
    await using folder = await openHistoryFolder(options);
    const wrongKey = { status: 401, errorCode: 'invalid_local_key', endedBy: 'gateway' };
    const repair = {
      code: 'path-missing-v1',
      before: '/a',
      after: '/b',
      advice: 'Remove slashes.',
    };
    await folder.record(
      anExchange('key', { ...wrongKey, clientName: null, repairs: [] }),
      anExchange('old', wrongKey),
      anExchange('busy', { status: 429 }),
      anExchange('bad', { status: 502, errorCode: '', repairs: [repair] }),
      anExchange('cut', { errorCode: 'upstream_connection_lost' }),
      anExchange('html', { errorCode: 'unexpected_content_type' }),
      anExchange('left', { status: null, endedBy: 'client' }),
      anExchange('done', {}),
    );
    const find = async (text: string) => await allOf(folder.history, { text }, 10);
    expect(await find('502')).toEqual(['bad']);
    expect(await find('429')).toEqual(['busy']);
    expect(await find('wrong key')).toEqual(['key']);
    expect(await find('revoked key')).toEqual(['old']);
    expect(await find('cut off')).toEqual(['cut']);
    expect(await find('not JSON')).toEqual(['html']);
    expect(await find('client left')).toEqual(['left']);
    expect(await find('too many')).toEqual(['busy']);
    expect(await find('remove slashes')).toEqual(['bad']);
  });

  test('of every failure is the same in SQL as in the row', async () => {
    await using folder = await openHistoryFolder();
    const codes = [...Object.keys(PROBLEMS), 'redirected', 'toString', 'odd_code', '', '429', null];
    const statuses = [null, 200, 304, 400, 401, 404, 418, 429, 500, 502, 504, 599];
    const ends = EndedBy.options;
    const all = codes.flatMap((errorCode) =>
      statuses.flatMap((status) => ends.map((endedBy) => ({ errorCode, status, endedBy }))),
    );
    await folder.record(...all.map((fields, at) => anExchange(String(at), fields)));
    const { rows } = await sql<{ id: string; clientName: string | null; words: string | null }>`
      select id, client_name as clientName, ${FAILURE_WORDS} as words from exchange`.execute(
      folder.store.db,
    );
    for (const { id, clientName, words } of rows) {
      const found = all[Number(id)];
      const ended = found && { ...found, clientName };
      expect(ended && [ended, words]).toEqual(ended && [ended, describeFailure(ended)]);
    }
    expect(rows).toHaveLength(all.length);
  });
});
