import type { ProgramState } from '../../shared/connect/connection.ts';
import type { ProgramDiagnosis, SettingsPlace } from '../../shared/connect/diagnosis.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import { quoteForShell } from '../../shared/shell-quote.ts';
import { fail, ok, type Remedy, warn } from './finding.ts';

type Setting = SettingsPlace['settings'][number];

/** A setting that no stronger place has. */
interface Winner {
  readonly place: SettingsPlace;
  readonly setting: Setting;
}

/**
 * Says which places beat the settings of a connection, with the way to mend it, which cannot be read, and lists all in which the
 * settings of a program can stand.
 */
export function checkPlaces(
  diagnosis: ProgramDiagnosis,
  state: ProgramState,
  command: string | null,
): readonly Finding[] {
  const { program, places, files, addresses } = diagnosis;
  if (places.length === 0) return [];
  const isConnected = state.connection !== null || addresses.length > 0;
  const beating = isConnected
    ? listWinners(diagnosis).flatMap((winner) =>
        describeBeating(winner, { diagnosis, state, command }),
      )
    : [];
  const unreadable = places
    // The variables of a shell can stand at two places in the order.
    .filter(({ path }, at) => places.findIndex((place) => place.path === path) === at)
    .filter(({ path, problem }) => problem !== null && !files.some((file) => file.path === path))
    .map(({ path, problem }) =>
      warn(
        program,
        `${state.name}: its settings can stand in ${path} too, which cannot be read. ${problem ?? ''}`,
        'Look whether an address stands there.',
      ),
    );
  return [...beating, ...unreadable, listPlaces(diagnosis, state, command)];
}

function listWinners({ places }: ProgramDiagnosis): readonly Winner[] {
  return places.flatMap((place) =>
    place.settings.filter(({ wins }) => wins).map((setting) => ({ place, setting })),
  );
}

function leadsHere(diagnosis: ProgramDiagnosis): boolean {
  return listWinners(diagnosis).some(
    ({ setting }) => setting.decides === 'address' && setting.state === 'here',
  );
}

interface Context {
  readonly diagnosis: ProgramDiagnosis;
  readonly state: ProgramState;
  readonly command: string | null;
}

/** Describes a setting that leads past Gatehouse, or that sends another key. */
function describeBeating(winner: Winner, context: Context): readonly Finding[] {
  const { place, setting } = winner;
  const isOwn = context.diagnosis.files.some(({ path }) => path === place.path);
  if (setting.state === 'here') return [];
  switch (setting.decides) {
    case 'address':
      // Those in the file of the connection are checked apart.
      return isOwn ? [] : [describeDetour(winner, context)];
    case 'provider':
      return [isOwn ? describeChoice(winner, context) : describeDetour(winner, context)];
    case 'key':
      // Where the address leads elsewhere, the key may be right for it. A local key in the file of the connection is checked apart.
      return (isOwn && setting.state === 'other-key') || !leadsHere(context.diagnosis)
        ? []
        : [describeOtherKey(winner, context)];
    case 'further-key':
      return [];
  }
}

function describeDetour({ place, setting }: Winner, context: Context): Finding {
  const { diagnosis, state } = context;
  const where = nameSetting(place, setting);
  const { advice, ...remedy } = findWayOut(place, setting, context);
  if (setting.state !== 'computed') {
    const sentence = `${where} sends ${state.name} past Gatehouse${toWhere(setting)}.`;
    return fail(diagnosis.program, sentence, advice, remedy);
  }
  const sentence = `${where} wins over the settings of ${state.name}, and the shell computes its value: it may lead past Gatehouse.`;
  return warn(diagnosis.program, sentence, advice, remedy);
}

/** Describes another provider in the file of the connection, which a person may have chosen in the program. */
function describeChoice({ place, setting }: Winner, { state, command }: Context): Finding {
  const sentence = `${nameSetting(place, setting)} sends ${state.name} past Gatehouse${toWhere(setting)}.`;
  const advice = 'Choose that of Gatehouse in the program, or connect it again';
  const project = state.connection?.project ?? null;
  return warn(state.id, sentence, advice, toConnect(state, command, project));
}

function describeOtherKey({ place, setting }: Winner, context: Context): Finding {
  const { diagnosis, state } = context;
  const { advice, ...remedy } = findWayOut(place, setting, context);
  if (diagnosis.files.some(({ path }) => path === place.path) && setting.state !== 'computed') {
    const sentence = `${nameSetting(place, setting)} is not the local key of ${state.name}: Gatehouse refuses its requests.`;
    return fail(diagnosis.program, sentence, advice, remedy);
  }
  const start = `${nameSetting(place, setting)} wins over the local key of ${state.name}`;
  if (setting.state === 'other-key') {
    return warn(diagnosis.program, `${start}, and is another local key.`, advice, remedy);
  }
  if (setting.state === 'computed') {
    const from = place.kind === 'file' ? 'comes from a variable' : 'is computed by the shell';
    return warn(diagnosis.program, `${start}, and ${from}.`, advice, remedy);
  }
  const sentence = `${start}, and is none: Gatehouse refuses its requests.`;
  return fail(diagnosis.program, sentence, advice, remedy);
}

