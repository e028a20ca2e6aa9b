import type { Command } from 'commander';
import { readLockOwner } from '../../../host/lock/instance-lock.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { CommandContext } from '../../command-context.ts';
import { withEngine } from '../../engine-client.ts';
import { type CommandRepositories, withRepositories } from '../../with-repositories.ts';

interface UseFlags {
  readonly data?: string;
  readonly json?: boolean;
}

const help = (command: string) => `
A profile is a set of aliases (${command} aliases). It holds from the next request
on; requests in progress finish as they began. No profile: none.

Examples:
  ${command} use
  ${command} use cheap
  ${command} use none`;

/** Defines `gatehouse use`: the profile of aliases in use. */
export function addUseCommand(program: Command, context: CommandContext): void {
  program
    .command('use')
    .description('use a profile of model aliases, or list the profiles')
    .argument('[profile]', 'name of a profile, or none')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (name: string | undefined, flags: UseFlags) => {
      await withRepositories(context, flags.data, async (repositories) => {
        if (name !== undefined) await useProfile(context, repositories, { name, ...flags });
        if (name === undefined || flags.json === true) {
          await listProfiles(context, repositories, flags);
        }
      });
    });
}

/** Uses a profile in the Gatehouse that runs on the data folder, or stores the choice for its next start. */
async function useProfile(
  context: CommandContext,
  { aliases, upstreams, host }: CommandRepositories,
  { name, data, json = false }: UseFlags & { readonly name: string },
): Promise<void> {
  const profile = name.toLowerCase() === 'none' ? null : aliases.findProfile(name);
  const owner = await readLockOwner(host.dataDir);
  if (owner === null || owner.runs === 'video') {
    const upstreamId = profile?.upstreamId ?? null;
    if (upstreamId !== null)
      await upstreams.activate(upstreamId === SANDBOX_ID ? null : upstreamId);
    await aliases.use(profile?.name ?? null);
  } else {
    await withEngine(context, data, async ({ calls }) => {
      await calls.aliases.profiles.use({ name: profile?.name ?? null });
    });
    await aliases.reload();
  }
  if (json) return;
  context.terminal.printText(
    profile === null
      ? 'No profile is used from the next request on; aliases without a profile still hold.'
      : `The profile ${profile.name} is used from the next request on.`,
  );
}

async function listProfiles(
  { terminal, command }: CommandContext,
  { aliases, upstreams }: CommandRepositories,
  flags: UseFlags,
): Promise<void> {
  const profiles = aliases.profiles();
  if (flags.json === true) {
    terminal.printJson({ used: profiles.find(({ used }) => used)?.name ?? null, profiles });
    return;
  }
  if (profiles.length === 0) {
    terminal.printText(
      `There is no profile yet. Add one: ${command} aliases set NAME MODEL --profile PROFILE`,
    );
    return;
  }
  const services = new Map<string, string>(
    (await upstreams.list()).map(({ id, name }) => [id, name]),
  );
  services.set(SANDBOX_ID, 'sandbox');
  await terminal.printTable({
    head: ['Profile', 'Used', 'Aliases', 'Service'],
    rows: profiles.map(({ name, used, upstreamId }) => [
      name,
      used ? 'yes' : '–',
      String(aliases.list().filter((alias) => alias.profile === name).length),
      upstreamId === null ? 'as it is' : (services.get(upstreamId) ?? 'removed'),
    ]),
    numbers: [2],
    narrowing: [{ truncate: 0, minWidth: 12 }],
  });
}
