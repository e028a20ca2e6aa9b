import type { SettingsPlace } from '../../../shared/connect/diagnosis.ts';
import type { Clients } from '../../clients/clients.ts';
import { findLocalKeys } from '../../clients/local-key.ts';
import { UserError } from '../../errors.ts';
import { CONFIG_FORMATS, ConfigFormatError, type ConfigValue } from '../edit/config-format.ts';
import { formatPath } from '../edit/config-format-error.ts';
import { assertPlainJson } from '../edit/plain-json.ts';
import type {
  ConnectableProgram,
  ConnectValues,
  DecidingSetting,
  SettingsLayer,
  StartPlace,
} from '../program.ts';
import { toText } from '../text.ts';
import { readUserFile } from '../write-file.ts';
import { readShellProfiles } from './shell-profiles.ts';

/** What is compared with the settings of a program. */
interface LayerContext {
  readonly place: StartPlace;
  /** The variables of the person's terminal; `null` when they cannot be seen. */
  readonly variables: Readonly<Record<string, string | undefined>> | null;
  readonly values: ConnectValues;
  /** The further addresses of Gatehouse, such as `http://172.17.0.1:6417`. */
  readonly further: readonly string[];
  /** The client of the connection; `null` without one. */
  readonly clientId: string | null;
  readonly clients: Clients;
}

type FoundPlace = Omit<SettingsPlace, 'settings'> & { readonly settings: readonly Found[] };

interface Found {
  readonly setting: DecidingSetting;
  readonly line: number | null;
  /** `null` where the shell computes it. */
  readonly value: ConfigValue;
  /** Its name where it is not its path. */
  readonly name?: string;
}

/** Reads all places in which the settings of a program can stand, weakest first, and says which of them count. */
export async function readLayers(
  program: ConnectableProgram,
  context: LayerContext,
): Promise<SettingsPlace[]> {
  const { place, values } = context;
  const layers = program.layers?.(place, values) ?? toLayers(program, place, values);
  const found: FoundPlace[] = [];
  for (const layer of layers) {
    // In the home folder the file of the project is that of the user.
    if (found.some(({ path }) => path !== '' && path === layer.file?.path)) continue;
    found.push(
      ...(layer.file === null
        ? await readVariables(layer, context)
        : [await readFile(layer.file, layer)]),
    );
  }
  const decided = new Set<string>();
  const places: SettingsPlace[] = [];
  for (const { settings, ...one } of found.toReversed()) {
    const judged: SettingsPlace['settings'] = [];
    for (const each of settings) {
      const group = each.setting.group ?? each.setting.decides;
      const wins = one.counts && !decided.has(group);
      if (wins) decided.add(group);
      judged.push({ ...(await judge(each, context)), wins });
    }
    places.unshift({ ...one, settings: judged });
  }
  return places;
}

/** Finds the settings of a program that reads only the files of the user: those with the address, and with the key. */
function toLayers(
  program: ConnectableProgram,
  place: StartPlace,
  values: ConnectValues,
): readonly SettingsLayer[] {
  return program.files(place, values).map((file) => ({
    file,
    settings: file.fields.flatMap(({ path, value }): DecidingSetting[] => {
      const text = JSON.stringify(value);
      if (text.includes(values.root)) return [{ decides: 'address', path }];
      return text.includes(values.key) ? [{ decides: 'key', path }] : [];
    }),
  }));
}

async function readFile(
  { path, format, plainJsonFor }: NonNullable<SettingsLayer['file']>,
  { settings, isChosen = false }: SettingsLayer,
): Promise<FoundPlace> {
  const one = { kind: 'file', path, exists: true, counts: !isChosen, problem: null } as const;
  try {
    const { bytes } = await readUserFile(path);
    if (bytes === null) return { ...one, exists: false, settings: [] };
    const text = toText(bytes, path);
    if (plainJsonFor !== undefined) assertPlainJson(text, plainJsonFor);
    const found = settings.flatMap((setting): Found[] => {
      const value = CONFIG_FORMATS[format].read(text, setting.path);
      return value === undefined || value === null ? [] : [{ setting, line: null, value }];
    });
    return { ...one, settings: found };
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof ConfigFormatError)) throw error;
    const line =
      error instanceof ConfigFormatError && error.line !== null ? `Line ${error.line}: ` : '';
    return { ...one, counts: false, problem: line + error.message, settings: [] };
  }
}

