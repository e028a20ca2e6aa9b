import { expect, test } from 'vitest';
import { proposeColumns } from './propose-columns.ts';

function propose(head: string, ...lines: readonly string[]) {
  const names = head.split(',');
  return proposeColumns(
    lines.map((line, index) => {
      const cells = line.split(',');
      return {
        place: index + 2,
        cells: new Map(names.map((name, place) => [name, cells[place] ?? ''])),
        fault: null,
      };
    }),
  );
}

test('names decide between columns of the same shape', () => {
  expect(
    propose(
      'completion_tokens,request_id,finished,prompt_tokens,created_at,cost,model',
      '5,req-a,yes,10,2026-11-20T12:00:01Z,0,acme/large',
      '6,req-b,yes,20,2026-11-20T12:00:02Z,1,acme/large',
    ),
  ).toEqual({
    time: 'created_at',
    model: 'model',
    id: 'request_id',
    requests: null,
    input: ['prompt_tokens'],
    output: ['completion_tokens'],
    cost: 'cost',
    rows: 'request',
    timeZone: 'utc',
  });
});

test('without telling names the shape alone is proposed', () => {
  expect(
    propose('a,b,c,d,e', '1795305600,acme/large,10,5,0.5', '1795305601,acme/large,11,5,1'),
  ).toMatchObject({ time: 'a', model: 'b', id: null, input: ['c'], output: ['d'], cost: 'e' });
});

test.each([
  ['day', ['2026-11-20', '2026-11-21']],
  ['day', ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z']],
  ['day', ['1795305600', '1795219200']],
  ['hour', ['2026-11-20 13:00', '2026-11-20 14:00:00']],
  ['request', ['2026-11-20 13:00', '2026-11-20 14:00:01']],
  ['request', ['2026-11-20T13:00:00Z']],
])('rows are taken for %s with the times %j', (rows, times) => {
  expect(propose('time,cost', ...times.map((time) => `${time},1`))?.rows).toBe(rows);
});

test.each([
  ['no times', 'a,b', 'x,1'],
  ['wrong times', 'time,cost', '2026-02-30,1'],
  ['only times', 'time,note', '2026-11-20,x'],
])('%s: nothing is proposed', (_name, head, line) => {
  expect(propose(head, line)).toBeNull();
});
