import { Command } from 'commander';

/** A command whose messages about a wrong call name the nearest option or command, and never repeat what may be a misplaced key. */
export class SafeCommand extends Command {
  /** Creates the subcommands of this command. */
  override createCommand(name?: string): SafeCommand {
    return new SafeCommand(name);
  }

  /** Is called by commander for an option that it does not know. A value after `=` is dropped, so that the nearest name is found. */
  unknownOption(flag: string): void {
    const inherited: unknown = Reflect.get(Command.prototype, 'unknownOption');
    if (typeof inherited === 'function') inherited.call(this, flag.replace(/[=\s].*$/su, ''));
  }
}

/** An option or a command of a few lower-case words. No key looks like that. */
const PLAIN_NAME = /^(?:--)?[a-z]{1,12}(?:-[a-z]{1,12}){0,2}$/u;

/**
 * Rewrites commander's message about a wrong call: typed texts are removed, because they may be a key, which must not be repeated in a
 * log or on a shared screen. A name is kept when it is near one of ours or is a plain word.
 */
export function rewriteUsageError(text: string): string {
  return text
    .replace(
      /(unknown (?:option|command)) '(.*?)'(?:\n\(Did you mean (?:one of )?([^?]+)\?\))?$/su,
      (_all, what: string, typed: string, nearest: string | undefined) =>
        nearest === undefined
          ? `${what}${PLAIN_NAME.test(typed) ? ` ${typed}` : ''}.`
          : `${what} ${typed}. Did you mean ${nearest.replace(/, ([^,]+)$/u, ' or $1')}?`,
    )
    .replace(/( argument) '.*'( is invalid)/su, '$1$2')
    .replace(/(but got \d+): .*$/su, '$1.');
}
