import { z } from 'zod';

/** Lower-case hexadecimal SHA-256 of a file. */
export const ContentHash = z.string().regex(/^[0-9a-f]{64}$/u);

/** An image, stored in the data folder under its content hash. */
export const StoredImage = z.object({
  hash: ContentHash,
  /** Name of the person's file. */
  name: z.string(),
  /** Media type, detected from the content. */
  type: z.string(),
  bytes: z.number().int(),
});
export type StoredImage = z.infer<typeof StoredImage>;

/** Maximum size of an image: 64 MiB. The spec shows no limit (section 8). */
export const MAX_IMAGE_BYTES = 64 * 1024 * 1024;
