import { CommandError, UsageError } from '../../errors.ts';
import { askToConfirm } from '../../output/prompt.ts';
import type { CommandContext } from '../../command-context.ts';

export interface Consent {
  /** Whether consent was given on the command line. */
  readonly yes: boolean;
  readonly question: string;
  /** Whether the sandbox gets the order, which charges nothing. */
  readonly free: boolean;
}

/** Asks a person before something may be charged. @throws CommandError, UsageError without consent */
export async function requireConsent(
  { terminal }: CommandContext,
  { yes, question, free }: Consent,
): Promise<void> {
  if (yes) return;
  if (!terminal.interactive) {
    throw new UsageError(
      free
        ? 'Not sent. Confirm in a terminal or pass --yes.'
        : 'Not sent. This may cost money: confirm in a terminal or pass --yes.',
    );
  }
  if (!(await askToConfirm(question, new AbortController().signal))) {
    throw new CommandError('Nothing was sent.');
  }
}
