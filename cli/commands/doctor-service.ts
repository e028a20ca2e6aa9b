import {
  describeAnswer,
  describeKeyFile,
  describeUnusableKey,
  fail,
  ok,
  warn,
} from '../../gateway/doctor/doctor.ts';
import { findKeyPlaces, isUsableKey } from '../../gateway/keys/keys.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import type { KeyState } from '../../shared/upstream.ts';
import { describeProcess, type LockOwner } from '../../host/lock/instance-lock.ts';
import type { CommandContext } from '../command-context.ts';
import {
  describeKeyWithoutService,
  openServiceKey,
  type Service,
  type ServiceFlags,
} from '../service.ts';
import { explainNoService, findServiceInUse } from '../service-in-use.ts';
import type { CommandRepositories } from '../with-repositories.ts';
import { testKey } from './key.ts';

/** Checks the service in use: its key, whether it accepts it, its models and its clock. */
export async function checkService(
  context: CommandContext,
  repositories: CommandRepositories,
  flags: ServiceFlags,
): Promise<readonly Finding[]> {
  const { service, running } = await findServiceInUse(context, repositories, flags);
  if (service === null && running !== null) {
    return [
      ok('service', `The Gatehouse that runs here (${describeProcess(running)}) uses the sandbox.`),
    ];
  }
  if (service === null) {
    const lonely = describeKeyWithoutService(context);
    const { sentence, usesSandbox } = await explainNoService(context, repositories, running);
    if (usesSandbox) return [ok('service', sentence)];
    return [
      ...(lonely === null ? [] : [warn('key', lonely, '')]),
      warn('service', 'No service is configured, so the sandbox is used.', 'Name yours', {
        command: `${context.command} key set --upstream https://models.example.com`,
      }),
    ];
  }
  const keys = await openServiceKey(context, { host: repositories.host, account: service.baseUrl });
  const state = keys.state();
  const key = keys.current();
  const theirs = key === null ? (running?.key ?? null) : null;
  if (theirs !== null && running !== null) return checkRunningGatehouse(service, running, theirs);
  if (key === null) {
    return [describeUnusableKey(state, context.command)];
  }
  const place =
    state.name === 'file' ? await checkKeyFile(context, repositories) : ok('key', state.sentence);
  return [place, ...(await checkServiceAnswer(context, service, key))];
}

async function checkKeyFile(
  { command }: CommandContext,
  { host }: CommandRepositories,
): Promise<Finding> {
  const [keychain] = await findKeyPlaces(host);
  return describeKeyFile(keychain?.works === true && keychain.reason === null, command);
}

/** Tests the key of the running Gatehouse, which this shell does not know. */
function checkRunningGatehouse(
  { baseUrl }: Service,
  running: LockOwner,
  { name, sentence }: KeyState,
): readonly Finding[] {
  const runningProcess = `the Gatehouse that runs here (${describeProcess(running)})`;
  if (!isUsableKey(name)) return [fail('key', `Of ${runningProcess}: ${sentence}`, '')];
  return [
    ok('key', `Of ${runningProcess}: ${sentence}`),
    warn(
      'service',
      `${baseUrl} is used, with a key that this shell does not know, so it was not tested.`,
      'Test the key in its window: Settings, Test. Or give the key to this shell in GATEHOUSE_UPSTREAM_KEY.',
    ),
  ];
}

async function checkServiceAnswer(
  context: CommandContext,
  service: Service,
  key: string,
): Promise<readonly Finding[]> {
  const startedAt = performance.now();
  const tested = await testKey(context, service, key);
  const answer = { ...tested, durationMs: performance.now() - startedAt };
  return describeAnswer(service.baseUrl, answer, context.now());
}
