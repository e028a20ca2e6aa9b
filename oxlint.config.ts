import { defineConfig } from 'oxlint';

/** The directories of code, and those that each may import from. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  shared: [],
  sandbox: [],
  gateway: ['shared'],
  renderer: ['shared'],
  host: ['shared', 'gateway', 'sandbox'],
  electron: ['shared', 'gateway', 'host', 'sandbox'],
  cli: ['shared', 'gateway', 'host', 'sandbox'],
  // The packaged program is both shells in one.
  launcher: ['host', 'cli', 'electron'],
};
const DIRECTORIES = Object.keys(MAY_IMPORT);

interface GatewayModule {
  /** Files that others may import; unless given, the one that is called like the module. `*` for all. */
  readonly entries?: readonly string[];
  readonly mayImport: readonly string[];
  /** Files beside the modules that it may import besides `host`, `platform` and `errors`. */
  readonly root?: readonly string[];
}

/** The modules of the gateway, lowest first: a module imports only from those that it names, and only their entry files. */
const GATEWAY_MODULES: Record<string, GatewayModule> = {
  lib: { entries: ['*'], mayImport: [] },
  http: { entries: ['*'], mayImport: ['lib'] },
  keys: { entries: ['keys', 'key-mask', 'service-credentials'], mayImport: ['lib'] },
  store: { entries: ['store', 'trusted-clock'], mayImport: ['lib', 'keys'] },
  settings: { mayImport: ['lib', 'store'] },
  images: { mayImport: ['lib'] },
  usage: { mayImport: ['lib', 'http'] },
  history: { entries: ['history', 'exchange-ids'], mayImport: ['lib', 'store', 'keys'] },
  models: { mayImport: ['lib', 'store'] },
  clients: { mayImport: ['lib', 'store'] },
  'service-limit': {
    entries: ['service-limit', 'service-limits', 'limit-problems'],
    mayImport: ['lib', 'http'],
  },
  proxy: {
    mayImport: [
      'lib',
      'http',
      'keys',
      'store',
      'clients',
      'usage',
      'history',
      'models',
      'service-limit',
    ],
  },
  upstreams: {
    entries: ['*'],
    mayImport: ['lib', 'http', 'keys', 'store', 'models', 'service-limit', 'proxy'],
  },
  videos: {
    mayImport: ['lib', 'http', 'keys', 'store', 'images', 'history', 'proxy', 'upstreams'],
  },
  chat: { mayImport: ['lib', 'http', 'store', 'images', 'history'] },
  backup: { mayImport: ['lib', 'store'] },
  engine: {
    entries: ['*'],
    root: ['repositories'],
    mayImport: [
      'lib',
      'http',
      'keys',
      'store',
      'settings',
      'history',
      'service-limit',
      'proxy',
      'upstreams',
      'videos',
      'chat',
      'models',
      'clients',
    ],
  },
  api: {
    entries: ['api'],
    root: ['gateway'],
    mayImport: [
      'lib',
      'http',
      'keys',
      'store',
      'upstreams',
      'proxy',
      'clients',
      'models',
      'settings',
      'history',
      'videos',
      'chat',
      'images',
    ],
  },
};

/** Entry files of the gateway for the shells. */
const GATEWAY_FOR_SHELLS = [
  'gateway',
  'host',
  'platform',
  'errors',
  'lib/disk',
  'upstreams/connection-pool',
  ...['api', 'backup', 'clients', 'history', 'keys', 'models', 'store', 'upstreams', 'videos'].map(
    (name) => `${name}/${name}`,
  ),
];

function foreignDirectories(directory: string, open: readonly string[]) {
  return DIRECTORIES.filter((other) => other !== directory && !open.includes(other)).map(
    (other) => ({
      group: [`**/${other}/**`],
      message: `${directory}/ must not import from ${other}/.`,
    }),
  );
}

/** Files beside the modules that each of them may import. */
const ROOT_FILES = ['host', 'platform', 'errors'];

/** For the files of a module from which `up` leads to `gateway/`. */
function outsideModule(module: string, { mayImport, root = [] }: GatewayModule, up: string) {
  const rootFiles = [...ROOT_FILES, ...root];
  const beside = {
    group: [`${up}*.ts`, ...rootFiles.map((name) => `!${up}${name}.ts`)],
    message: `Of the files beside it, gateway/${module}/ imports only ${rootFiles.join(', ')}.`,
  };
  return [beside, ...otherModules(module, up, mayImport)];
}

