import type { RepairCode } from '../../../../shared/exchange/repair.ts';
import type { Mistake } from './mistake.ts';

/** Header lines with the key, and the repair codes for a Chat Completions request. */
type Row = readonly [credential: readonly string[], ...repairs: RepairCode[]];

/** Returns the UTF-8 bytes of a text as latin1 characters, as in a header line. */
function asUtf8(text: string): string {
  return Buffer.from(text).toString('latin1');
}

const FORMS: readonly Row[] = [
  [['Authorization: Bearer {key}']],
  [['authorization: bearer {key}'], 'credential-format'],
  [['AUTHORIZATION: BEARER {key}'], 'credential-format'],
  [['Authorization: Bearer{key}'], 'credential-format'],
  [['Authorization: Bearer Bearer {key}'], 'credential-format'],
  [['Authorization: bearer bearer {key}'], 'credential-format'],
  [['Authorization: {key}'], 'credential-format'],
  [['Authorization: Bearer "{key}"'], 'credential-format'],
  [['Authorization: "Bearer {key}"'], 'credential-format'],
  [["Authorization: Bearer '{key}'"], 'credential-format'],
  [['Authorization: Bearer <{key}>'], 'credential-format'],
  [['Authorization: Bearer    {key}'], 'credential-format'],
  [['Authorization: Bearer\t{key}'], 'credential-format'],
  [['Authorization: Bearer {key}\\r\\n'], 'credential-format'],
  [['Authorization: Bearer {key}\\n'], 'credential-format'],
  [['Authorization: Bearer: {key}'], 'credential-format'],
  [['Authorization: Authorization: Bearer {key}'], 'credential-format'],
  [['Authorization: Token {key}'], 'credential-format'],
  ...[
    '“{key}”',
    '‘{key}’',
    '„{key}“',
    '«{key}»',
    '\ufeff{key}',
    '\u200b{key}\u200b',
    '\u00a0{key}',
  ].map((pasted): Row => [[`Authorization: Bearer ${asUtf8(pasted)}`], 'credential-format']),
  [['Authorization: Bearer \u0093{key}\u0094'], 'credential-format'],
];

const PLACES: readonly Row[] = [
  [['x-api-key: {key}'], 'credential-place'],
  [['X-API-Key: Bearer {key}'], 'credential-format', 'credential-place'],
  [['api-key: {key}'], 'credential-place'],
  [['apikey: {key}'], 'credential-place'],
  [['x-goog-api-key: {key}'], 'credential-place'],
  [['X-Authorization: Bearer {key}'], 'credential-place'],
  [['X-Authorization: {key}'], 'credential-format', 'credential-place'],
  [[`x-api-key: ${asUtf8('\u200b“{key}”')}`], 'credential-format', 'credential-place'],
];

const SEVERAL: readonly Row[] = [
  [
    ['Authorization: Bearer sk-of-another-service', 'x-api-key: {key}'],
    'credential-place',
    'credential-conflict',
  ],
  [['Authorization: Bearer {key}', 'x-api-key: sk-of-another-service'], 'credential-conflict'],
  [['Authorization: Bearer {key}', 'x-api-key: {key}']],
  [['Authorization: Bearer {key}, Bearer {key}'], 'credential-format'],
  [['Authorization: Bearer {key}', 'Authorization: Bearer {key}'], 'credential-format'],
  [['Authorization: Bearer sk-old, Bearer {key}'], 'credential-format', 'credential-conflict'],
  [
    ['Authorization: Bearer sk-old', 'Authorization: Bearer {key}'],
    'credential-format',
    'credential-conflict',
  ],
  [
    ['Authorization: Bearer {service}', 'x-api-key: {key}'],
    'credential-place',
    'credential-conflict',
    'service-key-sent',
  ],
  [['Authorization: Bearer {key}', 'Proxy-Authorization: Basic secret']],
];

/** Keys in the URL, which never reach the service. */
const ADDRESSES: readonly (readonly [ask: string, target: string])[] = [
  ['POST /v1/chat/completions?key={key}', '/v1/chat/completions'],
  ['POST /v1/chat/completions?api_key={key}', '/v1/chat/completions'],
  ['POST /v1/chat/completions?api-key={key}', '/v1/chat/completions'],
  ['POST /v1/chat/completions?apikey={key}', '/v1/chat/completions'],
  ['POST /v1/chat/completions?b=2&access_token={key}', '/v1/chat/completions?b=2'],
  ['POST /v1/chat/completions?a=1&key={key}&b=%2F', '/v1/chat/completions?a=1&b=%2F'],
];

/** Credentials of Messages clients. */
const MESSAGES: readonly Row[] = [
  [['x-api-key: {key}']],
  [['Authorization: Bearer {key}']],
  [['x-api-key: Bearer {key}'], 'credential-format'],
  [['Authorization: Bearer sk-oauth-token', 'x-api-key: {key}'], 'credential-conflict'],
  [['x-api-key: sk-old', 'Authorization: Bearer {key}'], 'credential-conflict'],
];

const CHAT = 'POST /v1/chat/completions';

/** Keys in the wrong form or place, several keys, and invalid keys. */
export const CREDENTIALS: readonly Mistake[] = [
  ...[...FORMS, ...PLACES, ...SEVERAL].map(([credential, ...repairs]): Mistake => ({
    name: credential.join(' | '),
    requestLine: CHAT,
    credential,
    repairs,
  })),
  {
    name: 'Authorization: Basic, with the key as the password',
    requestLine: CHAT,
    credential: ['Authorization: Basic {basic}'],
    repairs: ['credential-format'],
  },
  ...ADDRESSES.map(([ask, target]): Mistake => ({
    name: ask,
    requestLine: ask,
    credential: [],
    repairs: ['credential-place'],
    arrives: { target },
  })),
  ...MESSAGES.map(([credential, ...repairs]): Mistake => ({
    name: `Messages: ${credential.join(' | ')}`,
    requestLine: 'POST /v1/messages',
    credential,
    repairs,
  })),
];
