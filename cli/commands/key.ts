import type { Command } from 'commander';
import {
  explainKeyError,
  findKeyPlaces,
  keyAdvice,
  type Keys,
  type KeyTestResult,
} from '../../gateway/keys/keys.ts';
import { judgeModelList } from '../../gateway/upstreams/upstreams.ts';
import { UserError } from '../../gateway/errors.ts';
import { pluralize, formatDuration } from '../../shared/format.ts';
import { readLockOwner } from '../../host/lock/instance-lock.ts';
import { CommandError, UsageError } from '../errors.ts';
import { readSecret } from '../output/prompt.ts';
import { withRepositories, type CommandRepositories } from '../with-repositories.ts';
import { showKeyStatus } from './key-status.ts';
import { fetchModelList, openServiceKey, type Service } from '../service.ts';
import { requireService } from '../service-in-use.ts';
import type { CommandContext } from '../command-context.ts';

interface KeyFlags {
  readonly data?: string;
  readonly upstream?: string;
  readonly json?: boolean;
}

const keyInArgumentError = (command: string) =>
  `A key is never read from an argument: it would stay in the history of your shell and show in the list of processes. Run "${command} key set" and type it, or pipe it in. If this was a real key, replace it.`;

/** Defines `gatehouse key`, which manages the service key. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const key = program
    .command('key')
    .helpCommand(false)
    .description('store, test or remove the service key');
  addSet(key, context);
  forService(
    key
      .command('status')
      .description('show where the service key is stored; exit code 1 when it is missing'),
  )
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      `
Exit code 0: the key is there, or none is needed because the sandbox is used
("needed" is false in JSON). 1: the key is missing or locked, or no service is
configured and no Gatehouse runs.`,
    )
    .action(async (flags: KeyFlags) => {
      await withRepositories(
        context,
        flags.data,
        async (repositories) => await showKeyStatus(context, repositories, flags),
      );
    });
  forService(
    key.command('test').description('test the key by loading the model list, which is free'),
  )
    .option('--json', 'print JSON')
    .action(async (flags: KeyFlags) => await withKey(context, flags, testStoredKey));
  forService(
    key
      .command('forget')
      .description('remove the service key from this machine and stop using its service'),
  ).action(async (flags: KeyFlags) => await withKey(context, flags, forgetKey));
}

function addSet(key: Command, context: CommandContext): void {
  forService(
    key
      .command('set')
      .description('store the service key; it is typed hidden or read from standard input'),
  )
    .option('--plain-text-file', 'store it as plain text in a file, for systems without a keychain')
    .allowExcessArguments()
    .addHelpText(
      'after',
      `
Examples:
  ${context.command} key set --upstream https://models.example.com
  ${context.command} key set < key.txt`,
    )
    .action(async (flags: KeyFlags & { readonly plainTextFile?: boolean }, command: Command) => {
      if (command.args.length > 0) {
        throw new UsageError(keyInArgumentError(context.command));
      }
      await withRepositories(context, flags.data, async (repositories) => {
        const service = await requireService(context, repositories, flags);
        await setKey(
          { context, repositories, service, flags },
          flags.plainTextFile === true ? 'file' : 'keychain',
        );
      });
    });
}

function forService(command: Command): Command {
  return command
    .option('--upstream <url>', 'base address of the service of this key')
    .option('--data <dir>', 'data folder');
}

interface KeyTask {
  readonly context: CommandContext;
  readonly repositories: CommandRepositories;
  readonly service: Service;
  readonly flags: KeyFlags;
}

async function withKey(
  context: CommandContext,
  flags: KeyFlags,
  work: (task: KeyTask, keys: Keys) => Promise<void>,
): Promise<void> {
  await withRepositories(context, flags.data, async (repositories) => {
    const service = await requireService(context, repositories, flags);
    const task = { context, repositories, service, flags };
    await work(task, await openKey(task));
  });
}

async function openKey({ context, repositories, service }: KeyTask): Promise<Keys> {
  return await openServiceKey(context, { host: repositories.host, account: service.baseUrl });
}

async function setKey(task: KeyTask, place: 'keychain' | 'file'): Promise<void> {
  const { context, repositories, service, flags } = task;
  const { terminal } = context;
  const keys = await openKey(task);
  if (place === 'keychain' && context.input.isTTY) {
    await requireKeychain(task);
  }
  const text = await readSecret(`Service key for ${service.baseUrl}:`, context.input);
  if (place === 'keychain' && keys.state().name === 'locked') {
    terminal.printError('The keychain is locked. Unlock it when it asks.');
  }
  const change = await keys.save(text, place);
  if (!change.done) {
    throw place === 'keychain'
      ? notSavedError(change.reason, task)
      : new CommandError(`The key was not saved. ${change.reason}`);
  }
  const before = await repositories.upstreams.active();
  if (flags.upstream !== undefined) {
    await repositories.upstreams.addAndActivate({ baseUrl: service.baseUrl });
  }
  const listed = await repositories.upstreams.list();
  const isKept = listed.some(({ baseUrl }) => baseUrl === service.baseUrl);
  await repositories.upstreams.markKeyChanged(context.now());
  if (change.fault !== undefined) {
    throw new CommandError(change.fault);
  }
  terminal.printText(
    place === 'file'
      ? `Saved as plain text in ${repositories.host.dataDir} for ${service.baseUrl}. Everybody who can read your files can read this key.`
      : `Saved in this system's keychain for ${service.baseUrl}.`,
  );
  if (keys.state().name === 'environment') {
    terminal.printText('GATEHOUSE_UPSTREAM_KEY is also set and overrides the saved key.');
  }
  if (!isKept) {
    terminal.printText(
      `This service is not in the list. To add it: ${context.command} key set --upstream ${service.baseUrl}`,
    );
  }
  const running = await readLockOwner(repositories.host.dataDir);
  const switched = flags.upstream !== undefined && before?.baseUrl !== service.baseUrl;
  if (running !== null && switched) {
    terminal.printText(
      `Gatehouse is running (pid ${running.pid}) and now uses this service, unless it was started for another one.`,
    );
  }
  terminal.printText(`Try it: ${context.command} key test`);
}

/**
 * Checks for a keychain first, so that nobody pastes a key that cannot be stored. @throws CommandError when this system has no keychain.
 */
