import zlib from 'node:zlib';
import { type Mistake, TEXT_BODY, USUAL_LINES } from './mistake.ts';

const CHAT = 'POST /v1/chat/completions';
const MESSAGES = 'POST /v1/messages';
const FILES = 'POST /v1/files';
const JSON_TYPE = { 'content-type': ['application/json'] };

/** Content types that JSON was sent with. */
const JSON_TYPES: readonly (readonly string[])[] = [
  [],
  ['Content-Type: text/plain'],
  ['Content-Type: application/x-www-form-urlencoded'],
  ['Content-Type: application/octet-stream'],
  ['Content-Type:'],
  ['Content-Type: json'],
  ['Content-Type: multipart/form-data'],
  ['Content-Type: application/json', 'Content-Type: text/plain'],
];

const FORM = [
  '--the-boundary',
  'Content-Disposition: form-data; name="file"; filename="cat.png"',
  'Content-Type: image/png',
  '',
  'not really a picture',
  '--the-boundary--',
  '',
].join('\r\n');

/** Content types that an upload was sent with. */
const FORM_TYPES: readonly (readonly string[])[] = [
  ['Content-Type: application/json'],
  [],
  ['Content-Type: multipart/form-data'],
  ['Content-Type: multipart/form-data; boundary=another'],
];

/** Names of content codings, and a body packed that way. */
const PACKED: readonly (readonly [coding: string, pack: (plain: string) => Buffer])[] = [
  ['gzip', (plain) => zlib.gzipSync(plain)],
  ['GZIP', (plain) => zlib.gzipSync(plain)],
  ['x-gzip', (plain) => zlib.gzipSync(plain)],
  ['deflate', (plain) => zlib.deflateSync(plain)],
  ['deflate', (plain) => zlib.deflateRawSync(plain)],
  ['br', (plain) => zlib.brotliCompressSync(plain)],
  ['zstd', (plain) => zlib.zstdCompressSync(plain)],
  ['gzip, br', (plain) => zlib.brotliCompressSync(zlib.gzipSync(plain))],
];

/** Version headers of a Messages request that stay as they are. */
const VERSIONS = [
  'anthropic-version: 2023-06-01',
  'Anthropic-Version: 2026-10-21',
  'acme-version: 2024-01-01',
];

const VERSION_ADDED: Mistake = {
  name: 'a Messages request without a version header',
  ask: MESSAGES,
  lines: ['Content-Type: application/json'],
  repairs: ['version-added'],
  arrives: { headers: { 'anthropic-version': ['2023-06-01'] } },
};

/** Headers that do not fit the body, bodies that are packed, and versions of the Messages protocol. */
export const HEADERS: readonly Mistake[] = [
  ...JSON_TYPES.map((lines): Mistake => ({
    name: `JSON with ${lines.join(' | ') || 'no content type'}`,
    ask: CHAT,
    lines,
    repairs: ['content-type-json'],
    arrives: { headers: JSON_TYPE },
  })),
  {
    name: 'JSON with a parameter in its type stays',
    ask: CHAT,
    lines: ['Content-Type: application/json ; charset=UTF-8'],
    repairs: [],
    arrives: { headers: { 'content-type': ['application/json ; charset=UTF-8'] } },
  },
  ...FORM_TYPES.map((lines): Mistake => ({
    name: `an upload with ${lines.join(' | ') || 'no content type'}`,
    ask: FILES,
    lines,
    body: FORM,
    repairs: ['content-type-multipart'],
    arrives: { headers: { 'content-type': ['multipart/form-data; boundary=the-boundary'] } },
  })),
  {
    name: 'an upload with its proper type stays',
    ask: FILES,
    lines: ['Content-Type: multipart/form-data; boundary="the-boundary"'],
    body: FORM,
    repairs: [],
  },
  ...PACKED.map(([coding, pack]): Mistake => ({
    name: `JSON packed as ${coding}`,
    ask: CHAT,
    lines: [...USUAL_LINES, `Content-Encoding: ${coding}`],
    body: pack(TEXT_BODY),
    repairs: ['body-decoded'],
    arrives: { body: TEXT_BODY, headers: { 'content-encoding': [] } },
  })),
  {
    name: 'packed JSON without a content type',
    ask: CHAT,
    lines: ['Content-Encoding: zstd'],
    body: zlib.zstdCompressSync(TEXT_BODY),
    repairs: ['body-decoded', 'content-type-json'],
    arrives: { body: TEXT_BODY, headers: { ...JSON_TYPE, 'content-encoding': [] } },
  },
  {
    name: 'a packed upload',
    ask: FILES,
    lines: ['Content-Type: multipart/form-data; boundary=the-boundary', 'Content-Encoding: gzip'],
    body: zlib.gzipSync(FORM),
    repairs: ['body-decoded'],
    arrives: { body: FORM, headers: { 'content-encoding': [] } },
  },
  VERSION_ADDED,
  {
    ...VERSION_ADDED,
    name: 'token counting without a version header',
    ask: 'POST /v1/messages/count_tokens',
  },
  {
    name: 'a version header outside the Messages protocol is not asked for',
    ask: CHAT,
    lines: ['Content-Type: application/json'],
    repairs: [],
    arrives: { headers: { 'anthropic-version': [] } },
  },
  ...VERSIONS.map((line): Mistake => {
    const [name = '', value = ''] = line.split(': ');
    return {
      name: `${line} stays`,
      ask: MESSAGES,
      lines: ['Content-Type: application/json', line],
      repairs: [],
      arrives: { headers: { [name.toLowerCase()]: [value] } },
    };
  }),
  {
    name: 'beta headers stay, however many',
    ask: `${MESSAGES}?beta=true`,
    lines: [...USUAL_LINES, 'anthropic-beta: one-2025-01-01,two', 'Anthropic-Beta:  three , four'],
    repairs: [],
    arrives: { headers: { 'anthropic-beta': ['one-2025-01-01,two', 'three , four'] } },
  },
];
