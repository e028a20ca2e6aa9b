import { expect, test } from 'vitest';
import { formatTable, type TableData } from './table.ts';

const TABLE: TableData = {
  head: ['Key', 'Model', 'In', 'Note'],
  rows: [
    ['a-rather-long-key', 'a-rather-long-model', '12', 'told below'],
    ['b', 'm', '1,234', ''],
  ],
  numbers: [2],
  narrowing: [
    { below: [3] },
    { abbreviate: 1, format: (cell) => cell.slice(2) },
    { truncate: 1, minWidth: 8 },
  ],
};
const lay = (columns: number | null) =>
  formatTable(TABLE, { columns, dim: (text) => text }).split('\n');

test('what is no terminal gets the whole table, however wide', () => {
  expect(lay(null)).toEqual([
    'Key                Model                   In  Note',
    'a-rather-long-key  a-rather-long-model     12  told below',
    'b                  m                    1,234',
  ]);
});

test('a column goes below its row with its name when there is no room, and empty cells are left out', () => {
  expect(lay(50)).toEqual([
    'Key                Model                   In',
    'a-rather-long-key  a-rather-long-model     12',
    '  Note told below',
    'b                  m                    1,234',
  ]);
});

test('then a column is said in another way, then cut, but no column that is not named', () => {
  expect(lay(44)[1]).toBe('a-rather-long-key  rather-long-model     12');
  expect(lay(40)[1]).toBe('a-rather-long-key  rather-long-m…     12');
  expect(lay(10)[1]).toBe('a-rather-long-key  rather-…     12');
});

test('a cell cannot move the cursor or begin a line', () => {
  const rows = [['a\u001b[2J\nb\u202ec', '', '', '']];
  const text = formatTable({ ...TABLE, rows }, { columns: null, dim: (head) => head });
  expect(text.split('\n')[1]).toBe('a\ufffd[2J\ufffdb\ufffdc');
});
