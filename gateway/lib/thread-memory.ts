import type { ResourceLimits } from 'node:worker_threads';

/**
 * Limits the young objects of a thread. V8 lets them take up to 48 MB under load, and a thread without
 * requests does not give them back.
 */
export const THREAD_MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 6 };
