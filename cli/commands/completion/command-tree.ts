import type { Argument, Command, Option } from 'commander';

/** An option with its name, and the values that it takes. */
export interface CompletedOption {
  /** As it is typed: `--status`. */
  readonly name: string;
  readonly about: string;
  readonly takesValue: boolean;
  readonly values: readonly string[];
  /** Whether its value is a path. */
  readonly isPath: boolean;
}

/** A command as completion sees it. */
export interface CompletedCommand {
  /** The words that lead to it: `video new`; empty for the program. */
  readonly path: string;
  readonly subcommands: readonly { readonly name: string; readonly about: string }[];
  readonly options: readonly CompletedOption[];
  /** Values of its arguments. */
  readonly values: readonly string[];
}

/** Lists a program and all its commands, with what can follow each. */
export function listCommands(program: Command): readonly CompletedCommand[] {
  return listBelow(program, '');
}

function listBelow(command: Command, path: string): readonly CompletedCommand[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command);
  const here: CompletedCommand = {
    path,
    subcommands: subcommands.map((one) => ({ name: one.name(), about: one.description() })),
    options: help.visibleOptions(command).flatMap(toCompletedOption),
    values: command.registeredArguments.flatMap((argument: Argument) => argument.argChoices ?? []),
  };
  const below = subcommands.flatMap((one) => listBelow(one, `${path} ${one.name()}`.trim()));
  return [here, ...below];
}

const PATH_OPTIONS = new Set(['--data', '--image', '--out']);

/** Values of options that take others, too, and so have no choices. */
const EXAMPLES: ReadonlyMap<string, readonly string[]> = new Map([
  ['--status', ['failed', '2xx', '3xx', '4xx', '5xx']],
  ['--since', ['1h', '1d', '1w']],
  ['--client', ['unknown']],
  ['--service', ['sandbox']],
  ['--of', ['services', 'sandbox']],
]);

function toCompletedOption(option: Option): readonly CompletedOption[] {
  const { long: name, description: about, argChoices } = option;
  if (name == null) return [];
  const takesValue = option.required || option.optional;
  const values = takesValue ? (argChoices ?? EXAMPLES.get(name) ?? []) : [];
  return [{ name, about, takesValue, values, isPath: PATH_OPTIONS.has(name) }];
}
