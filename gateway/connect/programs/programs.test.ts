import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROGRAM_IDS, type ProgramId } from '../../../shared/connect/connection.ts';
import type { ConfigField, ConfigValue } from '../edit/config-format.ts';
import type { ConnectValues, KnownModel, ProgramFile, UserPlace } from '../program.ts';
import { ENVIRONMENTS } from './environments.ts';
import { PROGRAMS } from './programs.ts';

const ROOT = 'http://127.0.0.1:6417';
const KEY = 'gh-0123456789abcdefghij';
const HOME = join('/', 'home', 'ada');
const PROJECT = join('/', 'work', 'doors');
const KNOWN: KnownModel = {
  id: 'vendor/large',
  contextWindow: 200_000,
  maxOutput: 8_000,
  acceptsImages: true,
};
const UNKNOWN: KnownModel = {
  id: 'vendor/small',
  contextWindow: null,
  maxOutput: null,
  acceptsImages: false,
};

function valuesFor(model: KnownModel, smallModel: KnownModel): ConnectValues {
  return { root: ROOT, v1: `${ROOT}/v1`, key: KEY, model, smallModel };
}

const BOTH = valuesFor(KNOWN, UNKNOWN);

function placeWith(
  environment: Readonly<Record<string, string>> = {},
  platform: NodeJS.Platform = 'linux',
): UserPlace {
  return { home: HOME, environment, platform };
}

function filesOf(
  id: ProgramId,
  values: ConnectValues = BOTH,
  place = placeWith(),
): readonly ProgramFile[] {
  const { files, projectFiles } = PROGRAMS[id];
  return [...files(place, values), ...(projectFiles?.(PROJECT, values) ?? [])];
}

function allFields(files: readonly ProgramFile[]): readonly ConfigField[] {
  return files.flatMap(({ fields, companions = [] }) => [...fields, ...companions]);
}

/** Returns the texts in a value; fails for a value that no file can hold. */
function listTexts(value: ConfigValue | undefined): readonly string[] {
  if (value === undefined) throw new Error('A field has no value.');
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(listTexts);
}

function textsOf(files: readonly ProgramFile[]): readonly string[] {
  return allFields(files).flatMap(({ value }) => listTexts(value));
}

describe.each(PROGRAM_IDS)('%s', (id) => {
  const program = PROGRAMS[id];

  test('is defined under its own id, with a name and a sentence for the person', () => {
    expect(program.id).toBe(id);
    expect(program.name).not.toBe('');
    expect(program.notes(BOTH).length).toBeGreaterThan(0);
  });

  test('sets values only, each at a path of its own, whatever is known of the models', () => {
    for (const values of [BOTH, valuesFor(UNKNOWN, KNOWN), valuesFor(KNOWN, KNOWN)]) {
      const files = filesOf(id, values);
      expect(files.length).toBeGreaterThan(0);
      for (const file of files) {
        const paths = allFields([file]).map(({ path }) => JSON.stringify(path));
        expect(new Set(paths).size).toBe(paths.length);
      }
      expect(textsOf(files).length).toBeGreaterThan(0);
      expect(JSON.stringify(files)).not.toContain('null');
    }
  });

  test('is given the address in the style of its protocol, and the model', () => {
    const texts = textsOf(filesOf(id));
    const addresses = texts.filter((text) => text.startsWith(ROOT));
    const style =
      program.protocol === 'messages'
        ? `^${ROOT}$`
        : `^${ROOT}/v1(/${program.protocol === 'responses' ? 'responses' : 'chat/completions'})?$`;
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(address).toMatch(new RegExp(style, 'u'));
    expect(texts.join('\n')).toContain(KNOWN.id);
  });

  test('has the key in one of its files, unless it keeps keys in the keychain', () => {
    const holding = program
      .files(placeWith(), BOTH)
      .filter((file) => textsOf([file]).join('\n').includes(KEY));
    const expected = id === 'zed' || id === 'librechat' ? 0 : 1;
    expect(holding).toHaveLength(expected);
  });

  test('names the models when it is started, and has the key in no argument', () => {
    const start = program.start?.(BOTH);
    if (start === undefined) return;
    expect(start.args.join('\n')).not.toContain(KEY);
    expect(Object.values(start.environment).join('\n')).toContain(KEY);
    expect([...start.args, ...Object.values(start.environment)].join('\n')).toContain(KNOWN.id);
  });
});

