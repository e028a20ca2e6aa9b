import { uploadFile, type Uploaded } from './form-upload.ts';
import { type Order, type OrderResult, placeOrder } from './submit-order.ts';
import { orderBody, type VideoForm } from '../repair/video-form.ts';
import type { UpstreamRequest } from '../../http/send.ts';
import type { ExchangeContext } from '../exchange-context.ts';

export interface FormOrder {
  readonly outgoing: UpstreamRequest;
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
  work: ExchangeContext,
): Promise<OrderResult> {
  const files = await uploadAll(asked, false, work);
  if (files.kind === 'refused') return refused(files, work);
  const first = await placeOrder(toOrder(asked, files.addresses, work), work);
  if (!files.reused || first.incoming.status !== 400 || work.draft.attempts === 0) return first;
  const again = await uploadAll(asked, true, work);
  if (again.kind === 'refused') return first;
  first.incoming.body.discard();
  return await placeOrder(toOrder(asked, again.addresses, work), work);
}

type AllUploaded =
  | { readonly kind: 'there'; readonly addresses: readonly string[]; readonly reused: boolean }
  | Extract<Uploaded, { kind: 'refused' }>;

async function uploadAll(
  { outgoing, form }: FormOrder,
  anew: boolean,
  work: ExchangeContext,
): Promise<AllUploaded> {
  const addresses: string[] = [];
  let reused = false;
  for (const file of form.files) {
    const uploaded = await uploadFile({ file, order: outgoing, anew }, work);
    if (uploaded.kind === 'refused') return uploaded;
    addresses.push(uploaded.address);
    reused ||= uploaded.reused;
  }
  return { kind: 'there', addresses, reused };
}

function toOrder(
  { outgoing, form, identity }: FormOrder,
  addresses: readonly string[],
  { draft }: ExchangeContext,
): Order {
  const body = orderBody(form, draft.modelSent, addresses);
  return { outgoing: { ...outgoing, body }, identity, shown: body, form: true };
}

/** The refusal of the upload is the answer: the record tells that this is what was asked of the service. */
function refused(
  { incoming }: Extract<Uploaded, { kind: 'refused' }>,
  { parts, draft }: ExchangeContext,
) {
  draft.attempts = 1;
  draft.pathSent = `${parts.target.basePath}/v1/files`;
  return { incoming, kept: null, taskId: null };
}
