import { CommandError, UsageError } from '../../errors.ts';
import { askToConfirm } from '../../output/prompt.ts';
import type { CommandContext } from '../../command-context.ts';

export interface Consent {
  /** Whether consent was given on the command line. */
  readonly yes: boolean;
  readonly question: string;
}

/** Asks a person before something may be charged. @throws CommandError, UsageError without consent */
export async function requireConsent(
  { terminal }: CommandContext,
  { yes, question }: Consent,
): Promise<void> {
  if (yes) return;
  if (!terminal.interactive) {
    throw new UsageError(
      'Nothing was sent. An order needs a confirmation in a terminal, or --yes.',
    );
  }
  if (!(await askToConfirm(question, new AbortController().signal))) {
    throw new CommandError('Nothing was sent.');
  }
}
