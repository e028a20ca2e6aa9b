import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A secret in every form that a program may write it in, by the name of the form. */
export function encodedForms(secret: string): ReadonlyMap<string, string> {
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  const forms = new Map([
    ['plain', secret],
    ['JSON', json],
    ['JSON in JSON', JSON.stringify(json).slice(1, -1)],
    ['percent', percent],
    ['percent in lower case', percent.replace(/%../g, (octet) => octet.toLowerCase())],
    ['hex', Buffer.from(secret).toString('hex')],
  ]);
  for (const [alignment, before] of ['', 'x', 'xx'].entries()) {
    // The first and the last characters also depend on the neighbours.
    const encoded = Buffer.from(`${before}${secret}`).toString('base64').replace(/=+$/, '');
    const core = encoded.slice(alignment === 0 ? 0 : alignment + 1, -1);
    forms.set(`base64, alignment ${alignment}`, core);
    forms.set(`base64url, alignment ${alignment}`, core.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

/** The names of the forms in which a secret stands in these bytes; none is good. */
export function findLeaks(secret: string, bytes: Buffer): readonly string[] {
  return [...encodedForms(secret)].filter(([, form]) => bytes.includes(form)).map(([name]) => name);
}

/** Every file under a folder with its bytes. */
export async function readFolder(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    // A side file of a database may be gone by now.
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return bytes === null ? [] : [[path, bytes] as const];
  });
  return new Map((await Promise.all(read)).flat());
}
