import { expect, test } from 'vitest';
import { KEYCHAIN_CALL, readCall } from './call.ts';

const APP = '/opt/Gatehouse/gatehouse-desktop';

test('without its switches the packed program is the desktop app', () => {
  for (const args of [[], ['--hidden'], ['--quick-chat'], ['--', '--command-line'], ['doctor']]) {
    expect(readCall([APP, ...args])).toBeNull();
  }
});

test('the arguments of a command come out of their frames as they were typed', () => {
  const args = ['', ' ', '--', '--version', '--user-data-dir=x', 'a\nb', '[x]', ']', '[', 'é "\\'];
  const framed = args.map((arg) => `[${arg}]`);
  const argv = [APP, '--no-sandbox', '--no-zygote', '--command-line=framed', '--', ...framed];
  expect(readCall(argv)).toEqual({ kind: 'command', args });
});

test('arguments without frames are taken as they are', () => {
  const argv = [APP, '--command-line', '--', 'key', '--command-line=framed', '[x]', '--'];
  const args = ['key', '--command-line=framed', '[x]', '--'];
  expect(readCall(argv)).toEqual({ kind: 'command', args });
  expect(readCall([APP, '--command-line'])).toEqual({ kind: 'command', args: [] });
});

test('a call to the keychain is none of a command, also where one is named behind it', () => {
  expect(readCall([APP, ...KEYCHAIN_CALL])).toEqual({ kind: 'keychain' });
  expect(readCall([APP, '--command-line', '--', '--keychain-call'])).toEqual({
    kind: 'command',
    args: ['--keychain-call'],
  });
});
