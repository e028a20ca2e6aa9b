import type { CompletedCommand, CompletedOption } from './command-tree.ts';

/** Shells for which there is a completion script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** Returns the completion script of a shell. */
export function completionScript(shell: Shell, commands: readonly CompletedCommand[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands);
}

/** Lists the words of a command: its subcommands, the values of its arguments, its options. */
function listWords({ subcommands, values, options }: CompletedCommand): string {
  const names = [...subcommands, ...options].map(({ name }) => name);
  return [...values, ...names].join(' ');
}

/** A `case` pattern for each command, and what follows it. */
function cases<Item>(items: readonly Item[], toCase: (item: Item) => readonly [string, string]) {
  return items
    .map(toCase)
    .map(([pattern, action]) => `    ${pattern}) ${action} ;;`)
    .join('\n');
}

/** Options that take a value, each with the path of its command. */
function valueOptions(commands: readonly CompletedCommand[]): readonly ValueOption[] {
  return commands.flatMap(({ path, options }) =>
    options.filter(({ takesValue }) => takesValue).map((option) => ({ path, option })),
  );
}

function knownPaths(commands: readonly CompletedCommand[]): string {
  return commands.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`])).join('|');
}

/** An option that takes a value, with the path of its command. */
interface ValueOption {
  readonly path: string;
  readonly option: CompletedOption;
}

function bashWords(words: string): string {
  return `COMPREPLY=($(compgen -W '${words}' -- "$current"))`;
}

function bashValue({ path, option }: ValueOption): readonly [string, string] {
  const action = option.isPath
    ? 'COMPREPLY=($(compgen -f -- "$current"))'
    : bashWords(option.values.join(' '));
  return [`'${path} ${option.name}'`, `${action}; return`];
}

function zshValue({ path, option }: ValueOption): readonly [string, string] {
  const action = option.isPath ? '_files' : `compadd -- ${option.values.join(' ')}`;
  return [`'${path} ${option.name}'`, `${action}; return`];
}

function bashScript(commands: readonly CompletedCommand[]): string {
  return `# Completion of gatehouse for bash. Load it in ~/.bashrc:
#   source <(gatehouse completion bash)
_gatehouse() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local at next chosen=''
  for ((at = 1; at < COMP_CWORD; at++)); do
    next="\${chosen:+$chosen }\${COMP_WORDS[at]}"
    case "$next" in
      ${knownPaths(commands)}) chosen="$next" ;;
    esac
  done
  case "$chosen $previous" in
${cases(valueOptions(commands), bashValue)}
  esac
  case "$chosen" in
${cases(commands, (command) => [`'${command.path}'`, bashWords(listWords(command))])}
  esac
}
complete -o default -F _gatehouse gatehouse
`;
}

function zshScript(commands: readonly CompletedCommand[]): string {
  return `#compdef gatehouse
# Completion of gatehouse for zsh. Load it in ~/.zshrc, after compinit:
#   source <(gatehouse completion zsh)
_gatehouse() {
  emulate -L zsh
  local at next chosen=''
  for ((at = 2; at < CURRENT; at++)); do
    next="\${chosen:+$chosen }\${words[at]}"
    case "$next" in
      ${knownPaths(commands)}) chosen="$next" ;;
    esac
  done
  case "$chosen \${words[CURRENT-1]}" in
${cases(valueOptions(commands), zshValue)}
  esac
  case "$chosen" in
${cases(commands, (command) => [`'${command.path}'`, `compadd -- ${listWords(command)}`])}
  esac
}
compdef _gatehouse gatehouse
`;
}

function fishScript(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap((command) => {
    const condition = fishCondition(command);
    return [
      ...command.subcommands.map(({ name, about }) => `${condition} -a ${name} -d ${quote(about)}`),
      ...(command.values.length === 0
        ? []
        : [`${condition} -a ${quote(command.values.join(' '))}`]),
      ...command.options.map((option) => `${condition} ${fishOption(option)}`),
    ];
  });
  return `# Completion of gatehouse for fish. Save it:
#   gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish
complete -c gatehouse -f
${lines.join('\n')}
`;
}

/** Where a command is completed: after its own words and before those of a subcommand. */
function fishCondition({ path, subcommands }: CompletedCommand): string {
  const seen = path.split(' ').filter(Boolean);
  const below = path === '' ? [] : subcommands.map(({ name }) => name);
  const conditions = [
    ...(path === '' ? ['__fish_use_subcommand'] : []),
    ...seen.map((word) => `__fish_seen_subcommand_from ${word}`),
    ...(below.length === 0 ? [] : [`not __fish_seen_subcommand_from ${below.join(' ')}`]),
  ];
  return `complete -c gatehouse -n ${quote(conditions.join('; and '))}`;
}

function fishOption({ name, about, takesValue, values, isPath }: CompletedOption): string {
  const withValue = takesValue ? ' -x' : '';
  const some = values.length === 0 ? '' : ` -a ${quote(values.join(' '))}`;
  return `-l ${name.slice(2)}${isPath ? ' -r -F' : withValue}${some} -d ${quote(about)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
}
