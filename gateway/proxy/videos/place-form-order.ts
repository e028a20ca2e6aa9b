import { uploadFile, type Uploaded } from './form-upload.ts';
import { type Order, type OrderResult, placeOrder } from './place-order.ts';
import { orderBody, type VideoForm } from '../repair/body/video-form.ts';
import type { UpstreamRequest } from '../../http/send.ts';
import type { ExchangeContext } from '../context.ts';

export interface FormOrder {
  readonly upstreamRequest: UpstreamRequest;
  readonly form: VideoForm;
  /** See `VideoOrder`. */
  readonly identity: string;
}

/**
 * Places an order that came as a form, after its files are uploaded. When the service refuses an order that uses an earlier upload (400,
 * so nothing is charged), the file may be deleted there: it is uploaded once more and the order is sent again.
 */
export async function placeFormOrder(
  order: FormOrder,
  context: ExchangeContext,
): Promise<OrderResult> {
  const files = await uploadAll(order, false, context);
  if (files.kind === 'refused') return toRefusedOrder(files, context);
  const first = await placeOrder(toOrder(order, files.addresses, context), context);
  if (!files.reused || first.upstreamResponse.status !== 400 || context.inFlight.attempts === 0)
    return first;
  const uploadedAgain = await uploadAll(order, true, context);
  if (uploadedAgain.kind === 'refused') {
    uploadedAgain.upstreamResponse.body.discard();
    return first;
  }
  first.upstreamResponse.body.discard();
  return await placeOrder(toOrder(order, uploadedAgain.addresses, context), context);
}

type AllUploaded =
  | { readonly kind: 'uploaded'; readonly addresses: readonly string[]; readonly reused: boolean }
  | Extract<Uploaded, { kind: 'refused' }>;

async function uploadAll(
  { upstreamRequest, form }: FormOrder,
  force: boolean,
  context: ExchangeContext,
): Promise<AllUploaded> {
  const addresses: string[] = [];
  let reused = false;
  for (const file of form.files) {
    const uploaded = await uploadFile({ file, order: upstreamRequest, force }, context);
    if (uploaded.kind === 'refused') return uploaded;
    addresses.push(uploaded.address);
    reused ||= uploaded.reused;
  }
  return { kind: 'uploaded', addresses, reused };
}

function toOrder(
  { upstreamRequest, form, identity }: FormOrder,
  addresses: readonly string[],
  { inFlight }: ExchangeContext,
): Order {
  const body = orderBody(form, inFlight.modelSent, addresses);
  return { outgoing: { ...upstreamRequest, body }, identity, shown: body, form: true };
}

/** Makes the refusal of an upload the answer to the order. The record shows the upload as the request that was sent. */
function toRefusedOrder(
  { upstreamResponse }: Extract<Uploaded, { kind: 'refused' }>,
  { proxy, inFlight }: ExchangeContext,
) {
  inFlight.attempts = 1;
  inFlight.pathSent = `${proxy.target.basePath}/v1/files`;
  return { upstreamResponse, storedResponse: null, taskId: null };
}
