import { z } from 'zod';
import {
  DEFAULT_VIDEO_REQUEST,
  NewVideo,
  VideoRequest,
  type VideoJob,
  type VideoPreset,
  type VideoId,
} from '../../../../shared/video/video.ts';
import type { StoredImage } from '../../../../shared/image.ts';

/** Additional fields as typed: empty, or a JSON object. */
const MoreText = z.string().superRefine((text, context) => {
  const read = parseMoreFields(text);
  if (!read.success) context.addIssue({ code: 'custom', message: read.problem });
});

/** The values of the form. `more` is the text of a JSON object. */
export const VideoForm = VideoRequest.extend({
  more: MoreText,
  waitMinutes: NewVideo.shape.waitMinutes,
});
export type VideoForm = z.infer<typeof VideoForm>;

const DEFAULT_WAIT_MINUTES = 30;

export const EMPTY_FORM: VideoForm = {
  ...DEFAULT_VIDEO_REQUEST,
  more: '',
  waitMinutes: DEFAULT_WAIT_MINUTES,
};

type More = VideoRequest['more'];
type ReadMore =
  | { readonly success: true; readonly more: More }
  | { readonly success: false; readonly problem: string };

/** Parses the additional fields as typed. */
export function parseMoreFields(text: string): ReadMore {
  if (text.trim() === '') return { success: true, more: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const where = error instanceof Error ? error.message : '';
    return { success: false, problem: `This is not JSON: ${where}` };
  }
  const { data } = VideoRequest.shape.more.safeParse(value);
  return data === undefined
    ? { success: false, problem: 'Enter a JSON object, such as {"seed": 7}.' }
    : { success: true, more: data };
}

function formatMoreFields(more: More): string {
  return Object.keys(more).length === 0 ? '' : JSON.stringify(more, null, 2);
}

/** Converts a valid form to a video request. */
export function toNewVideo(values: VideoForm, image: string | null): NewVideo {
  const { waitMinutes, ...request } = VideoForm.parse(values);
  const read = parseMoreFields(request.more);
  return { ...request, more: read.success ? read.more : {}, image, waitMinutes };
}

/** Fills the form with the request of another video. */
export function toFormValues({
  request,
  waitMinutes,
}: Pick<VideoJob, 'request' | 'waitMinutes'>): VideoForm {
  return {
    model: request.model ?? EMPTY_FORM.model,
    task: request.task ?? EMPTY_FORM.task,
    prompt: request.prompt ?? '',
    seconds: request.seconds ?? EMPTY_FORM.seconds,
    resolution: request.resolution ?? EMPTY_FORM.resolution,
    more: formatMoreFields(request.more),
    waitMinutes,
  };
}

/** Applies a preset to a form. */
export function toPresetValues({
  request,
}: VideoPreset): Omit<VideoForm, 'prompt' | 'waitMinutes'> {
  return { ...request, more: formatMoreFields(request.more) };
}

/** The initial state of the form. */
export interface InitialForm {
  /** Key under which the input survives a reload. */
  readonly key: string;
  /** The draft that is edited. */
  readonly draft: VideoId | null;
  readonly values: VideoForm;
  readonly images: readonly StoredImage[];
}
