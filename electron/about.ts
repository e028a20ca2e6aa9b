import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import { z } from 'zod';

/** The parts of `package.json` that people are told. */
const Described = z.object({
  description: z.string(),
  homepage: z.string(),
  license: z.string(),
  /** Name, mail and address, as npm writes them. */
  author: z.string(),
});

/** Says what the About panel shows. Gives the address of the app's own site. */
export function describeApp(): { readonly homepage: string } {
  const file = join(app.getAppPath(), 'package.json');
  const { description, homepage, license, author } = Described.parse(
    JSON.parse(readFileSync(file, 'utf8')),
  );
  const [authors = ''] = author.split(' <');
  app.setAboutPanelOptions({
    applicationName: app.name,
    applicationVersion: app.getVersion(),
    // macOS would show the build of Electron here.
    version: '',
    copyright: `© ${authors}. ${license} license.`,
    credits: description,
    authors: [authors],
    website: homepage,
    iconPath: join(import.meta.dirname, 'icons', 'app.png'),
  });
  return { homepage };
}

/** Shows the About panel in front of the other programs. */
export function showAbout(): void {
  app.focus({ steal: true });
  app.showAboutPanel();
}
