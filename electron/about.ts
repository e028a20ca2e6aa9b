import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { app } from 'electron';
import { z } from 'zod';
import type { Log } from '../gateway/host.ts';
import { describeFault } from '../host/log/describe-fault.ts';

/** The fields of `package.json` that people see. */
const Described = z.object({
  description: z.string(),
  homepage: z.string(),
  license: z.string(),
  /** Name, mail and address, in npm's format. */
  author: z.string(),
});

type Described = z.infer<typeof Described>;

/** Sets the contents of the About panel. Returns the address of the app's own site; `null` as long as it has none. */
export function describeApp(log: Log): { readonly site: string | null } {
  const described = readDescription(log);
  const site = described === null ? null : findSite(described);
  app.setAboutPanelOptions({
    applicationName: app.name,
    applicationVersion: app.getVersion(),
    // macOS would show Electron's build number here.
    version: '',
    iconPath: join(import.meta.dirname, 'icons', 'app.png'),
    ...(described === null ? {} : toPanelTexts(described)),
    ...(site === null ? {} : { website: site }),
  });
  return { site };
}

function readDescription(log: Log): Described | null {
  try {
    const file = join(app.getAppPath(), 'package.json');
    return Described.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    log('warn', 'The About panel shows name and version only.', { reason: describeFault(error) });
    return null;
  }
}

function toPanelTexts({ author, license, description }: Described) {
  const [authors = ''] = author.split(' <');
  return {
    copyright: `© ${authors}. ${license} license.`,
    credits: description,
    authors: [authors],
  };
}

/** Addresses below `example` belong to nobody (RFC 2606); the package names one of them until there is a site. */
function findSite({ homepage }: Described): string | null {
  if (!URL.canParse(homepage)) return null;
  return new URL(homepage).hostname.endsWith('.example') ? null : homepage;
}

/** Shows the About panel in front of the other programs. */
export function showAbout(): void {
  app.focus({ steal: true });
  app.showAboutPanel();
}
