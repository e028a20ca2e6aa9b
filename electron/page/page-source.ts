import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openPageFiles } from '../../gateway/api/api.ts';

/** Answers requests for the page's own files. In development dev-page-source.ts is bundled instead of this module. */
export type PageSource = (request: Request) => Promise<Response>;

/** The files of the built page. No path of a request reaches the disk. */
export function openPageSource(): PageSource {
  const files = openPageFiles({ dir: join(import.meta.dirname, '..', 'ui'), randomBytes });
  return async ({ method, url }) => {
    const file = await files.get(new URL(url).pathname);
    if (typeof file === 'string') return new Response(null, { status: 404 });
    const body = method === 'HEAD' ? null : new Uint8Array(file.body);
    return new Response(body, { headers: { ...file.headers } });
  };
}
