import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendErrorBody } from './http-responses.ts';
import { openPageFiles, type PageFile, type PageOptions } from './page-files.ts';

/** Serves the built page over HTTP. */
export interface Page {
  /** Responds to a GET or HEAD of a path. A path that names no file is a route of the page itself. */
  handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
}

export function createPage(options: PageOptions): Page {
  const files = openPageFiles(options);
  return {
    async handle(request, response, path) {
      const file = await files.get(path);
      if (file === 'missing')
        return sendErrorBody(response, 404, 'Nothing was found at this address.');
      if (file === 'unbuilt') return sendNotBuilt(response);
      sendFile(request, response, file);
    },
  };
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: PageFile): void {
  const { headers, body, etag } = file;
  if (etag !== undefined) response.setHeader('etag', etag);
  if (etag !== undefined && request.headers['if-none-match'] === etag) {
    response.setHeader('cache-control', headers['cache-control'] ?? 'no-cache');
    response.writeHead(304).end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-length': body.length });
  response.end(body);
}

function sendNotBuilt(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'text/html; charset=utf-8' });
  response.end(NOT_BUILT);
}

const NOT_BUILT = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Gatehouse</title>
<h1>The window is not built yet</h1>
<p>Gatehouse is running, and your clients can use it. Only its window is missing.</p>
<p>Build it in the folder of Gatehouse, then load this page again:</p>
<pre>npm run build:ui</pre>
</html>
`;
