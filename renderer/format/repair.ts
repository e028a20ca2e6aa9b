import { pluralize } from '../../shared/format.ts';
import type { Repair, RepairCode } from '../../shared/exchange/repair.ts';
import { isCorrection } from '../../shared/exchange/outcome.ts';
import { repairTitle } from '../../shared/exchange/repair-title.ts';

/** A part of a sentence; `value` is a quoted value, to be set apart. */
export type TextPiece = string | { readonly value: string };

type DescribeRepair = (who: string, before: string, after: string) => readonly TextPiece[];

const describePath: DescribeRepair = (who, before, after) => [
  `${who} asked for `,
  { value: before },
  '. Gatehouse sent it to ',
  { value: after },
  '.',
];

const describeCredential: DescribeRepair = (who, before, after) => [
  `${who} sent its key as `,
  { value: before },
  '. Gatehouse read it as ',
  { value: after },
  '.',
];

const describeContentType: DescribeRepair = (who, before, after) => [
  ...(before === ''
    ? [`${who} did not declare a content type`]
    : [`${who} declared its content as `, { value: before }]),
  '. Gatehouse declared it as ',
  { value: after },
  '.',
];

const DESCRIPTIONS: Readonly<Record<RepairCode, DescribeRepair>> = {
  'path-doubled': describePath,
  'path-missing-v1': describePath,
  'path-prefix': describePath,
  'path-case': describePath,
  'path-encoding': describePath,
  'path-slashes': describePath,
  'path-spaces': describePath,
  'credential-format': describeCredential,
  'credential-place': describeCredential,
  'credential-conflict': (who, before, after) => [
    `${who} sent `,
    { value: before },
    '. Gatehouse took the key in ',
    { value: after },
    '.',
  ],
  'service-key-sent': (who) => [
    `${who} sent the service key instead of a local key. Gatehouse accepted it.`,
  ],
  'version-added': (who, _before, after) => [
    `${who} did not send a protocol version. Gatehouse added `,
    { value: after },
    '.',
  ],
  'version-format': (who, before, after) => [
    `${who} sent the protocol version `,
    { value: before },
    '. Gatehouse wrote ',
    { value: after },
    '.',
  ],
  'content-type-json': describeContentType,
  'content-type-multipart': describeContentType,
  'upload-form': (who) => [
    `${who} sent an image without a form. Gatehouse added the form that the service expects.`,
  ],
  'upload-part': (who, before, after) => [
    `${who} described a part of its form with `,
    { value: before },
    '. Gatehouse wrote ',
    { value: after },
    '.',
  ],
  'byte-order-mark': (who) => [
    `${who} put a byte order mark before its JSON. Gatehouse removed it.`,
  ],
  'body-decoded': (who, before) => [
    `${who} compressed its request with `,
    { value: before },
    '. Gatehouse decompressed it.',
  ],
  'model-alias': (who, before, after) => [
    `${who} asked for the model `,
    { value: before },
    '. By an alias, Gatehouse asked the service for ',
    { value: after },
    '.',
  ],
  'model-id': (who, before, after) => [
    `${who} asked for the model `,
    { value: before },
    '. Gatehouse asked the service for ',
    { value: after },
    '.',
  ],
  'prompt-to-messages': (who, before, after) => [
    `${who} sent `,
    { value: before },
    '. Gatehouse sent it on as ',
    { value: after },
    '.',
  ],
  'seconds-to-string': (who, before, after) => [
    `${who} sent the seconds as `,
    { value: before },
    '. Gatehouse sent them as ',
    { value: after },
    '.',
  ],
  'video-form-to-json': (who, before, after) => [
    `${who} ordered a video by `,
    { value: before },
    '. Gatehouse converted it to JSON, with ',
    { value: after },
    '.',
  ],
  'video-id-added': (_who, _before, after) => [
    'The service names the task in a field of its own. Gatehouse added ',
    { value: after },
    '.',
  ],
  'stream-options-removed': (who) => [
    `${who} sent `,
    { value: 'stream_options' },
    ', which the model refuses. Gatehouse removed it.',
  ],
  'cache-reason-asked': (_who, _before, after) => [
    'Gatehouse asked the service why its prompt cache missed, as set for the service: ',
    { value: after },
    '.',
  ],
  'models-wrapper': () => ['Gatehouse unwrapped the model list of the service.'],
  'model-suggestion': (who, before, after) => [
    `${who} asked for the model `,
    { value: before },
    ', which the service does not know. Gatehouse suggested ',
    { value: after },
    '.',
  ],
  'stream-decoded': () => ['The service compressed its stream. Gatehouse decompressed it.'],
  'model-from-list': (_who, _before, after) => [
    'The service has no endpoint for a single model. Gatehouse answered from its list: ',
    { value: after },
    '.',
  ],
  'tokens-estimated': (_who, _before, after) => [
    'The service counts no tokens. Gatehouse answered with an estimate: ',
    { value: after },
    '.',
  ],
  'redirect-followed': (_who, _before, after) => [
    'Gatehouse fetched the video from ',
    { value: after },
    ' for the client.',
  ],
  'key-redacted': () => ['The answer contained a secret key. Gatehouse removed it.'],
  held: (_who, before, after) => [
    'A person let this request wait for ',
    { value: before },
    '. It went on ',
    { value: after },
    '.',
  ],
};

/** Describes what was requested and how Gatehouse changed it. `clientName` is `null` for a client without a name. */
export function describeRepair(repair: Repair, clientName: string | null): readonly TextPiece[] {
  const who = clientName === null ? 'The client' : `“${clientName}”`;
  return DESCRIPTIONS[repair.code](who, repair.before, repair.after);
}

/** Summarizes repairs after a subject: `made 2 repairs`. A suggestion changes nothing, so it is not counted. `null` for none. */
export function summarizeRepairs(codes: readonly RepairCode[]): string | null {
  const suggested = codes.includes('model-suggestion') ? 'suggested a model' : null;
  const held = codes.includes('held') ? 'held it for a person' : null;
  const made = codes.filter(isCorrection).length;
  const repaired = made === 0 ? null : `made ${pluralize(made, 'repair')}`;
  return [repaired, suggested, held].filter((part) => part !== null).join(' and ') || null;
}

/** Describes the repairs of an exchange in one line; `null` when there is nothing to summarize. */
export function describeRepairs(codes: readonly RepairCode[]): string | null {
  const summary = summarizeRepairs(codes);
  if (summary === null) return null;
  // A question to the service belongs to none of what the summary names.
  const titles = codes.filter((code) => code !== 'cache-reason-asked').map(repairTitle);
  return `Gatehouse ${summary}: ${titles.join('; ')}`;
}

/** Returns the value that the advice says to enter in the client; `null` when it names none. */
export function advisedValue({
  code,
  after,
  advice,
}: Pick<Repair, 'code' | 'advice'> & { readonly after?: string }): string | null {
  // For a doubled /v1 the advice names two mistakes, and only one of them has this address.
  if (advice.startsWith('The path has /v1 ')) return null;
  if (code.startsWith('path-')) return /https?:\/\/\S*[^\s.,]/u.exec(advice)?.[0] ?? null;
  const isCompleteValue = code === 'model-id' || code === 'version-added';
  return isCompleteValue && after !== undefined ? after : null;
}
