import { isPageOld } from './freshness.ts';

/** Builds the page when it is missing or older than its sources. */
export async function buildPageIfOld(): Promise<void> {
  if (!(await isPageOld())) return;
  console.error('Building the window. This takes a few seconds, and only after a change.');
  // The builder is loaded only here, because that takes half a second.
  const { buildPage } = await import('./page-bundle.ts');
  await buildPage();
}

// This runs before `npm run bench`.
if (import.meta.main) await buildPageIfOld();
