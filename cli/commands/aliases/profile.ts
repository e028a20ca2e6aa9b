import type { Command } from 'commander';
import type { CommandContext } from '../../command-context.ts';
import { UsageError } from '../../errors.ts';
import { findUpstream } from '../services.ts';
import { withRepositories } from '../../with-repositories.ts';

interface ProfileFlags {
  readonly service?: string;
  readonly remove?: boolean;
  readonly data?: string;
  readonly json?: boolean;
}

const help = (command: string) => `
A service is named as in the window or by its base address; none: the service in
use stays. The sandbox is called sandbox.

Examples:
  ${command} aliases profile cheap --service "My other service"
  ${command} aliases profile cheap --remove`;

/** Defines `gatehouse aliases profile`: the service of a profile, and its end. */
export function addProfileCommand(aliases: Command, context: CommandContext): void {
  aliases
    .command('profile <name>')
    .description('add a profile, say which service it switches to, or remove it')
    .option('--service <name>', 'switch to this service when the profile is used, or none')
    .option('--remove', 'remove the profile with its aliases')
    .option('--data <dir>', 'data folder')
    .option('--json', 'print JSON')
    .addHelpText('after', help(context.command))
    .action(async (name: string, flags: ProfileFlags) => await changeProfile(context, name, flags));
}

async function changeProfile(
  { terminal, ...context }: CommandContext,
  name: string,
  { service, remove = false, data, json = false }: ProfileFlags,
): Promise<void> {
  if (remove && service !== undefined) {
    throw new UsageError('Give only one of --service and --remove.');
  }
  await withRepositories({ terminal, ...context }, data, async (repositories) => {
    const { aliases } = repositories;
    if (remove) {
      await aliases.removeProfile(name);
      if (json) terminal.printJson({ removed: name });
      else terminal.printText('The profile and its aliases were removed.');
      return;
    }
    const upstreamId =
      service === undefined || service === 'none'
        ? null
        : findUpstream(service, await repositories.upstreams.list()).id;
    await aliases.saveProfile({ name, upstreamId });
    if (json) terminal.printJson({ profile: aliases.findProfile(name) });
    else {
      const target = upstreamId === null ? 'the service in use stays' : `${service} is switched to`;
      terminal.printText(
        `When the profile ${name} is used, ${target}. To use it: ${context.command} use ${JSON.stringify(name)}`,
      );
    }
  });
}
