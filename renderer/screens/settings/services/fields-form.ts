import { z } from 'zod';
import { type FieldMap, JsonPointer, StatusMeaning } from '../../../../shared/video/video.ts';

/** A path to a field as typed; empty when unknown. */
const Place = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const { error } = JsonPointer.safeParse(text);
    if (text === '' || error === undefined) return;
    context.addIssue({
      code: 'custom',
      message: error.issues[0]?.message ?? 'Enter a path, such as /data/0/url.',
    });
  });

/** The form values of a field map. */
export const FieldsForm = z.object({
  fileUrl: Place,
  taskId: Place,
  reason: Place,
  progress: Place,
  cost: Place,
  words: z.array(
    z.object({
      word: z.string().trim().min(1, 'Enter the status word.').max(200, 'At most 200 characters.'),
      meaning: StatusMeaning,
    }),
  ),
});
export type FieldsForm = z.infer<typeof FieldsForm>;

export function toFieldsForm({ words, ...places }: FieldMap): FieldsForm {
  return {
    fileUrl: places.fileUrl ?? '',
    taskId: places.taskId ?? '',
    reason: places.reason ?? '',
    progress: places.progress ?? '',
    cost: places.cost ?? '',
    words: Object.entries(words).map(([word, meaning]) => ({ word, meaning })),
  };
}

/** Converts a valid form to a field map. The last entry of a duplicate word wins. */
export function toFieldMap(form: FieldsForm): FieldMap {
  const { words, ...places } = FieldsForm.parse(form);
  return {
    fileUrl: places.fileUrl || null,
    taskId: places.taskId || null,
    reason: places.reason || null,
    progress: places.progress || null,
    cost: places.cost || null,
    words: Object.fromEntries(words.map(({ word, meaning }) => [word, meaning])),
  };
}
