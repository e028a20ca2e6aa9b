import { Argument, type Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { listCommands } from './command-tree.ts';
import { completionScript, type Shell, SHELLS } from './scripts.ts';

const HELP = `
bash, in ~/.bashrc:
  source <(gatehouse completion bash)
zsh, in ~/.zshrc after compinit:
  source <(gatehouse completion zsh)
fish:
  gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish`;

/** Defines `gatehouse completion`, which prints a script that completes commands, options and values in a shell. */
export function addCompletionCommand(program: Command, { terminal }: CommandContext): void {
  program
    .command('completion')
    .description('print a script with which a shell completes gatehouse')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => {
      await terminal.write(completionScript(shell, listCommands(program)));
    });
}
