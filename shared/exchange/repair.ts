import { z } from 'zod';

/** Stable codes of the repairs. */
export const RepairCode = z.enum([
  'path-doubled',
  'path-missing-v1',
  'path-prefix',
  'path-case',
  'path-encoding',
  'path-slashes',
  'path-spaces',
  'credential-format',
  'credential-place',
  'credential-conflict',
  'service-key-sent',
  'version-added',
  'version-format',
  'content-type-json',
  'content-type-multipart',
  'upload-form',
  'upload-part',
  'byte-order-mark',
  'body-decoded',
  'model-alias',
  'model-id',
  'prompt-to-messages',
  'seconds-to-string',
  'video-form-to-json',
  'video-id-added',
  'stream-options-removed',
  'cache-reason-asked',
  'models-wrapper',
  'model-suggestion',
  'model-from-list',
  'tokens-estimated',
  'stream-decoded',
  'redirect-followed',
  'key-redacted',
  'held',
]);
export type RepairCode = z.infer<typeof RepairCode>;

/** One correction to an exchange: the old and the new value, and what to change in the client. No secret in any field. */
export const Repair = z.object({
  code: RepairCode,
  before: z.string(),
  after: z.string(),
  advice: z.string(),
});
export type Repair = z.infer<typeof Repair>;
