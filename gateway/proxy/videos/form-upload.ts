import { Problem } from '../../../shared/problem.ts';
import { InFlightExchange } from '../in-flight-exchange.ts';
import { forward } from '../outbound/forward.ts';
import { withoutHeaders } from '../../http/headers.ts';
import { RESPONSE_RESERVE_BYTES, toStoredResponse, bufferBody } from './stored-response.ts';
import { orderNotSavedProblem } from './submit-order.ts';
import { toBaseUrl } from '../context.ts';
import type { FormFile } from '../repair/form-entries.ts';
import type { UpstreamResponse, UpstreamRequest } from '../../http/send.ts';
import type { ExchangeContext } from '../exchange-context.ts';

/** Where a file lies at the service now, or the service's refusal to take it. */
export type Uploaded =
  | { readonly kind: 'there'; readonly address: string; readonly reused: boolean }
  | { readonly kind: 'refused'; readonly incoming: UpstreamResponse };

export interface Upload {
  readonly file: FormFile;
  /** The order that it belongs to. */
  readonly order: UpstreamRequest;
  /** Whether it is uploaded even when it is there by all we know. */
  readonly anew: boolean;
}

/** What the upload says in its own words, or must not say. */
const NOT_ITS: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'idempotency-key',
]);

/** Uploads a reference file (spec section 4.5) unless it is there already. It is recorded as an exchange of its own. Throws Problem. */
export async function uploadFile(upload: Upload, work: ExchangeContext): Promise<Uploaded> {
  const { orders, target } = work.parts;
  const baseUrl = toBaseUrl(target);
  const { sha256 } = upload.file;
  const known = upload.anew ? null : await orders.uploadedUrl(baseUrl, sha256);
  if (known !== null) return { kind: 'there', address: known, reused: true };
  const draft = openDraft(work);
  try {
    return await send(upload, { ...work, draft });
  } catch (error) {
    if (work.call.gone.aborted) draft.endedBy = 'client';
    if (!(error instanceof Problem)) throw error;
    if (isService(error)) draft.endedBy = 'service';
    draft.errorCode = error.code;
    draft.errorMessage = error.message;
    if (!isService(error)) throw error;
    throw new Problem(
      error.code,
      'The reference file could not be uploaded to the service, so no video was ordered. Send the order again.',
      { cause: error },
    );
  } finally {
    work.parts.record(draft.toRecord(), draft.headerSnapshots);
  }
}

function isService({ code }: Problem): boolean {
  return code.startsWith('upstream_');
}

function openDraft({ parts, draft: order }: ExchangeContext): InFlightExchange {
  const startedAt = parts.now();
  const draft = new InFlightExchange({
    id: parts.ids.next(startedAt),
    startedAt,
    method: 'POST',
    path: '/v1/files',
    userAgent: order.userAgent,
    headers: null,
    redact: parts.redact,
  });
  draft.client = order.client;
  draft.conversation = order.conversation;
  draft.route = 'files';
  return draft;
}

async function send({ file, order }: Upload, work: ExchangeContext): Promise<Uploaded> {
  const { call, parts, draft, memory } = work;
  // The form that is sent is a copy of the file, and made by way of another.
  memory.grow(2 * file.bytes.length);
  const { type, body } = await multipart(file);
  const room = memory.prepay(RESPONSE_RESERVE_BYTES);
  draft.pathSent = `${parts.target.basePath}/v1/files`;
  draft.bytesIn = body.length;
  const outgoing = {
    ...order,
    path: draft.pathSent,
    method: 'POST',
    headers: [...withoutHeaders(order.headers, NOT_ITS), 'content-type', type],
    body,
  };
  const incoming = await forward(outgoing, { parts, draft, gone: call.gone, repeatable: true });
  draft.endedBy = 'service';
  draft.status = incoming.status;
  draft.headerSnapshots.answered = incoming.headers;
  if (incoming.status < 200 || incoming.status >= 300) return { kind: 'refused', incoming };
  const bytes = await bufferBody(incoming, { parts, memory: room });
  if (bytes === null) {
    incoming.body.discard();
    throw unclear();
  }
  draft.bytesOut = bytes.length;
  const kept = await toStoredResponse(incoming, bytes, { parts, memory: room });
  const mark = { bytes: file.bytes.length, sha256: file.sha256 };
  const answered = { baseUrl: toBaseUrl(parts.target), file: mark, answer: kept };
  const address = await parts.orders.storeUpload(answered, call.gone).catch((error: unknown) => {
    call.gone.throwIfAborted();
    throw orderNotSavedProblem(error, parts);
  });
  if (address === null) throw unclear();
  return { kind: 'there', address, reused: false };
}

async function multipart({ name, type, bytes }: FormFile): Promise<{ type: string; body: Buffer }> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(bytes)], name, { type }));
  const written = new Response(form);
  return {
    type: written.headers.get('content-type') ?? 'multipart/form-data',
    body: Buffer.from(await written.arrayBuffer()),
  };
}

function unclear(): Problem {
  return new Problem(
    'upload_unclear',
    'The reference file was uploaded, but Gatehouse cannot tell which part of the service’s answer is the file’s address, so no video was ordered. Make one video in the window under Videos and answer what it asks, or enter the place in Settings; then send this order again.',
  );
}