function toWhere({ text, state, decides }: Setting): string {
  if (state === 'blank') return ': it is empty';
  if (text === null) return '';
  return decides === 'address' ? `, to ${text}` : `: it is “${text}”`;
}

function nameSetting({ kind, path }: SettingsPlace, { name, line }: Setting): string {
  if (kind === 'terminal') return `${name} in this terminal`;
  return `${name} in ${path}${line === null ? '' : `, line ${line},`}`;
}

interface WayOut extends Remedy {
  readonly advice: string;
}

/** Returns how a setting is taken away, or how a stronger place is set. */
function findWayOut(
  { kind, path }: SettingsPlace,
  { name, line }: Setting,
  { diagnosis, state, command }: Context,
): WayOut {
  if (kind === 'terminal') return leaveTerminal(name, diagnosis.shell);
  if (kind === 'profile') {
    return { advice: `Delete line ${line ?? ''} of ${path}, then open a new terminal.` };
  }
  const { places, files, folder, folderFile } = diagnosis;
  if (files.some((file) => file.path === path)) {
    const connect = toConnect(state, command, state.connection?.project ?? null);
    return { advice: `Take ${name} out of ${path}, then connect it again`, ...connect };
  }
  const own = places.findIndex((place) => place.path === folderFile);
  const isBelowOwn = places.findIndex((place) => place.path === path) < own;
  if (isBelowOwn && folder !== null) {
    const connect = toConnect(state, command, folder);
    return { advice: `Take ${name} out of ${path}, or connect this project`, ...connect };
  }
  return { advice: `Take ${name} out of ${path}.` };
}

/** Returns how a variable is taken out of a terminal. */
function leaveTerminal(name: string, shell: ProgramDiagnosis['shell']): WayOut {
  const advice = 'Take it out of this terminal, and of what sets it';
  switch (shell) {
    case 'posix':
      return { advice, command: `unset ${name}` };
    case 'fish':
      return { advice, command: `set --erase ${name}` };
    case 'windows':
      return {
        advice: `Take it out of the variables of your account, then open a new terminal. In this one, with PowerShell`,
        command: `Remove-Item Env:${name}`,
      };
  }
}

function toConnect({ id }: ProgramState, command: string | null, folder: string | null): Remedy {
  const where = folder === null ? '' : ` --project ${quoteForShell(folder)}`;
  return {
    command: command === null ? null : `${command} connect ${id}${where}`,
    action: { kind: 'connect', program: id },
  };
}

/** Lists the places in which the settings of a program can stand, weakest first. */
function listPlaces(
  { program, places, seesTerminal, shell, folder }: ProgramDiagnosis,
  { name }: ProgramState,
  command: string | null,
): Finding {
  const listed = places.filter(
    ({ kind, settings, problem }) => kind !== 'profile' || settings.length > 0 || problem !== null,
  );
  const unseen = [
    ...(seesTerminal
      ? []
      : [
          `the variables of a terminal, which cannot be seen from here${command === null ? '' : `: run ${command} doctor ${program} in it`}`,
        ]),
    ...(shell === 'windows' ? ['profiles of PowerShell: they are not read'] : []),
    ...(folder === null ? ['files of a project: none is known'] : []),
  ];
  const sentence = `${name}: the places in which its address can stand, the strongest last.`;
  return {
    ...ok(program, sentence),
    details: [...new Set([...listed.map(describePlace), ...unseen])],
  };
}

function describePlace(place: SettingsPlace): string {
  const { kind, exists, problem, counts, settings } = place;
  const where = kind === 'terminal' ? 'the variables of this terminal' : place.path;
  if (!exists) return `${where}: there is no such file`;
  if (problem !== null) return `${where}: cannot be read`;
  if (settings.length === 0) return `${where}: nothing of it`;
  const texts = settings.map((setting) => describeSetting(setting));
  const unused =
    kind === 'profile' ? ' (of a shell that is not yours)' : ' (only when you choose it)';
  return `${where}${counts ? '' : unused}: ${texts.join('; ')}`;
}

function describeSetting({ decides, name, line, text, state, wins }: Setting): string {
  const at = line === null ? name : `${name} (line ${line})`;
  return `${at} ${describeValue({ decides, text, state })}${wins ? ', wins' : ''}`;
}

function describeValue({
  decides,
  text,
  state,
}: Pick<Setting, 'decides' | 'text' | 'state'>): string {
  if (state === 'blank') return 'is empty';
  if (state === 'computed') return 'is computed';
  if (state === 'other-key') return 'is another local key';
  if (decides === 'address' || decides === 'provider') return `is ${text ?? 'something else'}`;
  return state === 'here' ? 'is its local key' : 'is a key of something else';
}
