import { z } from 'zod';

/** Lower-case hexadecimal SHA-256 of a file. */
export const ContentHash = z.string().regex(/^[0-9a-f]{64}$/u);

/** An image, kept in the data folder under its content hash. */
export const StoredImage = z.object({
  hash: ContentHash,
  /** As the person's file was called. */
  name: z.string(),
  /** Media type, by its content. */
  type: z.string(),
  bytes: z.number().int(),
});
export type StoredImage = z.infer<typeof StoredImage>;

/** The largest image that is taken: 64 MiB. The spec shows no limit (section 8). */
export const MAX_IMAGE_BYTES = 64 * 1024 * 1024;
