import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const FOLDER = join(ROOT, '.github', 'workflows');

const Permissions = z.record(z.string(), z.enum(['read', 'write']));
const Step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const Workflow = z.object({
  on: z.record(z.string(), z.unknown()),
  permissions: Permissions,
  jobs: z.record(
    z.string(),
    z.object({
      permissions: Permissions.optional(),
      environment: z.string().optional(),
      env: z.record(z.string(), z.string()).optional(),
      uses: z.string().optional(),
      strategy: z.object({ matrix: z.record(z.string(), z.unknown()) }).optional(),
      steps: z.array(Step).default([]),
    }),
  ),
});

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

const FILES = readdirSync(FOLDER).map((name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  return { name, text, workflow: Workflow.parse(parse(text)) };
});

test('there is a workflow for incoming changes, one for each night and one for releases', () => {
  expect(FILES.map(({ name }) => name).toSorted()).toEqual([
    'ci.yml',
    'nightly.yml',
    'release.yml',
  ]);
});

describe.each(FILES)('$name', ({ name: file, text, workflow }) => {
  const jobs = Object.values(workflow.jobs);
  const steps = jobs.flatMap((job) => job.steps);

  test('states at its top that it has not run', () => {
    expect(text.split('\n')[0]).toContain('has not run yet');
  });

  test('runs existing scripts only', () => {
    const named = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm (?:run )?(test|(?<=run )[\w:]+)/gu)].map(([, script = '']) => script),
    );
    expect(named).not.toEqual([]);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });

  test("uses GitHub's own actions by their full commit hash, and workflows of this repository", () => {
    const used = [...jobs, ...steps].flatMap(({ uses }) => uses ?? []);
    const pinned = /^actions\/[\w-]+@[\da-f]{40}$|^\.\/\.github\//u;
    expect(used.filter((use) => !pinned.test(use))).toEqual([]);
    // A comment beside each hash names the version for readers.
    const lines = text.split('\n').filter((line) => line.includes('uses: actions/'));
    expect(lines.filter((line) => !/@[\da-f]{40} # v\d+\.\d+\.\d+$/u.test(line))).toEqual([]);
  });

  test('may write only where the release is created, where no secret is available', () => {
    expect(Object.values(workflow.permissions)).not.toContain('write');
    const writers = Object.entries(workflow.jobs).filter(([, { permissions = {} }]) =>
      Object.values(permissions).includes('write'),
    );
    expect(writers.map(([name]) => name)).toEqual(file === 'release.yml' ? ['draft'] : []);
    expect(JSON.stringify(writers)).not.toContain('secrets.');
  });

  test('passes secrets only to steps of the protected environment, never to a command line', () => {
    const secret = /\$\{\{\s*secrets\./u;
    expect(steps.filter(({ run = '' }) => run.includes('${{'))).toEqual([]);
    expect(secret.test(JSON.stringify(jobs.map(({ env = {} }) => env)))).toBe(false);
    const knowing = jobs.filter((job) => secret.test(JSON.stringify(job.steps)));
    expect(knowing.filter(({ environment }) => environment !== 'release')).toEqual([]);
  });
});

test('an action has one hash in all workflows', () => {
  const used = FILES.flatMap(({ text }) => [...text.matchAll(/uses: (actions\/[\w-]+)@(.+)/gu)]);
  const hashes = new Map(used.map(([, action, hash]) => [action, hash]));
  expect(used.filter(([, action, hash]) => hashes.get(action) !== hash)).toEqual([]);
});

test('the suite runs in Electron itself on every system, and packages are made for both types of Macs', () => {
  const ci = FILES.find(({ name }) => name === 'ci.yml')?.workflow.jobs;
  expect(ci?.['electron']?.strategy?.matrix).toEqual({
    include: [
      { os: 'ubuntu-24.04', display: 'x11' },
      { os: 'ubuntu-24.04', display: 'wayland' },
      { os: 'macos-15', display: 'own' },
      { os: 'macos-15-intel', display: 'own' },
      { os: 'windows-2025', display: 'own' },
    ],
  });
  const packaging = FILES.flatMap(
    ({ workflow }) => workflow.jobs['package']?.strategy?.matrix ?? [],
  );
  expect(packaging).toHaveLength(2);
  for (const matrix of packaging) {
    expect(matrix).toMatchObject({
      os: expect.arrayContaining(['macos-15', 'macos-15-intel', 'ubuntu-24.04', 'windows-2025']),
    });
  }
});

test('the newest versions of the programs are tried each night', () => {
  const { on, jobs } = FILES.find(({ name }) => name === 'nightly.yml')?.workflow ?? {};
  expect(on).toHaveProperty('schedule');
  const runs = jobs?.['clients']?.steps.map(({ run }) => run);
  expect(runs).toContain('npm run compatibility -- --newest');
});

test('a release sets every variable that the packages need', () => {
  const packages = readFileSync(join(ROOT, 'build', 'packages.ts'), 'utf8');
  const asked = [...packages.matchAll(/environment\['(\w+)'\]/gu)].map(([, name = '']) => name);
  const jobs = FILES.flatMap(({ workflow }) => Object.values(workflow.jobs));
  const set = jobs.flatMap(({ env = {}, steps }) =>
    [env, ...steps.map((step) => step.env ?? {})].flatMap((each) => Object.keys(each)),
  );
  expect(asked.length).toBeGreaterThan(3);
  // GitHub sets this one itself.
  expect([...set, 'GITHUB_REPOSITORY']).toEqual(expect.arrayContaining(asked));
});
