import zlib from 'node:zlib';
import { expect } from 'vitest';
import { type Mistake, TEXT_BODY, USUAL_LINES } from './mistake.ts';

const CHAT = 'POST /v1/chat/completions';
const MESSAGES = 'POST /v1/messages';
const FILES = 'POST /v1/files';
const JSON_TYPE = { 'content-type': ['application/json'] };

/** Wrong content types of JSON. */
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

/** Wrong content types of an upload. */
const FORM_TYPES: readonly (readonly string[])[] = [
  ['Content-Type: application/json'],
  [],
  ['Content-Type: multipart/form-data'],
  ['Content-Type: multipart/form-data; boundary=another'],
];

/** Names of content codings, with a body compressed by each. */
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

/** Version headers of a Messages request that are not changed. */
const VERSIONS = [
  'anthropic-version: 2023-06-01',
  'Anthropic-Version: 2026-10-21',
  'acme-version: 2024-01-01',
];

/** Versions that are not valid dates, with the repaired ones. */
const WRONG_VERSIONS: readonly (readonly [line: string, version: string])[] = [
  ['anthropic-version: 2023/06/01', '2023-06-01'],
  ['anthropic-version: "2023-06-01"', '2023-06-01'],
  ["Anthropic-Version: '2024-10-22'", '2024-10-22'],
  ['anthropic-version: v1', '2023-06-01'],
  ['anthropic-version:', '2023-06-01'],
];

/** The first bytes of an image (PNG specification, section 5.2), and arbitrary further bytes. */
const IMAGE = Buffer.from(
  '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\b\x06\0\0\0',
  'latin1',
);
const WRAPPED_IMAGE =
  /^--(\w+)\r\nContent-Disposition: form-data; name="file"; filename="image\.png"\r\nContent-Type: image\/png\r\n\r\n\x89PNG[^]*\r\n--\1--\r\n$/;

/** Content types of an image that is sent without a form. */
const IMAGE_TYPES: readonly (readonly string[])[] = [
  ['Content-Type: image/png'],
  ['Content-Type: application/octet-stream'],
  ['Content-Type: application/x-www-form-urlencoded'],
  ['Content-Type: application/json'],
  [],
];

/** Wrong names of the file's part, with the spaces that keep the length of the form. */
const PART_NAMES = ['image', 'files[]', 'image[]', 'images[0]', 'upload'];

const FORM_TYPE = 'Content-Type: multipart/form-data; boundary=the-boundary';
/** The body that curl sends for `-F purpose=vision -F file=@cat.png -H 'Content-Type: application/json'`. */
const CURL_BOUNDARY = '------------------------a5baa255f8de723e';
const CURL_FORM = [
  `--${CURL_BOUNDARY}`,
  'Content-Disposition: attachment; name="purpose"',
  '',
  'vision',
  `--${CURL_BOUNDARY}`,
  'Content-Disposition: attachment; name="file"; filename="cat.png"',
  'Content-Type: image/png',
  '',
  'not really a picture',
  `--${CURL_BOUNDARY}--`,
  '',
].join('\r\n');

const MANY_PARTS =
  Array.from(
    { length: 20 },
    (_, index) =>
      `--${CURL_BOUNDARY}\r\nContent-Disposition: attachment; name="note${index}"\r\n\r\nx\r\n`,
  ).join('') + CURL_FORM;

const VERSION_ADDED: Mistake = {
  name: 'a Messages request without a version header',
  requestLine: MESSAGES,
  lines: ['Content-Type: application/json'],
  repairs: ['version-added'],
  arrives: { headers: { 'anthropic-version': ['2023-06-01'] } },
};

