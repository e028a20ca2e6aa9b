import type { RepairCode } from '../../../shared/repair.ts';

/** One thing that clients or their users get wrong, as a request on a raw socket, and what becomes of it. */
export interface Mistake {
  readonly name: string;
  /** Method and target. `{key}` stands for the local key here and below, `{service}` for the service key. */
  readonly ask: string;
  /** The header lines that carry the credential; the right one unless given. `{basic}` is `user:{key}` in base64. */
  readonly credential?: readonly string[];
  /** All other header lines; JSON and a version unless given. */
  readonly lines?: readonly string[];
  /** One that all text routes take, unless given. `{file}` is the address of an uploaded file. GET never has one. */
  readonly body?: string | Buffer;
  /** Status of the answer; 200 unless given. */
  readonly status?: number;
  /** Codes in `x-gatehouse-repairs` and in the record, in their order. */
  readonly repairs: readonly RepairCode[];
  /** What the service saw; a part that is left out was as it was sent. */
  readonly arrives?: Arrival;
}

export interface Arrival {
  /** Path and query. */
  readonly target?: string;
  /** The values of some headers, by name in small letters; an empty list for one that must not be there. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  /** A pattern for one with random parts, read as latin1. */
  readonly body?: string | Buffer | RegExp;
}

/** A body that Chat Completions, Responses and Messages all take. Its spacing is odd so that a rewritten one is noticed. */
export const TEXT_BODY =
  '{ "model":"aurora/aurora-large",\n"messages" : [{"role":"user","content":"Hi \\u00e9 é"}], "input":"Hi", "max_tokens":9 }';

export const USUAL_LINES = ['Content-Type: application/json', 'anthropic-version: 2023-06-01'];
