import { configureGlobal } from 'fast-check';

// `vitest --mode random` tries other values in each run.
if (process.env['MODE'] !== 'random') configureGlobal({ seed: 1 });