/** Reads variables in the profiles of the shells, and in the terminal, which has what those gave it. */
async function readVariables(
  layer: SettingsLayer,
  { place, variables }: LayerContext,
): Promise<readonly FoundPlace[]> {
  const profiles = await readShellProfiles(place);
  const files = profiles.map(({ variables: exported, ...profile }): FoundPlace => {
    const settings = findVariables(layer, (name) => exported.get(name));
    const counts = profile.counts && profile.problem === null;
    return { ...profile, kind: 'profile', exists: true, counts, settings };
  });
  if (variables === null) return files;
  const found = findVariables(layer, (name) => {
    const value = variables[name];
    return value === undefined ? undefined : { line: null, value };
  });
  const terminal = {
    kind: 'terminal',
    path: '',
    exists: true,
    counts: true,
    problem: null,
  } as const;
  return [...files, { ...terminal, settings: found }];
}

/** Finds each setting in its variable, or in the JSON of the variable that holds them all. */
function findVariables(
  { settings, variable: whole }: SettingsLayer,
  read: (name: string) => (Pick<Found, 'line'> & { readonly value: string | null }) | undefined,
): readonly Found[] {
  return settings.flatMap((setting): readonly Found[] => {
    const found = read(whole ?? nameOf(setting));
    if (found === undefined) return [];
    if (whole === undefined) return [{ setting, ...found }];
    if (found.value === null) {
      return setting.decides === 'address' ? [{ setting, ...found, name: whole }] : [];
    }
    const value = readMember(found.value, setting);
    return value === undefined || value === null ? [] : [{ setting, ...found, value, name: whole }];
  });
}

/** Returns a member of a text of JSON; `undefined` also for any other text. */
function readMember(text: string, { path }: DecidingSetting): ConfigValue | undefined {
  try {
    return CONFIG_FORMATS.json.read(text, path);
  } catch (error) {
    if (!(error instanceof ConfigFormatError)) throw error;
    return undefined;
  }
}

function nameOf({ path }: DecidingSetting): string {
  return formatPath(path);
}

type Judged = Omit<SettingsPlace['settings'][number], 'wins'>;

async function judge(
  { setting, line, value: found, name = nameOf(setting) }: Found,
  { values, further, clientId, clients, variables }: LayerContext,
): Promise<Judged> {
  const { decides, ours, isVariable = false } = setting;
  const judged = { decides, name, line, text: null };
  // A variable that is not in the terminal may be in a file that the program reads.
  const value = isVariable && typeof found === 'string' ? readVariable(variables, found) : found;
  if (value === null) return { ...judged, state: 'computed' };
  const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
  if (decides === 'provider') {
    const isOurs = ours?.test(text) === true;
    return { ...judged, text: toShownName(text), state: isOurs ? 'here' : 'elsewhere' };
  }
  if (text === '') return { ...judged, state: 'blank' };
  if (decides !== 'address') return { ...judged, state: await judgeKey(text, clientId, clients) };
  const address = /^https?:/iu.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (address === null) return { ...judged, state: 'elsewhere' };
  // The path of a foreign address may be secret, as its credentials and its query are.
  return isHere(address, values.root) ||
    further.some((one) => new URL(one).origin === address.origin)
    ? {
        ...judged,
        text: `${address.origin}${address.pathname}`.replace(/^(https?:\/\/[^/]+)\/$/u, '$1'),
        state: 'here',
      }
    : { ...judged, text: address.origin, state: 'elsewhere' };
}

function readVariable(variables: LayerContext['variables'], name: string): string | null {
  return variables !== null && Object.hasOwn(variables, name) ? (variables[name] ?? null) : null;
}

async function judgeKey(
  text: string,
  clientId: string | null,
  clients: Clients,
): Promise<Judged['state']> {
  const keys = findLocalKeys(text);
  // Such as `{env:NAME}` and `$NAME`.
  if (keys.length === 0) return /^[{$]/u.test(text) ? 'computed' : 'elsewhere';
  const match = await clients.findUncached(keys);
  const isOwn =
    match !== null && !match.client.expired && (clientId === null || match.client.id === clientId);
  return isOwn ? 'here' : 'other-key';
}

function isHere({ hostname, port, protocol }: URL, root: string): boolean {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  return isLocal && protocol === 'http:' && port === new URL(root).port;
}

/** Returns the name of a provider or a model; `null` for a text that may be something else. */
function toShownName(text: string): string | null {
  return /^[\w./:@ -]{1,100}$/u.test(text) ? text : null;
}
