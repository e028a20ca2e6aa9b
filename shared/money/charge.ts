import { SANDBOX_ID } from '../sandbox-id.ts';

/** Words for the cost of everything that the sandbox does, in place of any about charges. */
export const NO_CHARGE = 'no charge (sandbox)';

/** The same words as a sentence. */
export const NO_CHARGE_SENTENCE = 'No charge (sandbox).';

/** Words beside an amount of the sandbox: what it would cost by the prices. */
export const NOT_CHARGED = 'sandbox, not charged';

/** Whether a service, by the id of an upstream, a video or an exchange, is the sandbox, which charges nothing. */
export function isFree(service: string | null): boolean {
  return service === SANDBOX_ID;
}
