import type { RepairCode } from '../../../../shared/exchange/repair.ts';

/** A mistake of clients or users, as a request on a raw socket, with the expected result. */
export interface Mistake {
  readonly name: string;
  /** Method and target. Here and below `{key}` is replaced by the local key, `{service}` by the service key. */
  readonly requestLine: string;
  /** The header lines with the credential; defaults to a valid one. `{basic}` is `user:{key}` in base64. */
  readonly credential?: readonly string[];
  /** All other header lines; defaults to JSON and a version. */
  readonly lines?: readonly string[];
  /** Defaults to a body that all text routes accept. `{file}` is the URL of an uploaded file. GET never has a body. */
  readonly body?: string | Buffer;
  /** Status of the answer; defaults to 200. */
  readonly status?: number;
  /** Codes in `x-gatehouse-repairs` and in the record, in their order. */
  readonly repairs: readonly RepairCode[];
  /** The request that the service received; absent parts equal those that were sent. */
  readonly arrives?: Arrival;
}

export interface Arrival {
  /** Path and query. */
  readonly target?: string;
  /** The values of some headers, by name in lower case; an empty list for a header that must be absent. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  /** A pattern for a body with random parts, decoded as latin1. */
  readonly body?: string | Buffer | RegExp;
}

/** A body that Chat Completions, Responses and Messages accept. Its unusual spacing shows whether it was rewritten. */
export const TEXT_BODY =
  '{ "model":"aurora/aurora-large",\n"messages" : [{"role":"user","content":"Hi \\u00e9 é"}], "input":"Hi", "max_tokens":9 }';

export const USUAL_LINES = ['Content-Type: application/json', 'anthropic-version: 2023-06-01'];
