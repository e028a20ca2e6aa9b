import { configureGlobal } from 'fast-check';

const { MODE, SEED } = process.env;

// `vitest --mode random` tries other values in each run, those of a run before when it has that one's seed.
if (MODE !== 'random' || SEED !== undefined) configureGlobal({ seed: Number(SEED ?? 1) });
