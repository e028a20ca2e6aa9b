import { expect, test } from 'vitest';
import { parseFilter } from '../../../shared/filter-language/parse.ts';
import { toFilter } from '../../../shared/filter-language/to-filter.ts';
import {
  OUTCOMES,
  readOutcome,
  readTimes,
  withBodySearch,
  withChecks,
  withFlag,
  withNames,
  withOutcome,
  withTimes,
  withWords,
} from './filter-terms.ts';

function readTerms(text: string) {
  return parseFilter(text).terms.map(({ term }) => term);
}

function outcomeOf(text: string) {
  return readOutcome(toFilter(readTerms(text), { now: 0, services: [] }));
}

test('an outcome is written and read again, and replaces the one before', () => {
  for (const outcome of OUTCOMES) {
    const text = withOutcome('a status>=400 -failed b', outcome);
    expect(outcomeOf(text)).toBe(outcome);
    expect(withOutcome(text, null)).toBe('a b');
  }
});

test('statuses that the menu cannot choose are none of its outcomes', () => {
  for (const text of [
    'status:429',
    'status:4xx,5xx',
    'status:2xx',
    'failed status:4xx',
    'answered',
    'answered -failed status:2xx',
    '-failed',
  ]) {
    expect(outcomeOf(text)).toBeNull();
  }
});

test('names, flags, times and words replace their own terms only', () => {
  expect(withNames('x client:a -client:b', 'client', ['c d', 'e'])).toBe(
    'x client:"c d",e -client:b',
  );
  expect(withNames('x client:a -client:b', 'client', [])).toBe('x -client:b');
  expect(withFlag('-repaired x', 'repaired', true)).toBe('repaired x');
  expect(withFlag('-repaired x', 'repaired', null)).toBe('x');
  expect(withTimes('since:1h x until:today', { since: '7d' })).toBe('since:7d x');
  expect(readTimes(readTerms('since:7d x'))).toEqual({ since: '7d' });
  expect(withWords('a -b "c" failed', 'talk-1')).toBe('talk-1 -b failed');
  expect(withBodySearch('a "b c" failed', true)).toBe('body:"a b c" failed');
  expect(withBodySearch('failed', true)).toBe('failed body:');
  expect(withBodySearch('body:"a b" failed', false)).toBe('"a b" failed');
  expect(withChecks('a', '/v1/videos/vid_1?x=1')).toBe('vid_1 route:video-status each');
});
