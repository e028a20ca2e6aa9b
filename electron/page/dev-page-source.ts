import type { PageSource } from './page-source.ts';

/** The address of the development server that serves the page from its sources. */
const SERVER = process.env['GATEHOUSE_PAGE_SERVER'] ?? '';

/** Replaces `electron/page/page-source.ts` in an app under development: forwards all requests to the development server. */
export function openPageSource(): PageSource {
  return async ({ method, url, headers }) => {
    const { pathname, search } = new URL(url);
    const response = await fetch(`${SERVER}${pathname}${search}`, {
      method,
      headers: { accept: headers.get('accept') ?? '*/*' },
    });
    const responseHeaders = new Headers();
    for (const name of ['content-type', 'content-security-policy', 'cache-control']) {
      const value = response.headers.get(name);
      if (value !== null) responseHeaders.set(name, value);
    }
    return new Response(response.body, { status: response.status, headers: responseHeaders });
  };
}
