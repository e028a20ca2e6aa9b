import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { explainKeyError, explainKeyStatus, explainNoModelList } from '../gateway/keys/keys.ts';
import type { Keys, KeyVerdict } from '../gateway/keys/keys.ts';
import { countModels } from '../gateway/models/models.ts';
import { Refused } from '../gateway/refused.ts';
import { counted, duration } from './figures.ts';
import { readHolder } from '../hosting/lock.ts';
import { CommandFailed, UsageProblem } from './problem.ts';
import { readSecret } from './prompt.ts';
import { withRooms } from './rooms.ts';
import type { Rooms } from './rooms.ts';
import { adviceFor, showKeyStatus } from './key-status.ts';
import { callModelList, openServiceKey, requireService } from './service.ts';
import type { Service } from './service.ts';
import type { Shell } from './shell.ts';

interface KeyFlags {
  readonly data?: string;
  readonly upstream?: string;
  readonly json?: boolean;
}

const keyInArgument = (command: string) =>
  `A key is never read from an argument: it would stay in the history of your shell and show in the list of processes. Run "${command} key set" and type it, or pipe it in. If this was a real key, replace it.`;

/** `gatehouse key …`: everything about the service key. */
export function addKeyCommands(program: Command, shell: Shell): void {
  const key = program
    .command('key')
    .helpCommand(false)
    .description('keep, test or remove the service key');
  addSet(key, shell);
  forService(
    key.command('status').description('say where the service key is; exit code 1 without one'),
  )
    .option('--json', 'print JSON')
    .action(async (flags: KeyFlags) => {
      await withRooms(shell, flags.data, async (rooms) => await showKeyStatus(shell, rooms, flags));
    });
  forService(
    key
      .command('test')
      .description('ask the service for its model list, the cheapest call there is'),
  )
    .option('--json', 'print JSON')
    .action(async (flags: KeyFlags) => await withKey(shell, flags, test));
  forService(
    key
      .command('forget')
      .description('remove the service key from this machine and use its service no longer'),
  ).action(async (flags: KeyFlags) => await withKey(shell, flags, forget));
}

function addSet(key: Command, shell: Shell): void {
  forService(
    key
      .command('set')
      .description('keep the service key; it is typed unseen or read from standard input'),
  )
    .option('--plain-text-file', 'keep it as plain text in a file, for systems without a keychain')
    .allowExcessArguments()
    .addHelpText(
      'after',
      `
Examples:
  ${shell.command} key set --upstream https://models.example.com
  ${shell.command} key set < key.txt`,
    )
    .action(async (flags: KeyFlags & { readonly plainTextFile?: boolean }, command: Command) => {
      if (command.args.length > 0) {
        throw new UsageProblem(keyInArgument(shell.command));
      }
      await withRooms(shell, flags.data, async (rooms) => {
        const service = await requireService(shell, rooms.upstreams, flags);
        await set(
          { shell, rooms, service, flags },
          flags.plainTextFile === true ? 'file' : 'keychain',
        );
      });
    });
}

function forService(command: Command): Command {
  return command
    .option('--upstream <url>', 'base address of the service whose key it is')
    .option('--data <dir>', 'data folder');
}

interface KeyTask {
  readonly shell: Shell;
  readonly rooms: Rooms;
  readonly service: Service;
  readonly flags: KeyFlags;
}

async function withKey(
  shell: Shell,
  flags: KeyFlags,
  work: (task: KeyTask, keys: Keys) => Promise<void>,
): Promise<void> {
  await withRooms(shell, flags.data, async (rooms) => {
    const service = await requireService(shell, rooms.upstreams, flags);
    const task = { shell, rooms, service, flags };
    await work(task, await openTaskKey(task));
  });
}

async function openTaskKey({ shell, rooms, service }: KeyTask): Promise<Keys> {
  return await openServiceKey(shell, { host: rooms.host, account: service.baseUrl });
}

async function set(task: KeyTask, place: 'keychain' | 'file'): Promise<void> {
  const { shell, rooms, service, flags } = task;
  const { terminal } = shell;
  const keys = await openTaskKey(task);
  if (place === 'keychain' && shell.input.isTTY) {
    await requireKeychain(task);
  }
  const text = await readSecret(`Service key for ${service.baseUrl}:`, shell.input);
  if (place === 'keychain' && keys.state().name === 'locked') {
    terminal.complain('The keychain is locked. Unlock it when it asks.');
  }
  const change = await keys.save(text, place);
  if (!change.done) {
    throw place === 'keychain'
      ? notSaved(change.reason, task)
      : new CommandFailed(`The key was not saved. ${change.reason}`);
  }
  const before = await rooms.upstreams.active();
  if (flags.upstream !== undefined) {
    await rooms.upstreams.use({ baseUrl: service.baseUrl });
  }
  await rooms.upstreams.markKeyChanged(shell.now());
  if (change.fault !== undefined) {
    throw new CommandFailed(change.fault);
  }
  terminal.say(
    place === 'file'
      ? `Saved as plain text in ${rooms.host.dataDir} for ${service.baseUrl}. Whoever can read your files can read this key.`
      : `Saved in this system's keychain for ${service.baseUrl}.`,
  );
  if (keys.state().name === 'environment') {
    terminal.say('GATEHOUSE_UPSTREAM_KEY is set as well and goes before the saved key.');
  }
  const running = await readHolder(rooms.host.dataDir);
  const switched = flags.upstream !== undefined && before?.baseUrl !== service.baseUrl;
  if (running !== null && switched) {
    terminal.say(
      `Gatehouse is running (pid ${running.pid}) and uses this service from now on, unless it was started for another one.`,
    );
  }
  terminal.say(`Try it: ${shell.command} key test`);
}

