import { oc } from '@orpc/contract';
import { z } from 'zod';
import { MAX_IMAGE_BYTES } from './image.ts';

/** The expected failures of a call. The message is for people: what was wrong and what to do. */
const PROBLEMS = {
  /** The request is invalid or impossible; `field` names the input at fault, if any. */
  REFUSED: { status: 422, data: z.object({ field: z.string().nullable() }) },
  /** The requested object does not exist, or was deleted. */
  NOT_FOUND: { status: 404 },
} as const;

/** A procedure with these failures, besides internal faults. */
export const procedure = oc.errors(PROBLEMS);

/** Id of an image upload. */
export const ImageUploadId = z.string().min(1).max(64);
/** Name and size of the image to upload. */
export const ImageUploadStart = z.object({
  name: z.string().min(1).max(255),
  bytes: z
    .number()
    .int()
    .min(1, 'The file is empty.')
    .max(MAX_IMAGE_BYTES, 'An image has at most 64 MiB.'),
});
/** A chunk of at most 512 KiB. */
export const ImageUploadChunk = z.object({
  upload: ImageUploadId,
  base64: z.base64().max(700_000),
});
/** The model of a call. */
export const ModelInput = z.object({ model: z.string().min(1).max(256) });
