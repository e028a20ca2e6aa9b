import type { ProgramDiagnosis, SettingsPlace } from '../../shared/connect/diagnosis.ts';
import type { Clients } from '../clients/clients.ts';
import { findLocalKeys } from '../clients/local-key.ts';
import { UserError } from '../errors.ts';
import {
  CONFIG_FORMATS,
  type ConfigField,
  ConfigFormatError,
  type ConfigValue,
} from './edit/config-format.ts';
import { assertPlainJson } from './edit/plain-json.ts';
import type { JournalEntry, JournalFile } from './journal/journal.ts';
import { findExecutable } from './find-program.ts';
import { readLayers } from './layers/read-layers.ts';
import { findShellKind } from './layers/shell-profiles.ts';
import type { ConnectableProgram, ConnectValues, UserPlace } from './program.ts';
import { toText } from './text.ts';
import { readUserFile } from './write-file.ts';

/** An address of this machine in a value, with its path. */
const LOCAL_ADDRESS = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?[^\s"'`,;}\]]*/giu;
/** Stands for values that the diagnosis does not compare. */
const KEY = 'key';

/** A terminal in which a person starts programs. */
export interface Terminal {
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Absolute path of its folder; `null` when that is gone. */
  readonly folder: string | null;
}

interface DiagnosisContext {
  /** The local address without a path. */
  readonly root: string;
  /** Its further addresses, such as `http://172.17.0.1:6417`. */
  readonly further: readonly string[];
  /** The connection that was made: its files and fields are read. `null`: those of the user, as a new connection has them. */
  readonly entry: JournalEntry | null;
  readonly clients: Clients;
  readonly terminal: Terminal | null;
}

/** Reads the settings of a program and says whether they lead to this Gatehouse; changes nothing. */
export async function diagnoseProgram(
  program: ConnectableProgram,
  place: UserPlace,
  { root, further, entry, clients, terminal }: DiagnosisContext,
): Promise<ProgramDiagnosis> {
  const model = {
    id: entry?.model ?? '',
    contextWindow: null,
    maxOutput: null,
    acceptsImages: false,
  };
  const values: ConnectValues = { root, v1: `${root}/v1`, key: KEY, model, smallModel: model };
  const { project = place.home } = entry ?? {};
  const folder = entry?.project ?? terminal?.folder ?? null;
  const known = [
    ...program.files(place, values),
    ...(entry === null ? [] : (program.projectFiles?.(project, values) ?? [])),
  ];
  const files =
    entry?.files.map((file) => ({
      ...file,
      plainJsonFor: known.find(({ format }) => format === file.format)?.plainJsonFor,
    })) ?? known;
  const found: ProgramDiagnosis['files'] = [];
  const addresses: string[] = [];
  const keys: string[] = [];
  for (const file of files) {
    const { exists, problem, texts } = await readFields(file);
    found.push({ path: file.path, exists, problem });
    addresses.push(...texts.flatMap((text) => findAddresses(text, further)));
    keys.push(...texts.flatMap(findLocalKeys));
  }
  const places = await readLayers(program, {
    place: { ...place, folder },
    variables: terminal?.variables ?? null,
    values,
    further,
    clientId: entry?.client.id ?? null,
    clients,
  });
  addresses.push(...listLocalWinners(places));
  const expected = known.flatMap(({ fields }) => fields.flatMap(({ value }) => listTexts(value)));
  return {
    program: program.id,
    executable: findExecutable(program, place),
    files: found,
    addresses: [...new Set(addresses)].map((address) => ({
      address,
      state: judgeAddress(toFirst(address, root, further), root, expected),
      expected: expected.find((text) => text.startsWith(root)) ?? root,
    })),
    key: await judgeKeys(keys, clients),
    places,
    seesTerminal: terminal !== null,
    shell: findShellKind(place),
    folder,
    folderFile: folder === null ? null : (program.projectFiles?.(folder, values)[0]?.path ?? null),
  };
}

/** Lists the addresses that win and lead here, also from a place that a connection does not set. */
function listLocalWinners(places: readonly SettingsPlace[]): readonly string[] {
  return places
    .flatMap(({ settings }) => settings)
    .filter(({ decides, state, wins }) => decides === 'address' && state === 'here' && wins)
    .flatMap(({ text }) => text ?? []);
}

interface FoundFields {
  readonly exists: boolean;
  readonly problem: string | null;
  readonly texts: readonly string[];
}

/** Reads the fields of a file that a connection sets. */
async function readFields({
  path,
  format,
  fields,
  plainJsonFor,
}: Pick<JournalFile, 'path' | 'format'> & {
  readonly fields: readonly Pick<ConfigField, 'path'>[];
  readonly plainJsonFor?: string | undefined;
}): Promise<FoundFields> {
  try {
    const { bytes } = await readUserFile(path);
    if (bytes === null) return { exists: false, problem: null, texts: [] };
    const text = toText(bytes, path);
    const values = fields.map((field) => CONFIG_FORMATS[format].read(text, field.path));
    const texts = values.flatMap((value) => (value === undefined ? [] : listTexts(value)));
    if (plainJsonFor !== undefined) assertPlainJson(text, plainJsonFor);
    return { exists: true, problem: null, texts };
  } catch (error) {
    if (!(error instanceof UserError) && !(error instanceof ConfigFormatError)) throw error;
    const line =
      error instanceof ConfigFormatError && error.line !== null ? `Line ${error.line}: ` : '';
    return { exists: true, problem: line + error.message, texts: [] };
  }
}

function listTexts(value: ConfigValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(listTexts);
}

function findAddresses(text: string, further: readonly string[]): readonly string[] {
  if (!isFurther(text, further)) return text.match(LOCAL_ADDRESS) ?? [];
  // Credentials and a query may be secret.
  const { origin, pathname } = new URL(text);
  return [pathname === '/' ? origin : origin + pathname];
}

/** Returns the address that leads to the same from this machine itself. */
function toFirst(address: string, root: string, further: readonly string[]): string {
  return isFurther(address, further) ? address.replace(new URL(address).origin, root) : address;
}

function isFurther(text: string, further: readonly string[]): boolean {
  return URL.canParse(text) && further.some((one) => new URL(one).origin === new URL(text).origin);
}

/** An address is right, leads here in another style than the program needs, or leads to another port. */
function judgeAddress(
  address: string,
  root: string,
  expected: readonly string[],
): ProgramDiagnosis['addresses'][number]['state'] {
  const plain = address.replace(/\/$/u, '');
  if (expected.some((text) => text.replace(/\/$/u, '') === plain)) return 'right';
  // A port that is too large makes it no URL.
  const isHere = URL.canParse(plain) && new URL(plain).port === new URL(root).port;
  return isHere ? 'other-path' : 'other-port';
}

async function judgeKeys(
  keys: readonly string[],
  clients: Clients,
): Promise<ProgramDiagnosis['key']> {
  if (keys.length === 0) return { state: 'absent', client: null };
  const match = await clients.findUncached(keys);
  if (match !== null) {
    const { id, name, expired } = match.client;
    return { state: expired ? 'expired' : 'valid', client: { id, name } };
  }
  const retired = clients.findRetired(keys);
  if (retired === null) return { state: 'unknown', client: null };
  const { id, name } = retired.client;
  return { state: 'retired', client: { id, name } };
}
