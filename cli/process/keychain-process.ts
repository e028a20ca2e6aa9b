import { ignoreDebugSignal } from '../../host/process/debug-signal.ts';
import { answerKeychainCall } from '../keychain-answer.ts';

ignoreDebugSignal();
void answerKeychainCall(process);
