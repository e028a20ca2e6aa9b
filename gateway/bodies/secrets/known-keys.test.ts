import { expect, test } from 'vitest';
import { findKnownKeys, listKnownKeys } from './known-keys.ts';

test('keys of known services are found, and nothing is kept of a search', async () => {
  const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  for (let time = 0; time < 20; time += 1) {
    const [found] = await findKnownKeys(`token ${key} in a text`);
    expect(found).toEqual({ start: 6, end: 6 + key.length });
  }
  expect(performance.getEntries().filter(({ name }) => name.startsWith('@core'))).toEqual([]);
});

test('a whole key is listed before one that is its beginning', async () => {
  const whole = `xoxb-${'123456789012-'.repeat(2)}AbCdEfGhIjKlMnOpQrStUvWx`;
  const cut = whole.slice(0, -8);
  expect(await listKnownKeys(`${cut}\n${whole}`)).toEqual([whole, cut]);
});
