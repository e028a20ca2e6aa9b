import type { ProgramDiagnosis } from '../../shared/connect/diagnosis.ts';
import type { ProgramState } from '../../shared/connect/connection.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import { quoteForShell } from '../../shared/shell-quote.ts';
import type { Connections } from '../connect/connect.ts';
import { checkLatestRequests, type LatestRequestsDeps } from './check-latest-requests.ts';
import { checkPlaces } from './check-places.ts';
import { fail, ok, type Remedy, warn } from './finding.ts';

/** The Gatehouse of the data folder. */
interface Serving {
  readonly isRunning: boolean;
  /** The port of a start without options. */
  readonly usualPort: number;
  /** Describes the program that listens on a port of this machine; `null` when none does, or it is not known. */
  readonly describeListener: (port: number) => Promise<string | null>;
}

/** What the check of programs needs. */
export interface ProgramCheckDeps extends LatestRequestsDeps {
  readonly serving: Serving;
  readonly connections: Connections;
  /** Asks a program, by its path, for its version; `null` when it does not tell. */
  readonly readVersion: (path: string) => Promise<string | null>;
}

/**
 * Checks the settings and the latest requests of a program. `named`: whether a person asked for this program; any other that does not
 * lead here has no findings.
 */
export async function checkProgram(
  state: ProgramState,
  { connections, ...deps }: ProgramCheckDeps,
  named: boolean,
): Promise<readonly Finding[]> {
  const { id, name, foundAt, foundSettingsOnly, connection } = state;
  const diagnosis = await connections.diagnose(id);
  const leadsHere = connection !== null || diagnosis.addresses.length > 0;
  if (!leadsHere && !named) return [];
  const findings: Finding[] = [];
  const connect = toConnect(state, deps.command);
  if (foundAt === null) {
    findings.push(
      warn(id, `${name} was not found on this machine.`, 'Install it, or ignore this.'),
    );
  } else if (named && foundSettingsOnly) {
    // A Gatehouse that was not started in a terminal may have another PATH than the person.
    const sentence = `Settings of ${name} were found (${foundAt}), the program was not.`;
    findings.push(leadsHere ? ok(id, sentence) : warn(id, sentence, 'Install it, or ignore this.'));
  } else {
    const { executable } = diagnosis;
    const version = executable === null ? null : await deps.readVersion(executable);
    if (version !== null) findings.push(ok(id, `${name} ${version} is at ${executable}.`));
    else if (named) findings.push(ok(id, `${name} is at ${foundAt}.`));
  }
  findings.push(...checkFiles(diagnosis, state, connect));
  if (!leadsHere) {
    return [
      ...findings,
      warn(id, `The settings of ${name} do not lead to Gatehouse.`, '', connect),
      ...checkPlaces(diagnosis, state, deps.command),
    ];
  }
  findings.push(...(await checkAddresses(diagnosis, state, deps)));
  const key = checkKey(diagnosis, name, connect);
  if (key !== null) findings.push(key);
  findings.push(...checkPlaces(diagnosis, state, deps.command));
  const client = connection?.client ?? diagnosis.key.client;
  if (client !== null) findings.push(...(await checkLatestRequests(state, client, deps)));
  return findings;
}

/** Returns the way to connect a program once more. */
function toConnect({ id, connection }: ProgramState, command: string | null): Remedy {
  const project = connection?.project ?? null;
  const where = project === null ? '' : ` --project ${quoteForShell(project)}`;
  return {
    command: command === null ? null : `${command} connect ${id}${where}`,
    action: { kind: 'connect', program: id },
  };
}

function checkFiles(
  { program, files }: ProgramDiagnosis,
  { name, connection }: ProgramState,
  connect: Remedy,
): readonly Finding[] {
  return files.flatMap(({ path, exists, problem }) => {
    if (problem !== null) {
      return [fail(program, `${name}: ${problem}`, `Correct ${path}, then`, connect)];
    }
    const state = connection?.files.find((file) => file.path === path)?.state;
    if (state === 'gone' || (state !== undefined && !exists)) {
      return [fail(program, `${name}: ${path} is gone.`, 'Connect it again', connect)];
    }
    if (state === 'changed') {
      return [ok(program, `${name}: ${path} was changed since it was connected.`)];
    }
    return [];
  });
}

