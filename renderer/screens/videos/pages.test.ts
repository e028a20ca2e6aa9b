import { expect, test } from 'vitest';
import { VideoId, type VideoPage } from '../../../shared/video/video.ts';
import { replacePage } from './pages.ts';

const id = (text: string) => VideoId.parse(text);
const page = (next: string | null, counts: object = {}): VideoPage => ({
  jobs: [],
  next: next === null ? null : id(next),
  counts: { ...NONE, ...counts },
});
const NONE: VideoPage['counts'] = {
  draft: 0,
  waiting: 0,
  uploading: 0,
  submitting: 0,
  unsure: 0,
  identifying: 0,
  'needs-answer': 0,
  rendering: 0,
  downloading: 0,
  done: 0,
  failed: 0,
  'timed-out': 0,
  cancelled: 0,
};
const cached = { pages: [page('b'), page('c'), page(null)], pageParams: [null, id('b'), id('c')] };

test('a page that still joins the next one takes its place', () => {
  const updated = page('b', { done: 1 });
  const after = replacePage(cached, { index: 0, page: updated, last: 0 });
  expect(after.pages).toEqual([updated, cached.pages[1], cached.pages[2]]);
  expect(after.pageParams).toEqual(cached.pageParams);
});

test('pages out of sight that do not join any more are dropped, to be read again', () => {
  const after = replacePage(cached, { index: 0, page: page('other'), last: 0 });
  expect(after.pages).toHaveLength(1);
  expect(after.pageParams).toEqual([null]);
});

test('visible rows stay where they are', () => {
  const after = replacePage(cached, { index: 0, page: page('other'), last: 2 });
  expect(after.pages).toHaveLength(3);
});
