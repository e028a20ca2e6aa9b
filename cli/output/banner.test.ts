import { expect, test } from 'vitest';
import { formatBanner, type BannerOptions } from './banner.ts';

const plain = (text: string) => text;
const STYLE = { bold: plain, dim: plain, yellow: plain };
const LOCAL_KEY = `gh-${'k'.repeat(43)}`;
const SANDBOX: BannerOptions = {
  version: '1.2.3',
  command: 'gatehouse',
  strict: false,
  yellow: '',
  port: 6417,
  window: 'http://127.0.0.1:6418/#abcdefghijklmnopqrstuv',
  service: null,
  key: { name: 'this-run', sentence: 'The key of the sandbox.' },
  keyAdvice: '',
  localKey: { kind: 'new', client: 'First client', key: LOCAL_KEY },
  model: 'aurora/aurora-large',
};
const text = (options: BannerOptions) => formatBanner(options, STYLE).join('\n');

test('both base addresses are told, with /v1 and without', () => {
  expect(text(SANDBOX)).toMatch(/Chat Completions, Responses {3}http:\/\/127\.0\.0\.1:6417\/v1$/mu);
  expect(text(SANDBOX)).toMatch(/Messages +http:\/\/127\.0\.0\.1:6417$/mu);
});

test('the window has a link of its own, and none is shown without a window', () => {
  expect(text(SANDBOX)).toMatch(/^  Window {6}http:\/\/127\.0\.0\.1:6418\/#[\w-]{22}$/mu);
  expect(text(SANDBOX)).toContain('It works once; another one: gatehouse open');
  expect(text({ ...SANDBOX, window: null })).not.toContain('Window');
});

test('there is one line to paste, and all others fit into 80 columns', () => {
  const lines = formatBanner(SANDBOX, STYLE);
  expect(lines.filter((line) => line.trim().startsWith('curl '))).toHaveLength(1);
  expect(lines.filter((line) => line.length > 80)).toHaveLength(1);
});

test('a key that is not known any more is left as a variable, and the banner says so', () => {
  const later = text({ ...SANDBOX, localKey: { kind: 'known' } });
  expect(later).toContain('Bearer $GATEHOUSE_LOCAL_KEY"');
  expect(later).toContain('replace $GATEHOUSE_LOCAL_KEY with yours');
});

test('a key of the environment is named but not shown', () => {
  expect(text({ ...SANDBOX, localKey: { kind: 'environment' } })).toContain('from the environment');
});

test('the line to paste costs nothing with a real service', () => {
  const { model: _sandboxOnly, ...rest } = SANDBOX;
  const real = text({ ...rest, service: 'https://models.example.com' });
  expect(real).toContain('/v1/models');
  expect(real).not.toContain('chat/completions');
});

test('a missing service key comes with advice', () => {
  const key = { name: 'missing', sentence: 'No service key is stored.' } as const;
  const missing = text({ ...SANDBOX, service: 'https://x.example', key, keyAdvice: 'Add one.' });
  expect(missing).toContain('No service key is stored.\n              Add one.');
});

test('long words about the key are broken into lines of 80 columns', () => {
  const key = { name: 'unavailable', sentence: 'word '.repeat(60).trim() } as const;
  const lines = formatBanner({ ...SANDBOX, service: 'https://x.example', key }, STYLE);
  expect(lines.filter((line) => line.length > 80)).toHaveLength(1);
  expect(lines.join(' ').match(/word/gu)).toHaveLength(60);
});

test('a command that is longer than the line stands in one piece', () => {
  const lines = formatBanner({ ...SANDBOX, command: 'npm run -s gatehouse --' }, STYLE);
  const pasted = 'npm run -s gatehouse -- key set --upstream https://models.example.com';
  expect(lines.map((line) => line.trim())).toContain(pasted);
});

test('strict is told, and only then', () => {
  expect(text(SANDBOX)).not.toContain('Repairs');
  expect(text({ ...SANDBOX, strict: true })).toContain('  Repairs     off');
});

test('a warning comes before the service', () => {
  const warned = text({ ...SANDBOX, yellow: 'The key is set, but no service.' });
  expect(warned).toMatch(/The key is set, but no service\.[\s\S]*the sandbox on this machine/u);
});

test('with a missing key the way to the sandbox is told', () => {
  const key = { name: 'missing', sentence: 'No service key is stored.' } as const;
  const missing = text({ ...SANDBOX, service: 'https://x.example', key, keyAdvice: 'Add one.' });
  expect(missing).toContain('try the sandbox: gatehouse serve --sandbox');
});
