import { z } from 'zod';

const Call = z.object({
  action: z.enum(['read', 'write', 'remove']),
  account: z.string(),
  secret: z.string().optional(),
});
/** One call to the system's keychain, as it travels to the process that makes it. */
export type KeychainCall = z.infer<typeof Call>;

const Answer = z.union([
  z.object({ secret: z.string().nullable() }),
  z.object({ failure: z.string(), tookMs: z.number().optional() }),
]);
/** The result of a call; `failure` is the system's own message, and `tookMs` the time until then without that of starting a process. */
export type KeychainAnswer = z.infer<typeof Answer>;

export function parseKeychainCall(json: string): KeychainCall {
  return Call.parse(JSON.parse(json));
}

/** `null` for anything that is no answer: a helper that died said nothing, and what it loads may print of its own. */
export function parseKeychainAnswer(output: string): KeychainAnswer | null {
  try {
    return Answer.safeParse(JSON.parse(output)).data ?? null;
  } catch {
    // Not JSON is no answer either.
    return null;
  }
}

/**
 * What a failure of the keychain means. All failures carry the same code, so the message decides (@napi-rs/keyring 2.1 with
 * the Secret Service, the macOS keychain, and the Windows Credential Manager).
 */
export function classifyFailure(message: string): {
  readonly state: 'locked' | 'unavailable';
  readonly reason: string;
} {
  if (/dismissed|IsLocked|locked|user canceled|interaction is not allowed/iu.test(message)) {
    return { state: 'locked', reason: 'Nobody has unlocked the keychain.' };
  }
  if (/org\.freedesktop\.secrets|ServiceUnknown/u.test(message)) {
    return {
      state: 'unavailable',
      reason: 'No keychain runs in this session (such as GNOME Keyring or KWallet).',
    };
  }
  if (/Did not receive a reply|NoReply/u.test(message)) {
    return { state: 'unavailable', reason: 'The keychain of this session does not answer.' };
  }
  if (/D-?Bus/iu.test(message)) {
    return {
      state: 'unavailable',
      reason: 'There is no desktop session here (no D-Bus), so there is no keychain.',
    };
  }
  return { state: 'unavailable', reason: `The keychain said: ${message}` };
}
