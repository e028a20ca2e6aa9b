import { expect, test } from 'vitest';
import { findHeadlessReason } from './headless-reason.ts';

const PERSON = {
  args: [],
  platform: 'linux',
  environment: { DISPLAY: ':0' },
  isRoot: false,
} as const;

test('the desktop app is opened for a person at a screen, on Wayland and on other systems, too', () => {
  expect(findHeadlessReason(PERSON)).toBeNull();
  expect(
    findHeadlessReason({ ...PERSON, environment: { WAYLAND_DISPLAY: 'wayland-0' } }),
  ).toBeNull();
  expect(findHeadlessReason({ ...PERSON, platform: 'darwin', environment: {} })).toBeNull();
});

test.each([
  ['there is no display', { environment: {} }, 'there is no display.'],
  [
    'it would run as root',
    { isRoot: true },
    'Electron refuses to run as root. Start it as another user.',
  ],
  [
    'options of serve are given',
    { args: ['--port', '0'] },
    'options were given, and only `serve` takes them.',
  ],
  [
    'the service is named by the environment',
    { environment: { DISPLAY: ':0', GATEHOUSE_UPSTREAM_URL: 'https://models.example.com' } },
    'GATEHOUSE_UPSTREAM_URL is set, and only `serve` reads it.',
  ],
])('it is not opened when %s', (_when, facts, words) => {
  expect(findHeadlessReason({ ...PERSON, ...facts })).toBe(words);
});
