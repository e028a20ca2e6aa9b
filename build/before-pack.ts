import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AfterPackContext as PackContext } from 'electron-builder';
import { isDesktopOld, isPageOld } from './freshness.ts';
import { describeForSoftwareCentres } from './metainfo.ts';

const PACKAGE = join(import.meta.dirname, '..', 'out', 'package');

/** Is called by electron-builder before it packs: builds everything in `out` that is missing or older than its sources. */
export async function beforePack({ packager }: PackContext): Promise<void> {
  if (await isPageOld()) {
    const { buildPage } = await import('./page-bundle.ts');
    await buildPage();
  }
  if (await isDesktopOld()) {
    const { buildDesktop } = await import('./desktop.ts');
    await buildDesktop();
  }
  const { version } = packager.appInfo;
  const homepage = (await packager.appInfo.computePackageUrl()) ?? '';
  const text = describeForSoftwareCentres({ version, homepage, released: releaseDay(process.env) });
  await mkdir(PACKAGE, { recursive: true });
  const file = join(PACKAGE, 'dev.gatehouse.app.metainfo.xml');
  // Another run may be packing what this one has written.
  await writeFile(`${file}.${process.pid}`, text);
  await rename(`${file}.${process.pid}`, file);
}

/** Returns the date of this build, or that of a reproducible build (reproducible-builds.org, SOURCE_DATE_EPOCH). */
function releaseDay(environment: NodeJS.ProcessEnv): Date {
  const seconds = environment['SOURCE_DATE_EPOCH'] ?? '';
  return seconds === '' ? new Date() : new Date(Number(seconds) * 1_000);
}
