import { isPageOld } from './freshness.ts';
import { buildPage } from './page-bundle.ts';

// Before `npm start`: the page is built when there is none, or when its sources are newer.
if (await isPageOld()) {
  console.error('Building the window. This takes a few seconds, and only after a change.');
  await buildPage();
}
