import { isDeepStrictEqual } from 'node:util';
import {
  CONFIG_FORMATS,
  type ConfigField,
  type ConfigValue,
  type PathStep,
} from './edit/config-format.ts';
import { areFromGone, type GoneContext } from './gone-keys.ts';
import { hashValue } from './hash-value.ts';
import type { JournalFile } from './journal/journal.ts';
import type { ConnectValues, ProgramFile } from './program.ts';
import { toText } from './text.ts';
import { readUserFile } from './write-file.ts';

type Path = readonly PathStep[];

/** Stand for the values that differ between connections. */
const ROOT = 'http://127.0.0.1:1';
const KEY = `gh-${'k'.repeat(43)}`;
const MODEL = 'any-model-of-a-service';
const WINDOW = 918_273;
const OUTPUT = 18_273;
/** Patterns of such values in a text. */
const PATTERNS: readonly (readonly [string, string])[] = [
  [ROOT, String.raw`https?://(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?`],
  [KEY, String.raw`gh-[\w-]{43}`],
  [MODEL, '(.+)'],
  [String(WINDOW), String.raw`\d+`],
  [String(OUTPUT), String.raw`\d+`],
];

/** A field of a file with the value that it has, beside the one that a connection sets. */
interface FoundField {
  readonly path: Path;
  readonly template: ConfigValue;
  readonly value: ConfigValue;
  /** The models in its path and value; `null` where the value is not as a connection sets it. */
  readonly models: readonly string[] | null;
}

/**
 * Finds what a Gatehouse that is gone has set in the files of a program, as a connection that can be undone: exactly the fields whose
 * values a connection sets. One that anybody may have, such as a model, is among them only beside others that Gatehouse alone sets, or
 * when it names a model of those. No files where the settings are not from a Gatehouse that is gone.
 */
export async function findGoneFiles(
  filesOf: (values: ConnectValues) => readonly ProgramFile[],
  context: GoneContext,
): Promise<readonly JournalFile[]> {
  const found = await Promise.all(listTemplates(filesOf).map(readFound));
  const values = found.flatMap(({ fields }) => fields.map(({ value }) => value));
  if (
    !(await areFromGone(
      values.map((value) => JSON.stringify(value)),
      context,
    ))
  )
    return [];
  const models = new Set(found.flatMap(({ fields }) => fields.filter(isOwn)).flatMap(modelsOf));
  return found.flatMap(({ file, target, fields }) => {
    const gone = fields.filter((field) => isGone(field, fields, models));
    return gone.length === 0 ? [] : [toFile(file, target, gone)];
  });
}

/** Returns the files with each field that a connection may set, whatever is known of its model. */
function listTemplates(
  filesOf: (values: ConnectValues) => readonly ProgramFile[],
): readonly ProgramFile[] {
  const sizes = [
    [WINDOW, OUTPUT],
    [WINDOW, null],
    [null, null],
  ] as const;
  const all = sizes.map(([contextWindow, maxOutput]) => {
    const model = { id: MODEL, contextWindow, maxOutput, acceptsImages: true };
    return filesOf({ root: ROOT, v1: `${ROOT}/v1`, key: KEY, model, smallModel: model });
  });
  const [first = []] = all;
  return first.map((file) => {
    const fields: ConfigField[] = [];
    for (const field of all
      .flat()
      .filter(({ path }) => path === file.path)
      .flatMap((one) => one.fields)) {
      if (!fields.some(({ path }) => isDeepStrictEqual(path, field.path))) fields.push(field);
    }
    return { ...file, fields };
  });
}

interface FoundFile {
  readonly file: ProgramFile;
  readonly target: string;
  readonly fields: readonly FoundField[];
}

/** Reads the fields of a file; none where it cannot be read. */
async function readFound(file: ProgramFile): Promise<FoundFile> {
  try {
    const { bytes, target } = await readUserFile(file.path);
    const text = bytes === null ? '' : toText(bytes, file.path);
    const root = CONFIG_FORMATS[file.format].read(text, []);
    return { file, target, fields: file.fields.flatMap((field) => findFields(root, field)) };
  } catch {
    // The plan of the connection says why.
    return { file, target: file.path, fields: [] };
  }
}

