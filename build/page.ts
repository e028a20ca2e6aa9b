import { isPageOld } from './freshness.ts';
import { buildPage } from './page-bundle.ts';

// This runs before `npm start`: the page is built when it is missing or older than its sources.
if (await isPageOld()) {
  console.error('Building the window. This takes a few seconds, and only after a change.');
  await buildPage();
}
