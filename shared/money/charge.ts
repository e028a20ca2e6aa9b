import { SANDBOX_ID } from '../sandbox-id.ts';

/** Words for the cost of everything that the sandbox does, in place of any about charges. */
export const NO_CHARGE = 'no charge (sandbox)';

/** The same words as a sentence. */
export const NO_CHARGE_SENTENCE = 'No charge (sandbox).';

/** Whether a service, by the id of an upstream, a video or an exchange, is the sandbox, which charges nothing. */
export function isFree(service: string | null): boolean {
  return service === SANDBOX_ID;
}
