import { protocol } from 'electron';
import { isMediaPath } from '../../gateway/api/api.ts';
import { streamFile } from '../file-stream.ts';
import type { Native } from '../native.ts';
import type { PageSource } from './page-source.ts';

/** The scheme of the page. No other program of this machine can serve it. */
const PAGE_SCHEME = 'app';
const PAGE_HOST = 'ui';
/** The origin of the page. */
export const PAGE_ORIGIN = `${PAGE_SCHEME}://${PAGE_HOST}`;

/** Registers the scheme. Has to be called once, before the app is ready. */
export function registerPageScheme(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([{ scheme: PAGE_SCHEME, privileges }]);
}

/** Answers all requests of the page to its origin. No path of a request reaches the disk: each is looked up in a table. */
export function servePage(source: PageSource, { mediaAt }: Pick<Native, 'mediaAt'>): void {
  protocol.handle(PAGE_SCHEME, async (request) => {
    const answer = await answerTo(request, source, mediaAt);
    answer.headers.set('x-content-type-options', 'nosniff');
    return answer;
  });
}

async function answerTo(
  request: Request,
  source: PageSource,
  mediaAt: Native['mediaAt'],
): Promise<Response> {
  const { method, headers, url } = request;
  const { host, pathname: path, search } = new URL(url);
  if (host !== PAGE_HOST) return new Response(null, { status: 404 });
  if (method !== 'GET' && method !== 'HEAD') return new Response(null, { status: 405 });
  if (isMediaPath(path)) {
    const range = headers.get('range') ?? undefined;
    const ifRange = headers.get('if-range') ?? undefined;
    const found = await mediaAt({ method, range, ifRange, path, query: search.slice(1) });
    if (found === null) return new Response(null, { status: 404 });
    const length = Number(found.headers['content-length']);
    const body = found.body === null ? null : streamFile(found.body, length);
    return new Response(body, { status: found.status, headers: { ...found.headers } });
  }
  return await source(request);
}
