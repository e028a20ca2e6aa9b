import type { ResourceLimits } from 'node:worker_threads';

/**
 * Limits the young objects of a thread. V8 lets them take far more under load, and a thread without
 * requests does not give it back.
 */
export const THREAD_MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 6 };