function otherModules(module: string, up: string, mayImport: readonly string[]) {
  return Object.entries(GATEWAY_MODULES)
    .filter(([other]) => other !== module)
    .map(([other, { entries = [other] }]) =>
      mayImport.includes(other)
        ? {
            group: [`${up}${other}/**`, ...entries.map((entry) => `!${up}${other}/${entry}.ts`)],
            message: `Only ${entries.join(', ')} may be imported from outside ${other}/.`,
          }
        : {
            group: [`${up}${other}/**`],
            message: `gateway/${module}/ must not import from gateway/${other}/.`,
          },
    );
}

const electronOnly = [{ name: 'electron', message: 'Only electron/ may import Electron.' }];

/** The one file that starts programs, and so decides about their environment. */
const STARTS_PROGRAMS = 'host/process/child-process.ts';
const noPrograms = ['node:child_process', 'child_process'].map((name) => ({
  name,
  message: `Programs are started by ${STARTS_PROGRAMS} alone, which keeps keys out of their environment.`,
}));

const gatewayInside = {
  group: ['**/gateway/**', ...GATEWAY_FOR_SHELLS.map((entry) => `!**/gateway/${entry}.ts`)],
  message:
    'A shell imports only the entry files of the gateway that are listed in oxlint.config.ts.',
};

function boundaryPatterns(directory: string) {
  const open = MAY_IMPORT[directory] ?? [];
  return [
    ...foreignDirectories(directory, open),
    ...(open.includes('gateway') ? [gatewayInside] : []),
  ];
}

const boundaries = DIRECTORIES.map((directory) => ({
  files: [`${directory}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: directory === 'electron' ? noPrograms : [...electronOnly, ...noPrograms],
        patterns: boundaryPatterns(directory),
      },
    ] as const,
  },
}));

/** Levels of folders in a module; `test/boundaries.test.ts` checks that there are no more. */
const LEVELS = [0, 1, 2];

const gatewayBoundaries = Object.entries(GATEWAY_MODULES).flatMap(([name, module]) =>
  LEVELS.map((level) => ({
    files: [`gateway/${name}/${'*/'.repeat(level)}*.ts`],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [...electronOnly, ...noPrograms],
          patterns: [
            ...foreignDirectories('gateway', ['shared']),
            ...outsideModule(name, module, '../'.repeat(level + 1)),
          ],
        },
      ] as const,
    },
  })),
);

const sharedBoundary = {
  files: ['shared/**/*.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: ['*', '!zod', '!@orpc/contract', '!vitest', '!./**'],
            message: 'shared/ may import zod, @orpc/contract and its own files only.',
          },
        ],
      },
    ] as const,
  },
};

export default defineConfig({
  plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true, reportUnusedDisableDirectives: 'error' },
  rules: {
    // Cycles of types count, too.
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
    'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
    'max-params': ['error', { max: 4 }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/consistent-type-imports': 'error',
    // tsc and switch-exhaustiveness-check already watch this, and it contradicts exhaustive switches.
    'typescript/consistent-return': 'off',
  },
  overrides: [
    ...boundaries,
    ...gatewayBoundaries,
    sharedBoundary,
    {
      files: ['build/**/*.ts'],
      rules: { 'no-restricted-imports': ['error', { paths: noPrograms }] as const },
    },
    {
      files: [STARTS_PROGRAMS],
      rules: {
        'no-restricted-imports': [
          'error',
          {
            paths: electronOnly,
            patterns: boundaryPatterns('host'),
          },
        ] as const,
      },
    },
    {
      files: ['renderer/**/*.{ts,tsx}'],
      plugins: ['typescript', 'unicorn', 'oxc', 'import', 'promise', 'react', 'jsx-a11y'],
      rules: {
        'react/rules-of-hooks': 'error',
        'react/exhaustive-deps': 'error',
        // The compiler's own JSX runtime needs no import.
        'react/react-in-jsx-scope': 'off',
        // Style sheets are imported for what they do.
        'import/no-unassigned-import': ['error', { allow: ['**/*.css'] }],
      },
    },
    { files: ['**/*.config.ts'], rules: { 'import/no-default-export': 'off' } },
    {
      files: ['**/*.{test,spec}.ts'],
      rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' },
    },
  ],
});
