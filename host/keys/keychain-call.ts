import { z } from 'zod';

const Call = z.object({
  action: z.enum(['read', 'write', 'remove']),
  account: z.string(),
  secret: z.string().optional(),
});
/** One call to the system's keychain, as it is sent to the process that makes it. */
export type KeychainCall = z.infer<typeof Call>;

const Answer = z.union([
  z.object({ secret: z.string().nullable() }),
  z.object({ failure: z.string(), tookMs: z.number().optional() }),
]);
/** The result of a call; `failure` is the system's own message, and `tookMs` the duration without the start of a process. */
export type KeychainAnswer = z.infer<typeof Answer>;

export function parseKeychainCall(json: string): KeychainCall {
  return Call.parse(JSON.parse(json));
}

/**
 * Parses the output of a helper process; `null` when it is no result, because a helper may crash, and libraries that it loads may print
 * text of their own.
 */
export function parseKeychainAnswer(output: string): KeychainAnswer | null {
  try {
    return Answer.safeParse(JSON.parse(output)).data ?? null;
  } catch {
    // It is not JSON, so it is no result.
    return null;
  }
}

/**
 * Classifies a failure of the keychain. All failures have the same code, so the message decides (@napi-rs/keyring 2.1 with the Secret
 * Service, the macOS keychain, and the Windows Credential Manager).
 */
export function classifyFailure(message: string): {
  readonly state: 'locked' | 'unavailable';
  readonly reason: string;
} {
  if (/dismissed|IsLocked|locked|user canceled|interaction is not allowed/iu.test(message)) {
    return { state: 'locked', reason: 'The keychain is locked.' };
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