/** How long a keychain may take to say whether it is there; a locked one asks a person and takes longer. */
const KEYCHAIN_MS = 5_000;

/** Nobody should paste a key that cannot be kept. @throws CommandFailed when this system has no keychain. */
async function requireKeychain(task: KeyTask): Promise<void> {
  const read = task.rooms.host.secrets.read(task.service.baseUrl);
  const found = await Promise.race([read, pause(KEYCHAIN_MS, null, { ref: false })]);
  if (found?.state === 'unavailable') {
    throw notSaved(found.reason, task);
  }
}

function notSaved(reason: string, { shell, service, flags }: KeyTask): CommandFailed {
  const { command } = shell;
  const where = flags.upstream === undefined ? '' : ` --upstream ${service.baseUrl}`;
  return new CommandFailed(
    `The key was not saved. ${reason}\nOn a system without a keychain: give GATEHOUSE_UPSTREAM_KEY, or use "${command} serve${where} --ask-key", or "${command} key set${where} --plain-text-file".`,
  );
}

async function test({ shell, service, flags }: KeyTask, keys: Keys): Promise<void> {
  const key = keys.current();
  if (key === null) {
    const { name, sentence } = keys.state();
    const advice = adviceFor(name, shell.command);
    if (flags.json === true) {
      const none = { accepted: false, code: 'no_key', sentence, advice, models: null };
      shell.terminal.printJson({ upstream: service.baseUrl, ...none, durationMs: 0 });
    }
    throw new CommandFailed(flags.json === true ? '' : `${sentence}\n${advice}`);
  }
  const begun = performance.now();
  const tried = await tryKey(shell, service, key);
  const durationMs = Math.round(performance.now() - begun);
  const { verdict, models } = tried;
  if (flags.json === true) {
    shell.terminal.printJson({ upstream: service.baseUrl, ...verdict, models, durationMs });
  } else if (verdict.accepted) {
    const list = `It lists ${counted(models ?? 0, 'model')}.`;
    shell.terminal.say(`${verdict.sentence} ${list} (${duration(durationMs)})`);
  }
  if (!verdict.accepted) {
    throw new CommandFailed(
      flags.json === true ? '' : `${service.baseUrl}: ${verdict.sentence}\n${verdict.advice}`,
    );
  }
}

/** Calls the service once with the key. `models` is the length of its list, `null` when the answer holds none. */
export async function tryKey(
  { command }: Shell,
  service: Service,
  key: string,
): Promise<{
  readonly verdict: KeyVerdict;
  readonly models: number | null;
  /** The service's clock, Unix time in milliseconds. */
  readonly date: number | null;
}> {
  try {
    const { status: code, body, date } = await callModelList(service, key);
    const models = countModels(body);
    const verdict = explainKeyStatus(code, command);
    return verdict.accepted && models === null
      ? { verdict: explainNoModelList(code), models, date }
      : { verdict, models, date };
  } catch (error) {
    if (error instanceof Refused) throw error;
    return { verdict: explainKeyError(error), models: null, date: null };
  }
}

async function forget({ shell, rooms, service }: KeyTask, keys: Keys): Promise<void> {
  const { terminal, settings } = shell;
  const change = await keys.forget();
  const active = await rooms.upstreams.active();
  await rooms.upstreams.leave(service.baseUrl);
  // Before the answer is looked at: of two copies one may be gone.
  await rooms.upstreams.markKeyChanged(shell.now());
  const left =
    active?.baseUrl === service.baseUrl
      ? `${service.baseUrl} is not used any more; without another service, "${shell.command} serve" uses the sandbox.`
      : '';
  if (!change.done) {
    throw new CommandFailed(
      [`The key could not be removed. ${change.reason}`, left].filter(Boolean).join('\n'),
    );
  }
  terminal.say(
    change.fault === undefined
      ? `No service key is kept here for ${service.baseUrl} any more.`
      : `The file with the service key for ${service.baseUrl} is gone. ${change.fault}`,
  );
  if (left !== '') {
    terminal.say(left);
  }
  if (settings.upstreamUrl !== undefined) {
    terminal.say('GATEHOUSE_UPSTREAM_URL is still set; unset it too.');
  }
  if (keys.state().name === 'environment') {
    terminal.say('GATEHOUSE_UPSTREAM_KEY is still set; unset it too.');
  }
  const running = await readHolder(rooms.host.dataDir);
  if (running !== null && left !== '') {
    terminal.say(
      `Gatehouse is running (pid ${running.pid}): it stays with this service and refuses requests for want of a key. To use the sandbox, restart it or choose it in the window.`,
    );
  }
}
