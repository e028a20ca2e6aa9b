import type { UseFormReturnType } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import {
  type NewVideo,
  createVideoId,
  VIDEO_ID_BYTES,
  type VideoId,
  type VideoJob,
} from '../../../../shared/video/video.ts';
import { useCalls } from '../../../api/client.ts';
import { pluralize } from '../../../../shared/format.ts';
import { errorField, toMessage } from '../../../format/errors.ts';
import { toastSuccess, toastError, toastMessage } from '../../../hooks/toast.ts';
import { type VideoForm, toNewVideo, type InitialForm } from './form.ts';
import { useRefreshVideos } from '../../../api/use-active-videos.ts';
import { deleteForm } from './form-storage.ts';
import type { useImages } from '../../../hooks/use-image-picker.ts';

interface CreateVideosOptions {
  readonly begin: InitialForm;
  readonly form: UseFormReturnType<VideoForm>;
  readonly images: ReturnType<typeof useImages>;
}

/**
 * Creates one job for each image of the form, in order. When one fails, those before it are created and removed from the
 * form.
 */
export function useCreateVideos({ begin, form, images }: CreateVideosOptions) {
  const { videos } = useCalls();
  const navigate = useNavigate();
  const [busy, setBusy] = useState<'draft' | 'video' | null>(null);
  const draft = useRef(begin.draft);
  const add = useAddVideo();
  const refresh = useRefreshVideos();
  const createOne = async (hash: string | null, confirmed: boolean): Promise<VideoJob> => {
    const video = toNewVideo(form.getValues(), hash);
    const id = draft.current;
    if (id === null) return await add(video, confirmed);
    const changed = await videos.change.call({ id, video });
    // The draft becomes the first of the jobs.
    draft.current = null;
    return confirmed ? await videos.act.call({ id, action: { type: 'confirm' } }) : changed;
  };
  const createAll = async (confirmed: boolean): Promise<readonly VideoJob[]> => {
    const picked = await images.whenUploaded();
    const saved = picked.flatMap(({ key, image }) => (image === null ? [] : { key, image }));
    if (saved.length < picked.length) throw new ImageUploadError();
    if (saved.length === 0) return [await createOne(null, confirmed)];
    const made: VideoJob[] = [];
    try {
      for (const { image } of saved) made.push(await createOne(image.hash, confirmed));
    } catch (error) {
      // A job that was ordered must not be ordered again at the next try.
      for (const { key } of saved.slice(0, made.length)) images.remove(key);
      throw error;
    }
    return made;
  };
  const create = async (confirmed: boolean): Promise<void> => {
    setBusy(confirmed ? 'video' : 'draft');
    const count = Math.max(1, images.picked.length);
    try {
      const made = await createAll(confirmed);
      deleteForm(begin.key);
      toastSuccess(describeCreated(made.length, confirmed));
      refresh(confirmed ? made : []);
      const [only] = made;
      const search = made.length === 1 && only !== undefined ? { video: only.id } : {};
      await navigate({ to: '/videos', search });
    } catch (error) {
      if (error instanceof ImageUploadError) {
        return toastMessage(
          'No video was created.',
          'An image could not be added. Remove it, or pick another.',
        );
      }
      const field = errorField(error);
      if (field !== null && field in form.getValues()) form.setFieldError(field, toMessage(error));
      toastError(count === 1 ? 'No video was created.' : 'Not all videos were created.', error);
    } finally {
      setBusy(null);
    }
  };
  return {
    busy,
    create: (confirmed: boolean, then?: () => void) => void create(confirmed).finally(then),
  };
}

/** Adds a video. A call that got no response is repeated with the same id, so that it adds one video at most. */
function useAddVideo(): (video: NewVideo, confirmed: boolean) => Promise<VideoJob> {
  const { videos } = useCalls();
  /** Ids of calls without a response, by the request they carried. */
  const open = useRef(new Map<string, VideoId>());
  return async (video, confirmed) => {
    const call = JSON.stringify({ video, confirmed });
    const random = crypto.getRandomValues(new Uint8Array(VIDEO_ID_BYTES));
    const id = open.current.get(call) ?? createVideoId(random);
    open.current.set(call, id);
    const job = await videos.add.call({ id, video, confirmed });
    open.current.delete(call);
    return job;
  };
}

/** Each of several images is charged, so an invalid one is an error and never skipped silently. */
class ImageUploadError extends Error {}

function describeCreated(count: number, confirmed: boolean): string {
  if (!confirmed) return count === 1 ? 'Saved as a draft.' : `${pluralize(count, 'draft')} saved.`;
  return count === 1
    ? 'The video is in the queue.'
    : `${pluralize(count, 'video')} are in the queue.`;
}
