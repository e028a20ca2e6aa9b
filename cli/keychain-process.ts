import { ignoreDebugSignal } from '../hosting/debug-signal.ts';
import { answerKeychainCall } from './keychain-answer.ts';

ignoreDebugSignal();
await answerKeychainCall(process);
