/** Shape of error bodies in the caller's protocol: Messages adds `type: "error"` at the top level (its public protocol). */
export type ErrorShape = 'plain' | 'messages';

export interface RefusalDetails {
  readonly status: number;
  /** Machine code, for example `invalid_api_key`. */
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
};

/** An error response of the service. Thrown anywhere in the sandbox, sent in `exchange.ts`. */
export class RefusalError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(details: RefusalDetails) {
    super(details.message);
    this.name = 'RefusalError';
    this.status = details.status;
    this.code = details.code;
    this.headers = details.headers ?? {};
  }
}

/** Creates the most frequent refusal: 400 with code `invalid_request`. */
export function invalid(message: string): RefusalError {
  return new RefusalError({ status: 400, code: 'invalid_request', message });
}

/** Formats the error body of spec section 7. */
export function errorBody(refusal: RefusalError, shape: ErrorShape): object {
  const type = TYPES[refusal.status] ?? 'invalid_request_error';
  const error = { message: refusal.message, type, code: refusal.code };
  return shape === 'messages' ? { type: 'error', error } : { error };
}
