/** Id of the built-in sandbox as an upstream. It always exists and needs no key. */
export const SANDBOX_ID = 'sandbox';
