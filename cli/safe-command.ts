import { Command } from 'commander';
import { findNearest } from '../shared/filter-language/find-nearest.ts';

/** A command whose messages about a wrong call name the nearest option or command, and never repeat what may be a misplaced key. */
export class SafeCommand extends Command {
  /** Creates the subcommands of this command. */
  override createCommand(name?: string): SafeCommand {
    return new SafeCommand(name);
  }

  /**
   * Is called by commander for an option that it does not know. A value after `=` is dropped, and one dash or capitals are mended, so
   * that the nearest name is found.
   */
  unknownOption(flag: string): void {
    const name = flag
      .replace(/[=\s].*$/su, '')
      .replace(/^-(?=\w\w)/u, '--')
      .toLowerCase();
    const own = this.options.flatMap(({ long }) => long ?? []);
    const isGroup = this.commands.length > 0 && own.every((long) => long === '--version');
    const isShort = this.options.some(({ short }) => short?.toLowerCase() === name);
    if (isGroup && !isShort && findNearest(name, ['--help', ...own]) === null) {
      this.error(`error: unknown option '${name}'\n(${AFTER_COMMAND})`);
    }
    const inherited: unknown = Reflect.get(Command.prototype, 'unknownOption');
    if (typeof inherited === 'function') inherited.call(this, name);
  }
}

const AFTER_COMMAND = 'Options come after the command.';

/** What commander suggests. */
const NEAREST = /^Did you mean (?:one of )?([^?]+)\?$/u;

/** An option or a command of a few lower-case words. No key looks like that. */
const PLAIN_NAME = /^(?:--)?[a-z]{1,12}(?:-[a-z]{1,12}){0,2}$/u;

/**
 * Rewrites commander's message about a wrong call: typed texts are removed, because they may be a key, which must not be repeated in a
 * log or on a shared screen. A name is kept when it is near one of ours or is a plain word.
 */
export function rewriteUsageError(text: string): string {
  return text
    .replace(
      /(unknown (?:option|command)) '(.*?)'(?:\n\((.+)\))?$/su,
      (_all, what: string, typed: string, hint = '') => {
        const nearest = NEAREST.exec(hint)?.[1];
        const isShown = nearest === undefined ? PLAIN_NAME.test(typed) : typed !== nearest;
        const question =
          nearest === undefined
            ? hint
            : `Did you mean ${nearest.replace(/, ([^,]+)$/u, ' or $1')}?`;
        return `${what}${isShown ? ` ${typed}` : ''}. ${question}`.trimEnd();
      },
    )
    .replace(/( argument) '.*'( is invalid)/su, '$1$2')
    .replace(/(but got \d+): .*$/su, '$1.');
}
