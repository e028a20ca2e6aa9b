import { oc } from '@orpc/contract';
import { z } from 'zod';
import { MAX_IMAGE_BYTES } from './image.ts';

/** The planned failures of a call. The message is for people: what was wrong and what to do. */
const PROBLEMS = {
  /** It cannot be done as asked; `field` names the input to blame, when one is. */
  REFUSED: { status: 422, data: z.object({ field: z.string().nullable() }) },
  /** What was asked for is not there, or not any more. */
  NOT_FOUND: { status: 404 },
} as const;

/** A call that fails in these ways, or because Gatehouse itself does. */
export const procedure = oc.errors(PROBLEMS);

/** Of an image on its way in. */
export const ImageUploadId = z.string().min(1).max(64);
/** The image that is to come. */
export const ImageUploadStart = z.object({
  name: z.string().min(1).max(255),
  bytes: z
    .number()
    .int()
    .min(1, 'The file is empty.')
    .max(MAX_IMAGE_BYTES, 'An image has at most 64 MiB.'),
});
/** At most 512 KiB of it. */
export const ImageUploadChunk = z.object({
  upload: ImageUploadId,
  base64: z.base64().max(700_000),
});
/** The model that a call is about. */
export const ModelInput = z.object({ model: z.string().min(1).max(256) });
