import { expect, test } from 'vitest';
import { EMPTY_FORM, toFormValues, parseMoreFields, VideoForm, toNewVideo } from './form.ts';

test.each(['{', '[]', '"text"', '5', 'null', '{"": 1}', '{"seed": undefined}'])(
  'more fields %s are none',
  (text) => {
    expect(parseMoreFields(text).success).toBe(false);
    expect(VideoForm.safeParse({ ...EMPTY_FORM, prompt: 'A fox', more: text }).success).toBe(false);
  },
);

test('no more fields are none, and an object is taken as it is', () => {
  expect(parseMoreFields('  ')).toEqual({ success: true, more: {} });
  expect(parseMoreFields('{"seed": 7, "style": {"tone": null}}')).toEqual({
    success: true,
    more: { seed: 7, style: { tone: null } },
  });
});

test('a form goes there and back', () => {
  const form = { ...EMPTY_FORM, prompt: 'A fox', more: '{"seed":7}', waitMinutes: 12 };
  const video = toNewVideo(form, null);
  expect(video).toMatchObject({ prompt: 'A fox', more: { seed: 7 }, image: null, waitMinutes: 12 });
  expect(toNewVideo(toFormValues({ request: video, waitMinutes: 12 }), null)).toEqual(video);
});
