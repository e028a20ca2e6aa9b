import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns a secret in every form in which a program may write it, by the name of the form. */
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
    // The first and the last characters also depend on their neighbours.
    const encoded = Buffer.from(`${before}${secret}`).toString('base64').replace(/=+$/, '');
    const core = encoded.slice(alignment === 0 ? 0 : alignment + 1, -1);
    forms.set(`base64, alignment ${alignment}`, core);
    forms.set(`base64url, alignment ${alignment}`, core.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return forms;
}

/** Returns the names of the forms in which a secret occurs in these bytes; none is expected. */
export function findLeaks(secret: string, bytes: Buffer): readonly string[] {
  return [...encodedForms(secret)].filter(([, form]) => bytes.includes(form)).map(([name]) => name);
}

/** Reads every file under a folder. */
export async function readFolder(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    // A temporary file of a database may have been removed meanwhile.
    const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    return bytes === null ? [] : [[path, bytes] as const];
  });
  return new Map((await Promise.all(read)).flat());
}
