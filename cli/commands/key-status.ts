import { describeProcess, type LockOwner } from '../../host/lock/instance-lock.ts';
import { isUsableKey, keyAdvice } from '../../gateway/keys/keys.ts';
import type { KeyState } from '../../shared/upstream.ts';
import { CommandError } from '../errors.ts';
import type { CommandRepositories } from '../with-repositories.ts';
import { explainNoService, findServiceInUse } from '../service-in-use.ts';
import { openServiceKey, type Service, type ServiceFlags } from '../service.ts';
import type { CommandContext } from '../command-context.ts';

interface StatusFlags extends ServiceFlags {
  readonly json?: boolean;
}

/** Defines `gatehouse key status`, which shows where the service key is stored. @throws CommandError when it is needed and missing */
export async function showKeyStatus(
  context: CommandContext,
  repositories: CommandRepositories,
  flags: StatusFlags,
): Promise<void> {
  const { terminal, command } = context;
  const { service, running } = await findServiceInUse(context, repositories, flags);
  if (service === null) {
    const { sentence, usesSandbox } = await explainNoService(context, repositories, running);
    const isRunning = running !== null;
    const state = { upstream: null, state: 'missing', needed: !usesSandbox, sentence };
    if (flags.json === true) terminal.printJson({ ...state, running: isRunning });
    if (!usesSandbox) throw new CommandError(flags.json === true ? '' : sentence);
    if (flags.json !== true) terminal.printText(sentence);
    return;
  }
  const { name, sentence } = await readKeyState(context, repositories, { service, running });
  const upstream = service.baseUrl;
  if (flags.json === true) {
    const state = { upstream, state: name, needed: true, sentence };
    terminal.printJson({ ...state, running: running !== null });
    if (!isUsableKey(name)) throw new CommandError('');
    return;
  }
  const by =
    running === null ? '' : `, used by the Gatehouse that runs here (${describeProcess(running)})`;
  terminal.printText(`${sentence}\nService: ${upstream}${by}`);
  if (!isUsableKey(name)) throw new CommandError(keyAdvice(name, command));
}

/** Asks the running Gatehouse, which may have a key that this shell does not know. */
async function readKeyState(
  context: CommandContext,
  { host }: CommandRepositories,
  { service, running }: { readonly service: Service; readonly running: LockOwner | null },
): Promise<KeyState> {
  if (running?.key != null) return running.key;
  return (await openServiceKey(context, { host, account: service.baseUrl })).state();
}
