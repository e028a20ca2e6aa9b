import { expect, test } from 'vitest';
import { OPENAI_FIELD_MAP } from '../../../../shared/video/video.ts';
import { FieldsForm, toFieldsForm, toFieldMap } from './fields-form.ts';

test('a field map goes into the form and back', () => {
  expect(toFieldMap(toFieldsForm(OPENAI_FIELD_MAP))).toEqual(OPENAI_FIELD_MAP);
});

test('an empty place is not known, and what is no place is refused', () => {
  const form = toFieldsForm(OPENAI_FIELD_MAP);
  expect(toFieldMap({ ...form, taskId: ' ' }).taskId).toBeNull();
  expect(FieldsForm.safeParse({ ...form, taskId: 'id' }).success).toBe(false);
  expect(FieldsForm.safeParse({ ...form, words: [{ word: ' ', meaning: 'failed' }] }).success).toBe(
    false,
  );
});
