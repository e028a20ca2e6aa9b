import { expect, test } from 'vitest';
import { EMPTY_FORM, formLike, readMore, VideoForm, videoOf } from './form.ts';

test.each(['{', '[]', '"text"', '5', 'null', '{"": 1}', '{"seed": undefined}'])(
  'more fields %s are none',
  (text) => {
    expect(readMore(text).success).toBe(false);
    expect(VideoForm.safeParse({ ...EMPTY_FORM, prompt: 'A fox', more: text }).success).toBe(false);
  },
);

test('no more fields are none, and an object is taken as it is', () => {
  expect(readMore('  ')).toEqual({ success: true, more: {} });
  expect(readMore('{"seed": 7, "style": {"tone": null}}')).toEqual({
    success: true,
    more: { seed: 7, style: { tone: null } },
  });
});

test('a form goes there and back', () => {
  const form = { ...EMPTY_FORM, prompt: 'A fox', more: '{"seed":7}', waitMinutes: 12 };
  const video = videoOf(form, null);
  expect(video).toMatchObject({ prompt: 'A fox', more: { seed: 7 }, image: null, waitMinutes: 12 });
  expect(videoOf(formLike({ request: video, waitMinutes: 12 }), null)).toEqual(video);
});
