import type { UseFormReturnType } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { VideoJob } from '../../../../shared/video.ts';
import { useCalls } from '../../../client/client.ts';
import { counted } from '../../../parts/figures.ts';
import { fieldOf, sentenceOf } from '../../../parts/problem.ts';
import { sayDone, sayFailed, sayRefused } from '../../../parts/said.ts';
import { type VideoForm, videoOf } from './form.ts';
import { forgetForm } from './kept-form.ts';
import type { useImages } from '../../../parts/use-images.ts';
import { useAdd } from './use-add.ts';
import type { Beginning } from './video-form.tsx';

interface MakeParts {
  readonly begin: Beginning;
  readonly form: UseFormReturnType<VideoForm>;
  readonly images: ReturnType<typeof useImages>;
}

/** Makes jobs of what the form holds: one for each image, in their order. When one fails, those before it are made and leave the form. */
export function useMake({ begin, form, images }: MakeParts) {
  const calls = useCalls();
  const { videos } = calls;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState<'draft' | 'video' | null>(null);
  const draft = useRef(begin.draft);
  const add = useAdd();
  const makeOne = async (hash: string | null, confirmed: boolean): Promise<VideoJob> => {
    const video = videoOf(form.getValues(), hash);
    const id = draft.current;
    if (id === null) return await add(video, confirmed);
    const changed = await videos.change.call({ id, video });
    // The draft becomes the first of them.
    draft.current = null;
    return confirmed ? await videos.act.call({ id, act: { act: 'confirm' } }) : changed;
  };
  const makeAll = async (confirmed: boolean): Promise<readonly VideoJob[]> => {
    const picked = await images.settled();
    const kept = picked.flatMap(({ key, image }) => (image === null ? [] : { key, image }));
    if (kept.length < picked.length) throw new ImageNotTaken();
    if (kept.length === 0) return [await makeOne(null, confirmed)];
    const made: VideoJob[] = [];
    try {
      for (const { image } of kept) made.push(await makeOne(image.hash, confirmed));
    } catch (error) {
      // What was ordered must not be ordered once more at the next try.
      for (const { key } of kept.slice(0, made.length)) images.remove(key);
      throw error;
    }
    return made;
  };
  const make = async (confirmed: boolean): Promise<void> => {
    setBusy(confirmed ? 'video' : 'draft');
    const wanted = Math.max(1, images.picked.length);
    try {
      const made = await makeAll(confirmed);
      forgetForm(begin.key);
      sayDone(saidOf(made.length, confirmed));
      void queries.invalidateQueries({ queryKey: calls.videos.page.key() });
      const [only] = made;
      const search = made.length === 1 && only !== undefined ? { video: only.id } : {};
      await navigate({ to: '/videos', search });
    } catch (error) {
      if (error instanceof ImageNotTaken) {
        return sayRefused(
          'No video was made.',
          'An image was not taken. Leave it out, or pick another.',
        );
      }
      const field = fieldOf(error);
      if (field !== null && field in form.getValues()) form.setFieldError(field, sentenceOf(error));
      sayFailed(wanted === 1 ? 'No video was made.' : 'Not all videos were made.', error);
    } finally {
      setBusy(null);
    }
  };
  return {
    busy,
    make: (confirmed: boolean, then?: () => void) => void make(confirmed).finally(then),
  };
}

/** Of several images each is paid for, so none is left out in silence. */
class ImageNotTaken extends Error {}

function saidOf(count: number, confirmed: boolean): string {
  if (!confirmed) return count === 1 ? 'Kept as a draft.' : `${counted(count, 'draft')} kept.`;
  return count === 1 ? 'The video is on its way.' : `${counted(count, 'video')} are on their way.`;
}
