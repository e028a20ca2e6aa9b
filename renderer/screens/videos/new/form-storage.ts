import { z } from 'zod';
import { StoredImage } from '../../../../shared/image.ts';
import { readStored } from '../../../hooks/storage.ts';
import { EMPTY_FORM, type VideoForm } from './form.ts';

/** The form's raw input, valid or not. */
const StoredForm = z.object({
  values: z.object({
    model: z.string(),
    task: z.string(),
    prompt: z.string(),
    seconds: z.string(),
    resolution: z.string(),
    more: z.string(),
    waitMinutes: z.number().catch(EMPTY_FORM.waitMinutes),
  }),
  images: z.array(StoredImage),
});
interface StoredForm {
  readonly values: VideoForm;
  readonly images: readonly StoredImage[];
}

/** Loads the input from before a reload; `null` when there is none or it cannot be parsed. */
export function readForm(key: string): StoredForm | null {
  return readStored(key, StoredForm);
}

export function saveForm(key: string, form: StoredForm): void {
  localStorage.setItem(key, JSON.stringify(form));
}

export function deleteForm(key: string): void {
  localStorage.removeItem(key);
}
