import { CommandFailed, UsageProblem } from './problem.ts';
import { confirmed } from './prompt.ts';
import type { Shell } from './shell.ts';

export interface Consent {
  /** Given on the command line. */
  readonly yes: boolean;
  readonly question: string;
}

/** Goes on only with a person's yes to what may be charged. @throws CommandFailed, UsageProblem */
export async function requireConsent(
  { terminal }: Shell,
  { yes, question }: Consent,
): Promise<void> {
  if (yes) return;
  if (!terminal.interactive) {
    throw new UsageProblem(
      'Nothing was sent: what may be charged needs a yes, at a terminal or with --yes.',
    );
  }
  if (!(await confirmed(question, new AbortController().signal))) {
    throw new CommandFailed('Nothing was sent.');
  }
}
