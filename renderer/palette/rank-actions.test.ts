import { expect, test } from 'vitest';
import { type PaletteGroup, rankGroups, toWords } from './rank-actions.ts';

const GROUPS: readonly PaletteGroup[] = [
  {
    group: 'Go to',
    actions: [
      { id: 'history', label: 'History' },
      { id: 'settings', label: 'Settings', keywords: ['service key'] },
    ],
  },
  {
    group: 'Actions',
    actions: [
      { id: 'light', label: 'System appearance', keywords: ['theme'] },
      { id: 'theme', label: 'Dark appearance', keywords: ['theme'] },
      { id: 'erase', label: 'Erase the history…', description: 'Deletes every exchange' },
    ],
  },
];

function idsOf(query: string): string[] {
  return rankGroups(query, GROUPS).flatMap(({ actions }) => actions.map(({ id }) => id));
}

test.each([
  ['', ['history', 'settings', 'light', 'theme', 'erase']],
  ['theme', ['light', 'theme']],
  ['hist', ['history', 'erase']],
  ['dark app', ['theme']],
  ['exchange', ['erase']],
  ['key', ['settings']],
  ['ervice', []],
  ['zzz', []],
  ['history zzz', []],
  ['hisotry', ['history', 'erase']],
  ['setings', ['settings']],
  ['settting', ['settings']],
  ['sattin', ['settings']],
  ['stng', []],
])('“%s” finds %j', (query, ids) => {
  expect(idsOf(query)).toEqual(ids);
});

test('a group whose action matches better comes first', () => {
  expect(rankGroups('erase', GROUPS).map(({ group }) => group)).toEqual(['Actions']);
  expect(rankGroups('app', GROUPS).map(({ group }) => group)).toEqual(['Actions']);
  expect(rankGroups('se', GROUPS).map(({ group }) => group)).toEqual(['Go to', 'Actions']);
});

test('a group that is marked as last comes after every other that matches', () => {
  const service: PaletteGroup = {
    group: 'Services',
    isLast: true,
    actions: [{ id: 'u', label: 'Use Tiny' }],
  };
  const found = { id: 'c', label: 'Hello', keywords: ['tiny'] };
  const groups = [service, { group: 'Conversations', actions: [found] }];
  expect(rankGroups('tiny', groups).map(({ group }) => group)).toEqual([
    'Conversations',
    'Services',
  ]);
});

test('a conversation that the engine found stays, whatever signs the query has', () => {
  const actions = [{ id: 'c', label: 'Hello', keywords: toWords("gpt-5 it's") }];
  expect(rankGroups("gpt-5 it's", [{ group: 'Conversations', actions }])).toHaveLength(1);
});
