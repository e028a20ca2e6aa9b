import { expect, test } from 'vitest';
import { formatTable, type TableData } from './table.ts';

const TABLE: TableData = {
  head: ['Key', 'Model', 'In', 'Note'],
  rows: [
    ['a-rather-long-key', 'a-rather-long-model', '12', 'a note'],
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

test('a table that is not for a terminal is complete at any width', () => {
  expect(lay(null)).toEqual([
    'Key                Model                   In  Note',
    'a-rather-long-key  a-rather-long-model     12  a note',
    'b                  m                    1,234',
  ]);
});

test('a column moves below its row with its name when space is short, without empty cells', () => {
  expect(lay(50)).toEqual([
    'Key                Model                   In',
    'a-rather-long-key  a-rather-long-model     12',
    '  Note a note',
    'b                  m                    1,234',
  ]);
});

test('then a column is abbreviated, then truncated, and other columns never are', () => {
  expect(lay(44)[1]).toBe('a-rather-long-key  rather-long-model     12');
  expect(lay(40)[1]).toBe('a-rather-long-key  rather-long-m…     12');
  expect(lay(10)[1]).toBe('a-rather-long-key  rather-…     12');
});

test('a cell cannot move the cursor or start a line', () => {
  const rows = [['a\u001b[2J\nb\u202ec', '', '', '']];
  const text = formatTable({ ...TABLE, rows }, { columns: null, dim: (head) => head });
  expect(text.split('\n')[1]).toBe('a\ufffd[2J\ufffdb\ufffdc');
});

test('a character of double width takes two columns', () => {
  const rows = [['k', '動画の長い名前です', '1', '']];
  const narrow = formatTable({ ...TABLE, rows }, { columns: 20, dim: (head) => head });
  expect(narrow.split('\n')[1]).toBe('k    の長い名前…   1');
});
