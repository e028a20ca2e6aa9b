import type { Harness } from './harness.ts';
import type { RawAnswer } from '../net/raw-http.ts';
import { type RawRequest, sendRequest, type ClientTarget } from './request.ts';
import type { ArrivedRequest, ScriptedUpstream } from '../net/scripted-upstream.ts';

const BOUNDARY = 'a-boundary';

/** Uploads a picture through the gateway; the address as the sandbox gives it. */
export async function uploadPicture(harness: ClientTarget): Promise<string> {
  const body = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="cat.png"\r\n\r\npicture\r\n--${BOUNDARY}--\r\n`;
  const headers = [`content-type: multipart/form-data; boundary=${BOUNDARY}`];
  const answer = await sendRequest(harness, { path: '/v1/files', headers, body });
  const { file_url: url }: { file_url?: string } = JSON.parse(answer.body);
  if (url === undefined) throw new Error(`There is no address in ${answer.body}`);
  return url;
}

/** The body of a good order (spec section 4.6). */
export function orderBody(url: string, prompt = 'A cat turns its head. [scenario render-ms=0]') {
  return {
    model: 'h3',
    task: 'ref2va',
    prompt,
    seconds: '1',
    resolution: '480p',
    conditions: [{ type: 'image', url }],
  };
}

/** An order as a request. */
export function orderRequest(order: object | string, headers: readonly string[] = []): RawRequest {
  const body = typeof order === 'string' ? order : JSON.stringify(order);
  return { path: '/v1/videos', headers: ['content-type: application/json', ...headers], body };
}

/** Sends an order. */
export async function sendOrder(
  harness: ClientTarget,
  order: object | string,
  headers: readonly string[] = [],
): Promise<RawAnswer> {
  return await sendRequest(harness, orderRequest(order, headers));
}

/** The task that the sandbox made of an order. */
export function readTaskId({ body }: RawAnswer): string {
  const { task_id: id }: { task_id?: string } = JSON.parse(body);
  if (id === undefined) throw new Error(`There is no task in ${body}`);
  return id;
}

/** How many orders came to the sandbox, also those that it refused. */
export function countOrders({ sandbox }: Harness): number {
  return sandbox.requests.filter(({ method, url }) => method === 'POST' && url === '/v1/videos')
    .length;
}

/** The next request that orders something from a scripted service; what is asked about tasks meanwhile stays without an answer. */
export async function nextPost(upstream: Pick<ScriptedUpstream, 'next'>): Promise<ArrivedRequest> {
  for (;;) {
    const arrival = await upstream.next();
    if (arrival.head.startsWith('POST ')) return arrival;
  }
}

/** The targets of all requests that ordered something from a scripted service. */
export function postTargets({ arrivals }: Pick<ScriptedUpstream, 'arrivals'>): string[] {
  return arrivals.flatMap(({ head }) => /^POST (\S+)/u.exec(head)?.[1] ?? []);
}
