import { z } from 'zod';
import { KeptImage } from '../../../../shared/image.ts';
import { EMPTY_FORM, type VideoForm } from './form.ts';

/** As it was typed, valid or not. */
const KeptForm = z.object({
  values: z.object({
    model: z.string(),
    task: z.string(),
    prompt: z.string(),
    seconds: z.string(),
    resolution: z.string(),
    more: z.string(),
    waitMinutes: z.number().catch(EMPTY_FORM.waitMinutes),
  }),
  images: z.array(KeptImage),
});
interface KeptForm {
  readonly values: VideoForm;
  readonly images: readonly KeptImage[];
}

/** What was typed before a reload; `null` when nothing was, or it cannot be read. */
export function keptForm(key: string): KeptForm | null {
  try {
    return KeptForm.parse(JSON.parse(localStorage.getItem(key) ?? 'null'));
  } catch {
    return null;
  }
}

export function keepForm(key: string, form: KeptForm): void {
  localStorage.setItem(key, JSON.stringify(form));
}

export function forgetForm(key: string): void {
  localStorage.removeItem(key);
}
