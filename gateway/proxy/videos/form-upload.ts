import { Problem } from '../../../shared/problem.ts';
import { InFlightExchange } from '../in-flight-exchange.ts';
import { forward } from '../outbound/forward.ts';
import { toAbortSignal } from '../../http/cancel-signal.ts';
import { withoutHeaders } from '../../http/headers.ts';
import { RESPONSE_RESERVE_BYTES, storeResponse } from './stored-response.ts';
import { orderNotSavedProblem } from './place-order.ts';
import { toBaseUrl, type ExchangeContext } from '../context.ts';
import type { FormFile } from '../repair/body/form-entries.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';

/** The address of an uploaded file at the service, or the service's refusal. */
export type Uploaded =
  | { readonly kind: 'uploaded'; readonly address: string; readonly reused: boolean }
  | { readonly kind: 'refused'; readonly upstreamResponse: UpstreamResponse };

export interface Upload {
  readonly file: FormFile;
  /** The order that it belongs to. */
  readonly order: UpstreamRequest;
  /** Whether it is uploaded although an earlier upload is known. */
  readonly force: boolean;
}

/** Headers of the order that are not copied to the upload. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'idempotency-key',
]);

/** Uploads a reference file (spec section 4.5) unless an earlier upload is known. Records it as a separate exchange. @throws Problem */
export async function uploadFile(upload: Upload, context: ExchangeContext): Promise<Uploaded> {
  const { orders, target } = context.proxy;
  const baseUrl = toBaseUrl(target);
  const { sha256 } = upload.file;
  const known = upload.force ? null : await orders.uploadedUrl(baseUrl, sha256);
  if (known !== null) return { kind: 'uploaded', address: known, reused: true };
  const inFlight = createInFlightExchange(context);
  try {
    return await send(upload, { ...context, inFlight });
  } catch (error) {
    if (context.call.signal.aborted) inFlight.endedBy = 'client';
    if (!(error instanceof Problem)) throw error;
    if (isServiceError(error)) inFlight.endedBy = 'service';
    inFlight.errorCode = error.code;
    inFlight.errorMessage = error.message;
    if (!isServiceError(error)) throw error;
    throw new Problem(
      error.code,
      'The reference file could not be uploaded to the service, so no video was ordered. Send the order again.',
      { cause: error },
    );
  } finally {
    context.proxy.record(inFlight.toRecord(), inFlight.headerSnapshots);
  }
}

function isServiceError({ code }: Problem): boolean {
  return code.startsWith('upstream_');
}

function createInFlightExchange({ proxy, inFlight: order }: ExchangeContext): InFlightExchange {
  const startedAt = proxy.now();
  const inFlight = new InFlightExchange({
    id: proxy.ids.next(startedAt),
    startedAt,
    method: 'POST',
    service: order.service,
    path: '/v1/files',
    userAgent: order.userAgent,
    headers: null,
    redact: proxy.redact,
  });
  inFlight.client = order.client;
  inFlight.conversation = order.conversation;
  inFlight.route = 'files';
  return inFlight;
}

async function send({ file, order }: Upload, context: ExchangeContext): Promise<Uploaded> {
  const { call, proxy, inFlight, memory } = context;
  // Building the form takes two copies of the file.
  memory.grow(2 * file.bytes.length);
  const { type, body } = await toMultipart(file);
  const reserved = memory.prepay(RESPONSE_RESERVE_BYTES);
  inFlight.pathSent = `${proxy.target.basePath}/v1/files`;
  inFlight.bytesIn = body.length;
  const outgoing = {
    ...order,
    path: inFlight.pathSent,
    method: 'POST',
    headers: [...withoutHeaders(order.headers, NOT_COPIED), 'content-type', type],
    body,
  };
  const upstreamResponse = await forward(outgoing, {
    proxy,
    inFlight,
    signal: call.signal,
    retryable: true,
  });
  inFlight.endedBy = 'service';
  inFlight.status = upstreamResponse.status;
  inFlight.headerSnapshots.answered = upstreamResponse.headers;
  if (upstreamResponse.status < 200 || upstreamResponse.status >= 300)
    return { kind: 'refused', upstreamResponse };
  const stored = await storeResponse(upstreamResponse, { proxy, memory: reserved });
  if (stored === null) {
    upstreamResponse.body.discard();
    throw unclearUploadProblem();
  }
  inFlight.bytesOut = stored.bytesReceived;
  const mark = { bytes: file.bytes.length, sha256: file.sha256 };
  const answered = { baseUrl: toBaseUrl(proxy.target), file: mark, answer: stored.storedResponse };
  const address = await proxy.orders
    .storeUpload(answered, toAbortSignal(call.signal))
    .catch((error: unknown) => {
      call.signal.throwIfAborted();
      throw orderNotSavedProblem(error, proxy);
    });
  if (address === null) throw unclearUploadProblem();
  return { kind: 'uploaded', address, reused: false };
}

async function toMultipart({
  name,
  type,
  bytes,
}: FormFile): Promise<{ type: string; body: Buffer }> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(bytes)], name, { type }));
  const written = new Response(form);
  return {
    type: written.headers.get('content-type') ?? 'multipart/form-data',
    body: Buffer.from(await written.arrayBuffer()),
  };
}

function unclearUploadProblem(): Problem {
  return new Problem(
    'upload_unclear',
    'The reference file was uploaded, but Gatehouse cannot tell which part of the service’s answer is the file’s address, so no video was ordered. Create one video in the window under Videos and answer the question there, or enter the field in Settings; then send this order again.',
  );
}