test.each<[ProgramId, Record<string, string>, NodeJS.Platform, string]>([
  ['claude-code', {}, 'linux', join(HOME, '.claude', 'settings.json')],
  ['claude-code', { CLAUDE_CONFIG_DIR: '/c' }, 'linux', join('/c', 'settings.json')],
  ['codex', {}, 'darwin', join(HOME, '.codex', 'config.toml')],
  ['codex', { CODEX_HOME: '/c' }, 'linux', join('/c', 'config.toml')],
  ['opencode', {}, 'darwin', join(HOME, '.config', 'opencode', 'opencode.json')],
  ['opencode', { XDG_CONFIG_HOME: '/x' }, 'linux', join('/x', 'opencode', 'opencode.json')],
  ['qwen-code', {}, 'win32', join(HOME, '.qwen', 'settings.json')],
  ['cline', {}, 'linux', join(HOME, '.cline', 'data', 'settings', 'providers.json')],
  ['cline', { CLINE_DIR: '/c' }, 'linux', join('/c', 'data', 'settings', 'providers.json')],
  ['cline', { CLINE_DATA_DIR: '/d' }, 'linux', join('/d', 'settings', 'providers.json')],
  ['cline', { CLINE_PROVIDER_SETTINGS_PATH: '/p.json' }, 'linux', '/p.json'],
  ['continue', { CONTINUE_GLOBAL_DIR: '/c' }, 'linux', join('/c', 'config.yaml')],
  ['pi', { PI_CODING_AGENT_DIR: '/p' }, 'linux', join('/p', 'models.json')],
  ['zed', { XDG_CONFIG_HOME: '/x' }, 'linux', join('/x', 'zed', 'settings.json')],
  ['zed', { XDG_CONFIG_HOME: '/x' }, 'darwin', join(HOME, '.config', 'zed', 'settings.json')],
  ['zed', { APPDATA: '/a' }, 'win32', join('/a', 'Zed', 'settings.json')],
  ['aider', {}, 'linux', join(HOME, '.aider.conf.yml')],
  ['crush', { CRUSH_GLOBAL_CONFIG: '/c' }, 'linux', join('/c', 'crush.json')],
  ['crush', {}, 'darwin', join(HOME, '.config', 'crush', 'crush.json')],
  [
    'goose',
    {},
    'linux',
    join(HOME, '.config', 'goose', 'custom_providers', 'custom_gatehouse.json'),
  ],
  [
    'goose',
    {},
    'win32',
    join(
      HOME,
      'AppData',
      'Roaming',
      'Block',
      'goose',
      'config',
      'custom_providers',
      'custom_gatehouse.json',
    ),
  ],
  ['vscode-copilot', {}, 'linux', join(HOME, '.config', 'Code', 'User', 'chatLanguageModels.json')],
  [
    'vscode-copilot',
    {},
    'darwin',
    join(HOME, 'Library', 'Application Support', 'Code', 'User', 'chatLanguageModels.json'),
  ],
  [
    'vscode-copilot',
    { APPDATA: '/a' },
    'win32',
    join('/a', 'Code', 'User', 'chatLanguageModels.json'),
  ],
  [
    'raycast',
    { XDG_CONFIG_HOME: '/x' },
    'darwin',
    join(HOME, '.config', 'raycast', 'ai', 'providers.yaml'),
  ],
])('the file of %s with %j on %s is %s', (id, environment, platform, path) => {
  const place = placeWith(environment, platform);
  expect(PROGRAMS[id].files(place, BOTH)[0]?.path).toBe(path);
});

test('LibreChat has files only where it is installed', () => {
  expect(PROGRAMS.librechat.files(placeWith(), BOTH)).toEqual([]);
  expect(filesOf('librechat').map(({ path }) => path)).toEqual([
    join(PROJECT, 'librechat.yaml'),
    join(PROJECT, '.env'),
  ]);
});

test('numbers that the service does not say are left out, or named where a program needs them', () => {
  const paths = (id: ProgramId) =>
    JSON.stringify(allFields(filesOf(id, valuesFor(UNKNOWN, UNKNOWN))));
  expect(paths('codex')).not.toContain('model_context_window');
  expect(paths('claude-code')).not.toContain('CLAUDE_CODE_MAX');
  expect(paths('opencode')).not.toContain('limit');
  expect(paths('zed')).toContain('128000');
  expect(PROGRAMS.zed.notes(valuesFor(UNKNOWN, UNKNOWN)).join('\n')).toContain('128000');
});

test.each(Object.entries(ENVIRONMENTS))(
  'the environment %s has the key and the address',
  (_, { variables }) => {
    const all = Object.values(variables(BOTH)).join('\n');
    expect(all).toContain(KEY);
    expect(all).toContain(ROOT);
  },
);

test('the environments of SDKs have /v1 where the SDK does not add it', () => {
  expect(ENVIRONMENTS.openai.variables(BOTH).OPENAI_BASE_URL).toBe(`${ROOT}/v1`);
  expect(ENVIRONMENTS.anthropic.variables(BOTH).ANTHROPIC_BASE_URL).toBe(ROOT);
  expect(ENVIRONMENTS.ai.variables(BOTH).ANTHROPIC_BASE_URL).toBe(`${ROOT}/v1`);
});
