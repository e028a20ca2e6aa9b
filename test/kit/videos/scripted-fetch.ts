import type { DownloadResult } from '../../../gateway/videos/service/types.ts';
import {
  openVideoServiceTestBed,
  type VideoServiceTestBed,
  type VideoServiceTestBedOptions,
} from './video-service-test-bed.ts';
import {
  type ArrivedRequest,
  openUpstream,
  type ScriptedUpstream,
} from '../net/scripted-upstream.ts';

/** A video service client, its service, and the server to which the service redirects downloads. */
export interface ScriptedFetch extends AsyncDisposable {
  readonly service: ScriptedUpstream;
  readonly media: ScriptedUpstream;
  readonly bench: VideoServiceTestBed;
  /** Redirects to the second server and returns the request that arrives there. */
  redirected(): Promise<ArrivedRequest>;
}

export async function startScriptedFetch(
  options: Partial<VideoServiceTestBedOptions> = {},
): Promise<ScriptedFetch> {
  await using opened = new AsyncDisposableStack();
  const service = opened.use(await openUpstream());
  const media = opened.use(await openUpstream());
  const bench = opened.use(await openVideoServiceTestBed({ url: service.url, ...options }));
  const all = opened.move();
  return {
    service,
    media,
    bench,
    redirected: async () => {
      (await service.next()).connection.send(redirectTo(`${media.url}/v.mp4?signed=1`));
      return await media.next();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

export function redirectTo(location: string): string {
  return `HTTP/1.1 302 Found\r\nlocation: ${location}\r\ncontent-length: 0\r\n\r\n`;
}

/** Builds the head of a response that sends a file from a byte on. */
export function rangeHead(file: Buffer, from = 0, headers: readonly string[] = []): string {
  const first =
    from === 0
      ? ['HTTP/1.1 200 OK']
      : ['HTTP/1.1 206 Partial', `content-range: bytes ${from}-${file.length - 1}/${file.length}`];
  return [...first, ...headers, `content-length: ${file.length - from}`, '', ''].join('\r\n');
}

/** Sends a file, or the remaining part that is requested. */
export function sendRemainingFile(
  arrival: ArrivedRequest,
  file: Buffer,
  headers: readonly string[] = [],
): void {
  const from = rangeStart(arrival);
  arrival.connection.send(rangeHead(file, from, headers));
  arrival.connection.send(file.subarray(from));
}

/** Returns the first byte of the file that a request wants. */
export function rangeStart({ head }: ArrivedRequest): number {
  return Number(/^range: bytes=(\d+)-$/im.exec(head)?.[1] ?? 0);
}

export function requireSaved(fetched: DownloadResult): Extract<DownloadResult, { kind: 'saved' }> {
  if (fetched.kind !== 'saved') throw new Error(`${fetched.kind}: ${fetched.sentence}`);
  return fetched;
}

interface Cut {
  readonly file: Buffer;
  readonly at: number;
  readonly headers?: readonly string[];
}

/** Fetches a file whose download is cut after this many bytes. */
export async function cutOff(scripted: ScriptedFetch, cut: Cut): Promise<DownloadResult> {
  const { file, at, headers = [] } = cut;
  const fetching = scripted.bench.fetch();
  const { connection } = await scripted.redirected();
  connection.send(rangeHead(file, 0, headers));
  connection.send(file.subarray(0, at));
  connection.socket.end();
  return await fetching;
}