/** Headers that do not fit the body, compressed bodies, and versions of the Messages protocol. */
export const HEADERS: readonly Mistake[] = [
  ...JSON_TYPES.map((lines): Mistake => ({
    name: `JSON with ${lines.join(' | ') || 'no content type'}`,
    requestLine: CHAT,
    lines,
    repairs: ['content-type-json'],
    arrives: { headers: JSON_TYPE },
  })),
  {
    name: 'JSON with a parameter in its type is not changed',
    requestLine: CHAT,
    lines: ['Content-Type: application/json ; charset=UTF-8'],
    repairs: [],
    arrives: { headers: { 'content-type': ['application/json ; charset=UTF-8'] } },
  },
  ...FORM_TYPES.map((lines): Mistake => ({
    name: `an upload with ${lines.join(' | ') || 'no content type'}`,
    requestLine: FILES,
    lines,
    body: FORM,
    repairs: ['content-type-multipart'],
    arrives: { headers: { 'content-type': ['multipart/form-data; boundary=the-boundary'] } },
  })),
  {
    name: 'an upload with its proper type is not changed',
    requestLine: FILES,
    lines: ['Content-Type: multipart/form-data; boundary="the-boundary"'],
    body: FORM,
    repairs: [],
  },
  ...PACKED.map(([coding, pack]): Mistake => ({
    name: `JSON compressed with ${coding}`,
    requestLine: CHAT,
    lines: [...USUAL_LINES, `Content-Encoding: ${coding}`],
    body: pack(TEXT_BODY),
    repairs: ['body-decoded'],
    arrives: { body: TEXT_BODY, headers: { 'content-encoding': [] } },
  })),
  {
    name: 'compressed JSON without a content type',
    requestLine: CHAT,
    lines: ['Content-Encoding: zstd'],
    body: zlib.zstdCompressSync(TEXT_BODY),
    repairs: ['body-decoded', 'content-type-json'],
    arrives: { body: TEXT_BODY, headers: { ...JSON_TYPE, 'content-encoding': [] } },
  },
  {
    name: 'a form of curl whose content type was set by hand',
    requestLine: FILES,
    lines: [`Content-Type: application/json; boundary=${CURL_BOUNDARY}`],
    body: CURL_FORM,
    repairs: ['content-type-multipart', 'upload-part', 'upload-part'],
    arrives: {
      headers: { 'content-type': [`multipart/form-data; boundary=${CURL_BOUNDARY}`] },
      body: CURL_FORM.replaceAll(': attachment;', ':  form-data;'),
    },
  },
  {
    name: 'a form of curl with many parts is reported at most ten times',
    requestLine: FILES,
    lines: [`Content-Type: multipart/form-data; boundary=${CURL_BOUNDARY}`],
    body: MANY_PARTS,
    repairs: Array.from({ length: 10 }, () => 'upload-part' as const),
    arrives: { body: MANY_PARTS.replaceAll(': attachment;', ':  form-data;') },
  },
  ...PART_NAMES.map((name): Mistake => ({
    name: `an upload whose part is named ${name}`,
    requestLine: FILES,
    lines: [FORM_TYPE],
    body: FORM.replace('"file"', `"${name}"`),
    repairs: ['upload-part'],
    arrives: {
      body: FORM.replace(': form-data', `:${' '.repeat(1 + name.length - 4)}form-data`),
    },
  })),
  {
    name: 'other parts and files of an upload are not changed',
    requestLine: FILES,
    lines: [FORM_TYPE],
    body: `--the-boundary\r\nContent-Disposition: form-data; name="image"\r\n\r\na field\r\n${FORM.replace(
      '--the-boundary--',
      '--the-boundary\r\nContent-Disposition: form-data; name="image"; filename="b"\r\n\r\nx\r\n--the-boundary--',
    )}`,
    repairs: [],
  },
  ...IMAGE_TYPES.map((lines): Mistake => ({
    name: `an image as the whole body with ${lines.join(' | ') || 'no content type'}`,
    requestLine: FILES,
    lines,
    body: IMAGE,
    repairs: ['upload-form'],
    arrives: {
      headers: {
        'content-type': [expect.stringMatching(/^multipart\/form-data; boundary=\w+$/)],
      },
      body: WRAPPED_IMAGE,
    },
  })),
  ...WRONG_VERSIONS.map(([line, version]): Mistake => ({
    name: `${line} becomes ${version}`,
    requestLine: MESSAGES,
    lines: ['Content-Type: application/json', line],
    repairs: ['version-format'],
    arrives: { headers: { 'anthropic-version': [version] } },
  })),
  {
    name: 'a compressed upload',
    requestLine: FILES,
    lines: ['Content-Type: multipart/form-data; boundary=the-boundary', 'Content-Encoding: gzip'],
    body: zlib.gzipSync(FORM),
    repairs: ['body-decoded'],
    arrives: { body: FORM, headers: { 'content-encoding': [] } },
  },
  VERSION_ADDED,
  {
    ...VERSION_ADDED,
    name: 'token counting without a version header',
    requestLine: 'POST /v1/messages/count_tokens',
  },
  {
    name: 'a version header is not added outside the Messages protocol',
    requestLine: CHAT,
    lines: ['Content-Type: application/json'],
    repairs: [],
    arrives: { headers: { 'anthropic-version': [] } },
  },
  ...VERSIONS.map((line): Mistake => {
    const [name = '', value = ''] = line.split(': ');
    return {
      name: `${line} is not changed`,
      requestLine: MESSAGES,
      lines: ['Content-Type: application/json', line],
      repairs: [],
      arrives: { headers: { [name.toLowerCase()]: [value] } },
    };
  }),
  {
    name: 'any number of beta headers is not changed',
    requestLine: `${MESSAGES}?beta=true`,
    lines: [...USUAL_LINES, 'anthropic-beta: one-2025-01-01,two', 'Anthropic-Beta:  three , four'],
    repairs: [],
    arrives: { headers: { 'anthropic-beta': ['one-2025-01-01,two', 'three , four'] } },
  },
];