/** Finds the values at a path, in which a model stands for each name that is there. */
function findFields(root: ConfigValue | undefined, { path, value: template }: ConfigField) {
  const found = path.reduce<
    readonly { path: Path; value: ConfigValue; models: readonly string[] }[]
  >(
    (level, step) =>
      level.flatMap((one) =>
        listSteps(one.value, step).map(({ name, value, model }) => ({
          path: [...one.path, name],
          value,
          models: model === null ? one.models : [...one.models, model],
        })),
      ),
    root === undefined ? [] : [{ path: [], value: root, models: [] }],
  );
  return found.map(({ path: at, value, models }): FoundField => {
    const matched = matchValue(template, value);
    return { path: at, template, value, models: matched === null ? null : [...models, ...matched] };
  });
}

interface FoundStep {
  readonly name: PathStep;
  readonly value: ConfigValue;
  readonly model: string | null;
}

function listSteps(value: ConfigValue, step: PathStep): readonly FoundStep[] {
  if (typeof value !== 'object' || value === null) return [];
  if (typeof step === 'string') {
    if (Array.isArray(value)) return [];
    return Object.entries(value).flatMap(([name, member]) =>
      name === step || step === MODEL
        ? [{ name, value: member, model: step === MODEL ? name : null }]
        : [],
    );
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: ConfigValue): FoundStep[] => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return [];
    const is = Object.entries(item).find(([name]) => name === step.where)?.[1];
    if (typeof is !== 'string' || (is !== step.is && step.is !== MODEL)) return [];
    return [{ name: { where: step.where, is }, value: item, model: step.is === MODEL ? is : null }];
  });
}

/** Returns the models in a value that is as the template; `null` when it is not. */
function matchValue(template: ConfigValue, value: ConfigValue): readonly string[] | null {
  if (typeof template !== 'string' || typeof value !== 'string') {
    const isSameKind =
      typeof template === typeof value && Array.isArray(template) === Array.isArray(value);
    return isSameKind && value !== null ? [] : null;
  }
  const pattern = PATTERNS.reduce(
    (text, [placeholder, part]) => text.replaceAll(escapePattern(placeholder), () => part),
    escapePattern(template),
  );
  return new RegExp(`^${pattern}$`, 'u').exec(value)?.slice(1) ?? null;
}

function escapePattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}/]/gu, String.raw`\$&`);
}

/** Whether nothing but Gatehouse sets such a value. */
function isOwn({ template }: FoundField): boolean {
  const text = JSON.stringify(template);
  return text.includes(ROOT) || text.includes(KEY) || /gatehouse/iu.test(text);
}

function modelsOf({ models }: FoundField): readonly string[] {
  return models ?? [];
}

function isGone(
  field: FoundField,
  all: readonly FoundField[],
  models: ReadonlySet<string>,
): boolean {
  if (field.models === null) return false;
  if (field.template === '' || isOwn(field)) return true;
  if (field.models.some((model) => models.has(model))) return true;
  for (let length = field.path.length - 1; length >= 0; length -= 1) {
    const around = field.path.slice(0, length);
    const own = all.filter((one) => isOwn(one) && isDeepStrictEqual(one.path.slice(0, -1), around));
    if (own.length > 0) return own.every((one) => one.models !== null);
  }
  return false;
}

function toFile(
  { path, format, companions = [] }: ProgramFile,
  target: string,
  gone: readonly FoundField[],
): JournalFile {
  const fields = [
    ...gone.map((field) => ({
      path: [...field.path],
      valueHashes: [hashValue(field.value)],
      emptyParents: field.path.length - 1,
      isCompanion: false,
    })),
    ...companions.map((field) => ({
      path: [...field.path],
      valueHashes: [hashValue(field.value)],
      emptyParents: 0,
      isCompanion: true,
    })),
  ];
  return { path, target, format, before: null, after: [], copy: null, createdFolders: [], fields };
}
