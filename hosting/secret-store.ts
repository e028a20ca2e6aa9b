import type { SecretStore, SecretWrite } from '../gateway/host.ts';
import { explainFailure, type KeychainAnswer, type KeychainCall } from './keychain-call.ts';

/** The keychain as the gateway wants it, made of a way to call it that never rejects. */
export function secretStore(ask: (call: KeychainCall) => Promise<KeychainAnswer>): SecretStore {
  return {
    async read(account) {
      const answer = await ask({ action: 'read', account });
      if ('failure' in answer) {
        const { failure, tookMs } = answer;
        return { ...explainFailure(failure), ...(tookMs === undefined ? {} : { tookMs }) };
      }
      return answer.secret === null
        ? { state: 'absent' }
        : { state: 'found', secret: answer.secret };
    },
    write: async (account, secret) => toWrite(await ask({ action: 'write', account, secret })),
    remove: async (account) => toWrite(await ask({ action: 'remove', account })),
  };
}

function toWrite(answer: KeychainAnswer): SecretWrite {
  return 'failure' in answer ? explainFailure(answer.failure) : { state: 'done' };
}
