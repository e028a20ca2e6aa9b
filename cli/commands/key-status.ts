import { describeProcess } from '../../host/lock/instance-lock.ts';
import { isUsableKey, keyAdvice } from '../../gateway/keys/keys.ts';
import type { KeyState } from '../../shared/upstream.ts';
import { CommandError } from '../errors.ts';
import type { CommandRepositories } from '../with-repositories.ts';
import { findServiceInUse, type ServiceInUse } from '../service-in-use.ts';
import { describeKeyWithoutService, openServiceKey, type ServiceFlags } from '../service.ts';
import type { CommandContext } from '../command-context.ts';

interface StatusFlags extends ServiceFlags {
  readonly json?: boolean;
}

/** Defines `gatehouse key status`, which shows where the service key is stored. @throws CommandError without one */
export async function showKeyStatus(
  context: CommandContext,
  repositories: CommandRepositories,
  flags: StatusFlags,
): Promise<void> {
  const inUse = await findServiceInUse(context, repositories, flags);
  const { service, running } = inUse;
  const { name, sentence } = await readKeyState(context, repositories, inUse);
  const upstream = service?.baseUrl ?? null;
  if (flags.json === true) {
    context.terminal.printJson({ upstream, state: name, sentence, running: running !== null });
    if (!isUsableKey(name)) throw new CommandError('');
    return;
  }
  if (upstream === null) throw new CommandError(sentence);
  const by =
    running === null ? '' : `, used by the Gatehouse that runs here (${describeProcess(running)})`;
  context.terminal.printText(`${sentence}\nService: ${upstream}${by}`);
  if (!isUsableKey(name)) throw new CommandError(keyAdvice(name, context.command));
}

/** Asks the running Gatehouse, which may have a key that this shell does not know. */
async function readKeyState(
  context: CommandContext,
  { host }: CommandRepositories,
  { service, running }: ServiceInUse,
): Promise<KeyState> {
  if (service === null) {
    const none = `No service is configured yet. Name one: ${context.command} key set --upstream https://models.example.com`;
    const sentence =
      running === null
        ? (describeKeyWithoutService(context) ?? none)
        : `The Gatehouse that runs here (${describeProcess(running)}) uses the sandbox, which needs no service key.`;
    return { name: 'missing', sentence };
  }
  if (running?.key != null) return running.key;
  return (await openServiceKey(context, { host, account: service.baseUrl })).state();
}
