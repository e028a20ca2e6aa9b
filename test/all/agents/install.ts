import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { AgentPackage, AgentProgram } from './program.ts';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'out', 'agents');

/** Agents of one prompt that use the packages which are libraries. */
const SCRIPTS = join(import.meta.dirname, 'scripts');

/** Returns the command of an installed program; `null` when its version is not installed. */
export function findCommand({ id, package: wanted }: AgentProgram): string | null {
  const folder = toFolder(id, wanted);
  const command = isScript(wanted)
    ? join(folder, wanted.command)
    : join(folder, 'node_modules', '.bin', wanted.command);
  return existsSync(command) ? command : null;
}

/**
 * Installs a program in a folder of its own, unless it is there already. Its install scripts run, because they put the program for this
 * system in place. Resolves to its command. Rejects with the reason of npm.
 */
export async function installProgram(program: AgentProgram): Promise<string> {
  const present = findCommand(program);
  if (present !== null) return present;
  const { name, version, command, beside = {} } = program.package;
  const folder = toFolder(program.id, program.package);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"private":true}\n');
  try {
    const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
    const packages = Object.entries({ [name]: version, ...beside }).map((one) => one.join('@'));
    await promisify(execFile)('npm', ['install', ...flags, ...packages], { cwd: folder });
  } catch (error) {
    await rm(folder, { recursive: true });
    throw new Error(toReason(error), { cause: error });
  }
  // Beside the packages, it finds those of this folder.
  if (isScript(program.package)) await cp(SCRIPTS, folder, { recursive: true });
  const installed = findCommand(program);
  if (installed === null) throw new Error(`The package ${name} has no command "${command}".`);
  return installed;
}

/** Returns a program with the newest versions of its packages. Rejects with the reason of npm. */
export async function findNewest(program: AgentProgram): Promise<AgentProgram> {
  const { name, beside } = program.package;
  const others = Object.keys(beside ?? {}).map(
    async (other) => [other, await findVersion(other)] as const,
  );
  return {
    ...program,
    package: {
      ...program.package,
      version: await findVersion(name),
      ...(beside === undefined ? {} : { beside: Object.fromEntries(await Promise.all(others)) }),
    },
  };
}

async function findVersion(name: string): Promise<string> {
  const { stdout } = await promisify(execFile)('npm', ['view', name, 'version']);
  return stdout.trim();
}

function isScript({ command }: AgentPackage): boolean {
  return command.endsWith('.mjs');
}

function toFolder(id: string, { version }: AgentPackage): string {
  return join(FOLDER, `${id}-${version}`);
}

function toReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const lines = text.split('\n').filter((line) => /^npm (?:error|ERR!) \S/u.test(line));
  return lines[1] ?? lines[0] ?? text;
}
