import type { Flag, IdField, NamesField, NumberField, TimeField } from './terms.ts';

/** A name of the language, and an example of a term with it. */
interface Described {
  readonly about: string;
  readonly example: string;
}

export const NAMES_FIELDS: Readonly<Record<NamesField, Described>> = {
  model: { about: 'Model that was sent or asked for', example: 'model:gpt*' },
  client: { about: 'Name of the client', example: 'client:"Claude Code"' },
  service: { about: 'Name or address of the service', example: 'service:sandbox' },
  route: { about: 'Kind of request', example: 'route:chat' },
  error: { about: 'Cause of a failure', example: 'error:rate_limit_exceeded' },
  repair: { about: 'Mistake that was repaired', example: 'repair:path-missing-v1' },
  program: { about: 'User agent of the request', example: 'program:curl*' },
  tool: { about: 'Tool that was called, where requests are kept', example: 'tool:bash' },
  tag: { about: 'Tag that you gave it', example: 'tag:bug' },
  note: { about: 'Text in your note', example: 'note:retry' },
  project: { about: 'Address of the repository', example: 'project:*acme/shop*' },
};

export const NUMBER_FIELDS: Readonly<Record<NumberField, Described>> = {
  tokens: { about: 'Input and output tokens together', example: 'tokens>10k' },
  input: { about: 'Input tokens', example: 'input>10k' },
  output: { about: 'Output tokens', example: 'output>500' },
  cost: { about: 'Cost in your currency, where it is known', example: 'cost>0.05' },
  duration: { about: 'Time from the request to the end of the answer', example: 'duration>2s' },
};

export const TIME_FIELDS: Readonly<Record<TimeField, Described>> = {
  since: { about: 'Began at this time or later', example: 'since:2d' },
  until: { about: 'Began before the end of this time', example: 'until:2026-11-01' },
};

export const STATUS_FIELD: Described = { about: 'Status of the answer', example: 'status>=400' };
const BODY_FIELD: Described = {
  about: 'Words that stand together in the request or the response',
  example: 'body:"no such file"',
};
export const ID_FIELDS: Readonly<Record<IdField, Described>> = {
  id: { about: 'Beginning of the id', example: 'id:ex-19b2' },
  run: { about: 'Beginning of the id of the run', example: 'run:run-19b2' },
};

export const FLAGS: Readonly<Record<Flag, string>> = {
  answered: 'Was answered to the end',
  failed: 'Failed',
  left: 'Was left by its client before the end',
  repaired: 'Was repaired',
  stream: 'Was streamed',
  known: 'Had a valid local key',
  pinned: 'Is pinned',
  each: 'Each status check of a video on a row of its own',
};

/** All fields, in the order in which they are offered. */
export const FIELDS: Readonly<Record<string, Described>> = {
  ...NAMES_FIELDS,
  status: STATUS_FIELD,
  body: BODY_FIELD,
  ...NUMBER_FIELDS,
  ...TIME_FIELDS,
  ...ID_FIELDS,
};

export function isFlag(name: string): name is Flag {
  return Object.hasOwn(FLAGS, name);
}

export function isNamesField(name: string): name is NamesField {
  return Object.hasOwn(NAMES_FIELDS, name);
}

export function isNumberField(name: string): name is NumberField {
  return Object.hasOwn(NUMBER_FIELDS, name);
}

export function isIdField(name: string): name is IdField {
  return Object.hasOwn(ID_FIELDS, name);
}

export function isTimeField(name: string): name is TimeField {
  return Object.hasOwn(TIME_FIELDS, name);
}
