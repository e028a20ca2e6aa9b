import { isOld } from './freshness.ts';
import { buildPage } from './page-bundle.ts';

// Before `npm start`: the page is built when there is none, or when its sources are newer.
if (await isOld('out/ui/index.html', ['renderer', 'shared', 'package.json'])) {
  console.error('Building the window. This takes a few seconds, and only after a change.');
  await buildPage();
}
