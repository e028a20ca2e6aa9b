import type { Command } from 'commander';
import { foldCase } from '../../../shared/fold-case.ts';
import { DEFAULT_ALIAS, type ModelAlias } from '../../../shared/model-alias.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError } from '../../errors.ts';
import { findClient } from '../../find-client.ts';
import { type CommandRepositories, withRepositories } from '../../with-repositories.ts';
import { addProfileCommand } from './profile.ts';

interface CommonFlags {
  readonly data?: string;
  readonly json?: boolean;
}

/** Options that say where an alias holds. */
interface PlaceFlags extends CommonFlags {
  readonly client?: string;
  readonly profile?: string;
}

interface SetFlags extends PlaceFlags {
  readonly effort?: string;
}

const setHelp = (command: string) => `
In a name * stands for any characters; the name * alone is the default for models
that the service does not list. A name of its own counts before a pattern, and an
alias of the client before one for all.

Examples:
  ${command} aliases set main qwen/qwen3-coder
  ${command} aliases set "claude-haiku-*" qwen/qwen3-4b --client "Claude Code"
  ${command} aliases set "*" qwen/qwen3-coder --profile cheap --effort low
  ${command} use cheap`;

/** Defines `gatehouse aliases`: names of models that are sent as other models. */
export function addAliasCommands(program: Command, context: CommandContext): void {
  const aliases = program
    .command('aliases')
    .helpCommand(false)
    .description('list, set or remove names of models that are sent as other models');
  withCommonFlags(aliases.command('list').description('list the aliases')).action(
    async (flags: CommonFlags) => await listAliases(context, flags),
  );
  withPlaceFlags(
    aliases
      .command('set <name> <model>')
      .description('send a model for a name, from the next request on'),
  )
    .option('--effort <effort>', 'send this reasoning effort: low, medium, high')
    .addHelpText('after', setHelp(context.command))
    .action(
      async (name: string, model: string, flags: SetFlags) =>
        await setAlias(context, { name, model }, flags),
    );
  withPlaceFlags(aliases.command('remove <name>').description('remove an alias')).action(
    async (name: string, flags: PlaceFlags) => await removeAlias(context, name, flags),
  );
  addProfileCommand(aliases, context);
}

function withCommonFlags(command: Command): Command {
  return command.option('--data <dir>', 'data folder').option('--json', 'print JSON');
}

function withPlaceFlags(command: Command): Command {
  return withCommonFlags(command)
    .option('--client <name>', 'for this client; by default for every client')
    .option('--profile <name>', 'while this profile is used; by default always');
}

async function listAliases(context: CommandContext, flags: CommonFlags): Promise<void> {
  const { terminal } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const names = await readClientNames(repositories);
    const aliases = repositories.aliases
      .list()
      .map((alias) => ({ ...alias, clientName: names.get(alias.clientId ?? '') ?? null }));
    const profiles = repositories.aliases.profiles();
    if (flags.json === true) terminal.printJson({ aliases, profiles });
    else if (aliases.length === 0) {
      terminal.printText(
        `There is no alias yet. Set one: ${context.command} aliases set NAME MODEL`,
      );
    } else {
      const used = profiles.find((profile) => profile.used)?.name ?? null;
      await terminal.printTable({
        head: ['Name', 'Model', 'Effort', 'Client', 'Profile'],
        rows: aliases.map(({ name, model, effort, clientId, clientName, profile }) => [
          name,
          model,
          effort ?? '–',
          clientId === null ? 'all clients' : (clientName ?? 'removed'),
          profile === null ? 'always' : profile === used ? `${profile} (used)` : profile,
        ]),
        narrowing: [{ truncate: 1, minWidth: 16 }],
      });
    }
  });
}

async function readClientNames({
  clients,
}: CommandRepositories): Promise<ReadonlyMap<string, string>> {
  const all = await clients.list('services', true);
  return new Map(all.map(({ id, name }) => [id, name]));
}

async function setAlias(
  context: CommandContext,
  { name, model }: Pick<ModelAlias, 'name' | 'model'>,
  flags: SetFlags,
): Promise<void> {
  const { profile = null, effort = null } = flags;
  await withRepositories(context, flags.data, async (repositories) => {
    const clientId =
      flags.client === undefined ? null : await findClient(flags.client, repositories);
    const alias = await repositories.aliases.set({ name, model, profile, clientId, effort });
    if (flags.json === true) {
      context.terminal.printJson({ alias });
      return;
    }
    const names = await readClientNames(repositories);
    const isUsed = repositories.aliases
      .profiles()
      .some((one) => one.used && one.name === alias.profile);
    const unused =
      alias.profile === null || isUsed
        ? ''
        : ` Use the profile: ${context.command} use ${JSON.stringify(alias.profile)}`;
    context.terminal.printText(
      `${describeAlias(alias, names)} A running Gatehouse knows within a second.${unused}`,
    );
  });
}

function describeAlias(
  { name, model, effort, clientId, profile }: ModelAlias,
  names: ReadonlyMap<string, string>,
): string {
  const asked = name === DEFAULT_ALIAS ? 'Models that the service does not list' : name;
  const verb = name === DEFAULT_ALIAS ? 'are' : 'is';
  const effortText = effort === null ? '' : ` with the effort ${effort}`;
  const whose = clientId === null ? 'every client' : (names.get(clientId) ?? clientId);
  const when = profile === null ? '' : ` while the profile ${profile} is used`;
  return `${asked} ${verb} sent as ${model}${effortText} for ${whose}${when}.`;
}

async function removeAlias(
  context: CommandContext,
  name: string,
  flags: PlaceFlags,
): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const { aliases } = repositories;
    const clientId =
      flags.client === undefined ? null : await findClient(flags.client, repositories);
    const profile = flags.profile === undefined ? null : aliases.findProfile(flags.profile).name;
    const same = aliases.list().filter((alias) => foldCase(alias.name) === foldCase(name));
    const found = same.find((one) => one.clientId === clientId && one.profile === profile);
    if (found === undefined) throw await createNotFoundError(name, same, repositories);
    await aliases.remove(found.id);
    if (flags.json === true) context.terminal.printJson({ removed: found.id });
    else context.terminal.print('The alias was removed.');
  });
}

async function createNotFoundError(
  name: string,
  same: readonly ModelAlias[],
  repositories: CommandRepositories,
): Promise<CommandError> {
  const names = await readClientNames(repositories);
  const places = same.map(({ clientId, profile }) =>
    [
      ...(clientId === null ? [] : [`--client ${JSON.stringify(names.get(clientId) ?? clientId)}`]),
      ...(profile === null ? [] : [`--profile ${JSON.stringify(profile)}`]),
    ].join(' '),
  );
  const others = places.map((place) => (place === '' ? 'without options' : `with ${place}`));
  const hint = others.length === 0 ? '' : ` There is one ${others.join(', and one ')}.`;
  return new CommandError(`There is no such alias for "${name}".${hint}`);
}
