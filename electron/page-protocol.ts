import { protocol } from 'electron';
import type { PageFiles } from '../gateway/api/api.ts';
import type { MediaFiles } from './media-files.ts';

/** The scheme of the page. No other program of this machine can serve it. */
export const PAGE_SCHEME = 'app';
/** The origin of the page. */
export const PAGE_ORIGIN = `${PAGE_SCHEME}://ui`;

/** To be called once, before the app is ready. */
export function registerPageScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([{ scheme: PAGE_SCHEME, privileges }]);
}

/** Answers everything that the page asks of its origin. */
export function servePage(files: PageFiles, media: MediaFiles): void {
  protocol.handle(PAGE_SCHEME, async (request) => {
    const { host, pathname } = new URL(request.url);
    if (host !== 'ui' || request.method !== 'GET') return new Response(null, { status: 404 });
    if (pathname.startsWith('/media/')) return guarded(await media.answer(request));
    const file = await files.at(pathname);
    if (typeof file === 'string') return guarded(new Response(null, { status: 404 }));
    return guarded(new Response(new Uint8Array(file.body), { headers: { ...file.headers } }));
  });
}

function guarded(answer: Response): Response {
  answer.headers.set('x-content-type-options', 'nosniff');
  return answer;
}
