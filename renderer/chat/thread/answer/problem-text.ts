import type { ChatProblem } from '../../../../shared/chat/chat.ts';

const BROKEN: Readonly<Record<ChatProblem['by'], string>> = {
  service: 'The service cut off the answer',
  network: 'The connection to the service was lost',
  gatehouse: 'Gatehouse stopped the answer',
};
const REFUSED: Readonly<Record<ChatProblem['by'], string>> = {
  service: 'The service returned an error',
  network: 'Could not reach the service',
  gatehouse: 'Gatehouse did not send this',
};

/** Names the party that failed, in a few words. */
export function problemTitle(by: ChatProblem['by'], state: 'broken' | 'refused'): string {
  return state === 'broken' ? BROKEN[by] : REFUSED[by];
}

/** Names the parameter that probably caused a refusal, in a sentence; `null` when none did. */
export function describeSuspect({ suspects }: ChatProblem): string | null {
  const [first, ...others] = suspects;
  if (first === undefined) return null;
  const also = others.length === 0 ? '' : ` If not that, then ${others.join(' or ')}.`;
  return `The likely cause is ${first}.${also}`;
}

/** A setting of the conversation that is sent as a parameter. */
export interface Suspect {
  readonly setting: 'temperature' | 'maxTokens';
  readonly name: string;
}

/** Returns the setting behind a parameter; `null` when there is none. */
export function findSetting(parameter: string): Suspect | null {
  if (parameter === 'temperature') return { setting: 'temperature', name: 'temperature' };
  if (/^max_.*tokens$/u.test(parameter)) {
    return { setting: 'maxTokens', name: 'the token limit' };
  }
  return null;
}
