import type { Harness } from '../gateway/harness.ts';
import type { RawAnswer } from '../net/raw-http.ts';
import { type RawRequest, sendRequest, type ClientTarget } from '../gateway/request.ts';
import type { ArrivedRequest, ScriptedUpstream } from '../net/scripted-upstream.ts';

const BOUNDARY = 'a-boundary';

/** Uploads an image through the gateway; returns its address at the sandbox. */
export async function uploadPicture(harness: ClientTarget): Promise<string> {
  const body = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="cat.png"\r\n\r\npicture\r\n--${BOUNDARY}--\r\n`;
  const headers = [`content-type: multipart/form-data; boundary=${BOUNDARY}`];
  const answer = await sendRequest(harness, { path: '/v1/files', headers, body });
  const { file_url: url }: { file_url?: string } = JSON.parse(answer.body);
  if (url === undefined) throw new Error(`There is no address in ${answer.body}`);
  return url;
}

/** Builds the body of a valid order. */
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

/** Builds the request of an order. */
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

/** Returns the task that the sandbox created for an order. */
export function readTaskId({ body }: RawAnswer): string {
  const { task_id: id }: { task_id?: string } = JSON.parse(body);
  if (id === undefined) throw new Error(`There is no task in ${body}`);
  return id;
}

/** Returns the number of orders that reached the sandbox, including those that it rejected. */
export function countOrders({ sandbox }: Harness): number {
  return sandbox.requests.filter(({ method, url }) => method === 'POST' && url === '/v1/videos')
    .length;
}

/** Returns the next order that a scripted service receives; requests about tasks meanwhile stay unanswered. */
export async function nextPost(upstream: Pick<ScriptedUpstream, 'next'>): Promise<ArrivedRequest> {
  for (;;) {
    const arrival = await upstream.next();
    if (arrival.head.startsWith('POST ')) return arrival;
  }
}

/** Returns the targets of all orders that a scripted service received. */
export function postTargets({ arrivals }: Pick<ScriptedUpstream, 'arrivals'>): string[] {
  return arrivals.flatMap(({ head }) => /^POST (\S+)/u.exec(head)?.[1] ?? []);
}
