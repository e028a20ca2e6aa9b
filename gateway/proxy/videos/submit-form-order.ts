import { uploadFile, type Uploaded } from './form-upload.ts';
import { type Order, type OrderResult, placeOrder } from './submit-order.ts';
import { orderBody, type VideoForm } from '../repair/video-form.ts';
import type { UpstreamRequest } from '../../http/send.ts';
import type { ExchangeContext } from '../context.ts';

export interface FormOrder {
  readonly upstreamRequest: UpstreamRequest;
  readonly form: VideoForm;
  /** See `VideoOrder`. */
  readonly identity: string;
}

/**
 * Orders what a form asks for: its files are uploaded first. When the service refuses an order with a file that was uploaded some time
 * ago (400, so nothing is charged), the file may be gone there: it is uploaded once more and the order sent again.
 */
export async function placeFormOrder(
  asked: FormOrder,
  context: ExchangeContext,
): Promise<OrderResult> {
  const files = await uploadAll(asked, false, context);
  if (files.kind === 'refused') return refused(files, context);
  const first = await placeOrder(toOrder(asked, files.addresses, context), context);
  if (!files.reused || first.upstreamResponse.status !== 400 || context.inFlight.attempts === 0)
    return first;
  const again = await uploadAll(asked, true, context);
  if (again.kind === 'refused') return first;
  first.upstreamResponse.body.discard();
  return await placeOrder(toOrder(asked, again.addresses, context), context);
}

type AllUploaded =
  | { readonly kind: 'there'; readonly addresses: readonly string[]; readonly reused: boolean }
  | Extract<Uploaded, { kind: 'refused' }>;

async function uploadAll(
  { upstreamRequest, form }: FormOrder,
  anew: boolean,
  context: ExchangeContext,
): Promise<AllUploaded> {
  const addresses: string[] = [];
  let reused = false;
  for (const file of form.files) {
    const uploaded = await uploadFile({ file, order: upstreamRequest, anew }, context);
    if (uploaded.kind === 'refused') return uploaded;
    addresses.push(uploaded.address);
    reused ||= uploaded.reused;
  }
  return { kind: 'there', addresses, reused };
}

function toOrder(
  { upstreamRequest, form, identity }: FormOrder,
  addresses: readonly string[],
  { inFlight }: ExchangeContext,
): Order {
  const body = orderBody(form, inFlight.modelSent, addresses);
  return { outgoing: { ...upstreamRequest, body }, identity, shown: body, form: true };
}

/** The refusal of the upload is the answer: the record tells that this is what was asked of the service. */
function refused(
  { upstreamResponse }: Extract<Uploaded, { kind: 'refused' }>,
  { proxy, inFlight }: ExchangeContext,
) {
  inFlight.attempts = 1;
  inFlight.pathSent = `${proxy.target.basePath}/v1/files`;
  return { upstreamResponse, kept: null, taskId: null };
}