async function requireKeychain(task: KeyTask): Promise<void> {
  const [keychain] = await findKeyPlaces(task.repositories.host);
  if (keychain?.works === false) throw notSavedError(keychain.reason ?? '', task);
}

function notSavedError(reason: string, { context, service, flags }: KeyTask): CommandError {
  const { command } = context;
  const where = flags.upstream === undefined ? '' : ` --upstream ${service.baseUrl}`;
  return new CommandError(
    `The key was not saved. ${reason}\nOn a system without a keychain: give GATEHOUSE_UPSTREAM_KEY, or use "${command} serve${where} --ask-key", or "${command} key set${where} --plain-text-file".`,
  );
}

async function testStoredKey({ context, service, flags }: KeyTask, keys: Keys): Promise<void> {
  const key = keys.current();
  if (key === null) {
    const { name, sentence } = keys.state();
    const advice = keyAdvice(name, context.command);
    if (flags.json === true) {
      const none = { accepted: false, code: 'no_key', sentence, advice, models: null };
      context.terminal.printJson({ upstream: service.baseUrl, ...none, durationMs: 0 });
    }
    throw new CommandError(flags.json === true ? '' : `${sentence}\n${advice}`);
  }
  const startedAt = performance.now();
  const tried = await testKey(context, service, key);
  const durationMs = Math.round(performance.now() - startedAt);
  const { verdict, models } = tried;
  if (flags.json === true) {
    context.terminal.printJson({ upstream: service.baseUrl, ...verdict, models, durationMs });
  } else if (verdict.accepted) {
    const list = `It lists ${pluralize(models ?? 0, 'model')}.`;
    context.terminal.printText(`${verdict.sentence} ${list} (${formatDuration(durationMs)})`);
  }
  if (!verdict.accepted) {
    throw new CommandError(
      flags.json === true ? '' : `${service.baseUrl}: ${verdict.sentence}\n${verdict.advice}`,
    );
  }
}

/** Calls the service once with the key. `models` is the length of its list, `null` when the answer contains none. */
export async function testKey(
  { command }: CommandContext,
  service: Service,
  key: string,
): Promise<{
  readonly verdict: KeyTestResult;
  readonly models: number | null;
  /** The service's clock, Unix time in milliseconds. */
  readonly date: number | null;
}> {
  try {
    const answer = await fetchModelList(service, key);
    const { words, models } = judgeModelList(answer, command);
    return { verdict: words, models, date: answer.date };
  } catch (error) {
    if (error instanceof UserError) throw error;
    return { verdict: explainKeyError(error), models: null, date: null };
  }
}

async function forgetKey({ context, repositories, service }: KeyTask, keys: Keys): Promise<void> {
  const { terminal, envSettings } = context;
  const change = await keys.forget();
  const active = await repositories.upstreams.active();
  await repositories.upstreams.deactivate(service.baseUrl);
  // This comes before the result is checked: one of two copies may be removed already.
  await repositories.upstreams.markKeyChanged(context.now());
  const remaining =
    active?.baseUrl === service.baseUrl
      ? `${service.baseUrl} is no longer used; without another service, "${context.command} serve" uses the sandbox.`
      : '';
  if (!change.done) {
    throw new CommandError(
      [`The key could not be removed. ${change.reason}`, remaining].filter(Boolean).join('\n'),
    );
  }
  terminal.printText(
    change.fault === undefined
      ? `No service key is stored for ${service.baseUrl}.`
      : `The file with the service key for ${service.baseUrl} is gone. ${change.fault}`,
  );
  if (remaining !== '') {
    terminal.printText(remaining);
  }
  if (envSettings.upstreamUrl !== undefined) {
    terminal.printText('GATEHOUSE_UPSTREAM_URL is still set; unset it too.');
  }
  if (keys.state().name === 'environment') {
    terminal.printText('GATEHOUSE_UPSTREAM_KEY is still set; unset it too.');
  }
  const running = await readLockOwner(repositories.host.dataDir);
  if (running !== null && remaining !== '') {
    terminal.printText(
      `Gatehouse is running (pid ${running.pid}): it keeps this service and refuses requests without a key. To use the sandbox, restart it or choose it in the window.`,
    );
  }
}
