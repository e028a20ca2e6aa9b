import type { IncomingHttpHeaders } from 'node:http';
import type { Account } from './account.ts';
import type { FieldNames } from './fields.ts';
import type { UploadedFile } from './uploaded-file.ts';
import { type JsonObject, optionalFlag } from './json.ts';
import type { Scenario } from './scenarios/scenario.ts';

/** One admitted request, as a route sees it. */
export interface Call {
  readonly headers: IncomingHttpHeaders;
  /** What the path names after its fixed part (a model or task id); empty where it names nothing. */
  readonly parameter: string;
  /** The JSON body; empty on routes without one. */
  readonly body: JsonObject;
  readonly upload: UploadedFile | undefined;
  readonly scenario: Scenario;
  readonly fields: FieldNames;
  readonly account: Account;
}

/** Whether a text request gets an event stream. */
export function wantsStream({ body, scenario }: Call): boolean {
  return optionalFlag(body, 'stream') && !scenario.ignoresStream;
}
