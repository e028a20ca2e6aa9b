import type { SecretStore, SecretWrite } from '../../gateway/host.ts';
import { classifyFailure, type KeychainAnswer, type KeychainCall } from './keychain-call.ts';

/** Creates the secret store that the gateway uses from a function that calls the keychain and never rejects. */
export function createSecretStore(
  callKeychain: (call: KeychainCall) => Promise<KeychainAnswer>,
): SecretStore {
  return {
    async read(account) {
      const answer = await callKeychain({ action: 'read', account });
      if ('failure' in answer) {
        const { failure, tookMs } = answer;
        return { ...classifyFailure(failure), ...(tookMs === undefined ? {} : { tookMs }) };
      }
      return answer.secret === null
        ? { state: 'absent' }
        : { state: 'found', secret: answer.secret };
    },
    write: async (account, secret) =>
      toSecretWrite(await callKeychain({ action: 'write', account, secret })),
    remove: async (account) => toSecretWrite(await callKeychain({ action: 'remove', account })),
  };
}

function toSecretWrite(answer: KeychainAnswer): SecretWrite {
  return 'failure' in answer ? classifyFailure(answer.failure) : { state: 'done' };
}