async function checkAddresses(
  { program, addresses }: ProgramDiagnosis,
  state: ProgramState,
  deps: Pick<ProgramCheckDeps, 'serving' | 'command'>,
): Promise<readonly Finding[]> {
  const { name } = state;
  const connect = toConnect(state, deps.command);
  if (addresses.length === 0) {
    const sentence = `${name}: its settings no longer hold the address of Gatehouse.`;
    return [fail(program, sentence, '', connect)];
  }
  const { isRunning } = deps.serving;
  const describe = async (one: FoundAddress): Promise<Finding> => {
    const { address, expected } = one;
    switch (one.state) {
      case 'right':
        return ok(
          program,
          `${name}: its settings lead ${isRunning ? `here (${address})` : `to ${address}`}.`,
        );
      case 'other-path':
        return warn(
          program,
          `${name}: its address is ${address}; Gatehouse repairs each of its requests.`,
          `It should be ${expected}`,
          connect,
        );
      case 'other-port':
        return await describeOtherPort(one, state, deps);
    }
  };
  const findings: Finding[] = [];
  // One after the other: to look whether a port is free, it is bound.
  for (const one of addresses) findings.push(await describe(one));
  return isRunning ? findings : [...findings, await describeIdle(addresses, state, deps)];
}

type FoundAddress = ProgramDiagnosis['addresses'][number];

/** Describes an address that leads to another port than that of Gatehouse. */
async function describeOtherPort(
  { address, expected }: FoundAddress,
  state: ProgramState,
  { serving, command }: Pick<ProgramCheckDeps, 'serving' | 'command'>,
): Promise<Finding> {
  const port = portOf(address);
  const listener = port === null ? null : await serving.describeListener(port);
  const there = listener === null ? '' : `, where ${listener} answers`;
  const here = serving.isRunning ? 'is' : 'will be';
  return fail(
    state.id,
    `${state.name}: its settings lead to ${address}${there}, and Gatehouse ${here} at ${expected}.`,
    port === serving.usualPort && listener === null && serving.isRunning
      ? 'Gatehouse was started with another port than usual. Start it without, or connect it again'
      : 'Connect it again',
    toConnect(state, command),
  );
}

/** Says that nothing answers a program, because no Gatehouse runs, and how to start one at its address or to undo the connection. */
async function describeIdle(
  addresses: readonly FoundAddress[],
  { id, name, connection }: ProgramState,
  { serving, command }: Pick<ProgramCheckDeps, 'serving' | 'command'>,
): Promise<Finding> {
  const { address } = addresses.find(({ state }) => state !== 'other-port') ?? addresses[0] ?? {};
  const port = address === undefined ? null : portOf(address);
  const start = command ?? 'gatehouse';
  const undo = connection === null ? '' : `; or undo: ${start} disconnect ${id}`;
  const listener = port === null ? null : await serving.describeListener(port);
  if (listener !== null) {
    return fail(
      id,
      `No Gatehouse is running here: at ${address}, to which ${name} leads, ${listener} answers.`,
      `Start this one with another port, then connect ${name} again: ${start} serve --port PORT${undo}`,
    );
  }
  const serve =
    port === null || port === serving.usualPort
      ? `${start} serve (or the app)`
      : `${start} serve --port ${port}`;
  return fail(
    id,
    `No Gatehouse is running, so ${name} gets no answer.`,
    `Start it: ${serve}${undo}`,
  );
}

/** Returns the port of an address; `null` when it is no address. */
function portOf(address: string): number | null {
  return URL.canParse(address) ? Number(new URL(address).port || 80) : null;
}

function checkKey(
  { program, key }: ProgramDiagnosis,
  name: string,
  connect: Remedy,
): Finding | null {
  const advice = 'Connect it again';
  const client = key.client === null ? '' : ` of the client “${key.client.name}”`;
  switch (key.state) {
    case 'valid':
      return ok(program, `${name}: its local key is that${client}.`);
    case 'expired':
      return fail(program, `${name}: its local key${client} has expired.`, advice, connect);
    case 'retired':
      return fail(
        program,
        `${name}: its local key${client} was revoked or replaced.`,
        advice,
        connect,
      );
    case 'unknown':
      return fail(program, `${name}: its local key is not known here.`, advice, connect);
    case 'absent':
      // Some programs keep it in the keychain.
      return null;
  }
}
