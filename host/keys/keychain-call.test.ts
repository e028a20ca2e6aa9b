import { expect, test } from 'vitest';
import { classifyFailure, parseKeychainAnswer } from './keychain-call.ts';

test.each([
  [
    "Couldn't access platform storage: Secret Service: unlock prompt was dismissed",
    'locked',
    'locked',
  ],
  [
    'zbus error: org.freedesktop.Secret.Error.IsLocked: Cannot get secret of a locked object',
    'locked',
    'locked',
  ],
  [
    'Platform failure: DBus error: The name org.freedesktop.secrets was not provided by any .service files',
    'unavailable',
    'No keychain runs',
  ],
  [
    'Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time, set your DBUS_SESSION_BUS_ADDRESS instead',
    'unavailable',
    'no desktop session',
  ],
  [
    'Platform failure: DBus error: Did not receive a reply. Possible causes include: the remote application did not send a reply',
    'unavailable',
    'does not answer',
  ],
  ['Something new', 'unavailable', 'Something new'],
])('%s means %s', (message, state, words) => {
  const failure = classifyFailure(message);
  expect(failure.state).toBe(state);
  expect(failure.reason).toContain(words);
});

test.each(['', 'Warning: old library\n{"secret":"x"}', '{"secret":', '[]', '{}'])(
  'a helper that says %j has given no answer',
  (line) => {
    expect(parseKeychainAnswer(line)).toBeNull();
  },
);
