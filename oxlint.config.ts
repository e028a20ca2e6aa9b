import { defineConfig, type OxlintOverride } from 'oxlint';
import { GATEWAY_MODULES, type GatewayModule } from './gateway-modules.ts';

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
  bench: ['shared', 'gateway', 'host'],
  // Its own folder electron/ has the name of the shell, so the linter cannot tell them apart.
  build: ['gateway', 'host', 'electron'],
};
const DIRECTORIES = Object.keys(MAY_IMPORT);

/** Entry files of the gateway for the shells. */
const GATEWAY_FOR_SHELLS = [
  'gateway',
  'host',
  'platform',
  'errors',
  'lib/disk',
  'lib/exclusive-lock',
  'api/router',
  'store/database-worker',
  'bodies/read-file',
  'history/usage/read-session',
  'bodies/change-file',
  'engine/exchanges/exchange-changes',
  'lib/json-object',
  'prices/price-files',
  'upstreams/connection-pool',
  ...'api backup bodies chat clients connect doctor export history keys models prices reconcile store upstreams videos'
    .split(' ')
    .map((name) => `${name}/${name}`),
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

/** Returns the packages that a directory must not import. The benchmarks start other programs to compare with. */
function restrictedPaths(directory: string) {
  return [
    ...(directory === 'electron' ? [] : electronOnly),
    ...(directory === 'bench' ? [] : noPrograms),
  ];
}

const boundaries = DIRECTORIES.map((directory): OxlintOverride => ({
  files: [`${directory}/**/*.{ts,tsx}`],
  rules: {
    'no-restricted-imports': [
      'error',
      { paths: restrictedPaths(directory), patterns: boundaryPatterns(directory) },
    ],
  },
}));

/** Levels of folders in a module; `test/all/boundaries.test.ts` checks that there are no more. */
const LEVELS = [0, 1, 2];

const gatewayBoundaries = Object.entries(GATEWAY_MODULES).flatMap(([name, module]) =>
  LEVELS.map((level): OxlintOverride => ({
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
      ],
    },
  })),
);

/** Restricts two files that every module may import: they import no module but the lowest. `platform.ts` names the type of the keys. */
const gatewayRootBoundary: OxlintOverride = {
  files: ['gateway/{host,errors}.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: [...electronOnly, ...noPrograms],
        patterns: [
          ...foreignDirectories('gateway', ['shared']),
          {
            group: ['./**', '!./lib/**'],
            message:
              'This file is imported by all modules, so it may import shared/ and lib/ only.',
          },
        ],
      },
    ],
  },
};

function rendererRule(files: string, group: readonly string[], message: string): OxlintOverride {
  const patterns = [...boundaryPatterns('renderer'), { group: [...group], message }];
  return {
    files: [files],
    rules: {
      'no-restricted-imports': ['error', { paths: restrictedPaths('renderer'), patterns }],
    },
  };
}

/** Levels of folders in a screen; `test/all/boundaries.test.ts` checks that there are no more. */
const SCREEN_LEVELS = [0, 1, 2];

/** Restricts the screens of the window to themselves and what they share, which imports no screen. */
const screenBoundaries = [
  rendererRule(
    'renderer/*/**/*.{ts,tsx}',
    ['**/screens/**'],
    'Only routes.tsx imports the screens.',
  ),
  ...SCREEN_LEVELS.map((level) => {
    const screens = '../'.repeat(level + 1);
    return rendererRule(
      `renderer/screens/*/${'*/'.repeat(level)}*.{ts,tsx}`,
      [`${screens}*/**`, `!${screens}../**`],
      'A screen does not import from another one. Files of several screens are beside screens/.',
    );
  }),
];

/** The folders of shared/, lowest first: a folder imports from those before it, from itself and from the files beside it. */
export const SHARED_FOLDERS =
  'model-metadata desktop money video exchange failure chat run history reconcile filter-language parse-bodies compare request-code connect doctor client-setup'.split(
    ' ',
  );

/** Restricts files of shared/ to themselves. `own`: patterns of paths that lead to shared/. */
function sharedRule(files: string, own: readonly string[]): OxlintOverride {
  const group = ['*', '!zod', '!@orpc/contract', '!vitest', '!fast-check', ...own];
  const message =
    'shared/ may import zod, @orpc/contract and its own files only; a folder, only from lower ones.';
  return {
    files: [files],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
  };
}

const sharedBoundaries = [
  sharedRule('shared/*.ts', ['!./**']),
  ...SHARED_FOLDERS.map((folder, index) => {
    const lower = SHARED_FOLDERS.slice(0, index).map((other) => `!../${other}/*.ts`);
    return sharedRule(`shared/${folder}/*.ts`, ['!./*', '!../*.ts', ...lower]);
  }),
];

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
    gatewayRootBoundary,
    ...screenBoundaries,
    ...sharedBoundaries,
    {
      files: [STARTS_PROGRAMS],
      rules: {
        'no-restricted-imports': [
          'error',
          { paths: electronOnly, patterns: boundaryPatterns('host') },
        ],
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
