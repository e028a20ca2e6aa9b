import type { IncomingHttpHeaders } from 'node:http';
import type { Account } from './account.ts';
import type { FieldNames } from './fields.ts';
import type { UploadedFile } from './files.ts';
import { type JsonObject, optionalFlag } from './json.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** One authorized request, as passed to a route. */
export interface Call {
  readonly headers: IncomingHttpHeaders;
  /** The path parameter (a model or task id); empty on routes without one. */
  readonly parameter: string;
  /** The JSON body; empty on routes without one. */
  readonly body: JsonObject;
  readonly upload: UploadedFile | undefined;
  readonly scenario: Scenario;
  readonly fields: FieldNames;
  readonly account: Account;
}

/** Whether a text request is answered with an event stream. */
export function wantsStream({ body, scenario }: Call): boolean {
  return optionalFlag(body, 'stream') && !scenario.ignoresStream;
}
