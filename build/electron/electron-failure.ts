import { open } from 'node:fs/promises';
import { systemCode } from '../../gateway/lib/disk.ts';
import { adviceFor } from './electron-sandbox.ts';

/** How Electron ended without being asked to. */
export interface ElectronEnd {
  readonly program: string;
  readonly environment: NodeJS.ProcessEnv;
  /** The exit code; `null` when it was ended by a signal. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** The end of its error output. */
  readonly printed: string;
}

/** Signals that the system sends to a program that crashes. All others are sent by somebody. */
export const CRASHES: ReadonlySet<NodeJS.Signals> = new Set([
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
]);
/** The messages of the loaders of glibc and musl about a missing library. */
const LIBRARY = /(?:loading shared libraries|loading shared library) ?:? ([^\s:]+):/iu;
const SANDBOX = /SUID sandbox helper|No usable sandbox/u;
const DISPLAY =
  /Missing X server|open X? ?display|connect to Wayland display|platform failed to initialize/iu;
/** The offset of the field of an ELF file that names its processor, and its values (ELF specification, e_machine). */
const MACHINE_AT = 18;
const MACHINES: Readonly<Record<string, number>> = { arm: 40, x64: 62, arm64: 183, ia32: 3 };

/** Explains why Electron ended, in one sentence for people, with a remedy where one is known. */
export async function explainEnd(end: ElectronEnd): Promise<string> {
  const { program, environment, printed, exitCode, signal } = end;
  const library = LIBRARY.exec(printed)?.[1];
  if (library !== undefined) {
    return `Electron needs the library ${library}, which is missing here. Install it with your package manager, then start again.`;
  }
  if (SANDBOX.test(printed)) {
    return `the helper of Electron's sandbox lacks the rights that it needs on this system. ${adviceFor(program)}`;
  }
  if (await isForOtherProcessor(program)) {
    return `Electron in ${program} is made for another processor than this one (${process.arch}).`;
  }
  const how = describeExit(exitCode, signal);
  if (DISPLAY.test(printed)) {
    const { WAYLAND_DISPLAY, DISPLAY: display } = environment;
    return `the display ${WAYLAND_DISPLAY || display} could not be reached (Electron ${how}).`;
  }
  return `Electron ${how}. To start without it: npm start -- --headless`;
}

function describeExit(exitCode: number | null, signal: NodeJS.Signals | null): string {
  if (signal === null) return `ended with exit code ${exitCode}`;
  return CRASHES.has(signal) ? `crashed (${signal})` : `was ended by ${signal}`;
}

/** Explains why a program could not be started, in one sentence for people. */
export async function explainStartFailure(program: string, error: unknown): Promise<string> {
  const code = systemCode(error);
  if (code === 'EACCES') return `${program} is not executable (EACCES).`;
  if (code === 'ENOENT') {
    return `${program} cannot be run: the loader that it names is missing here.`;
  }
  if (await isForOtherProcessor(program)) {
    return `Electron in ${program} is made for another processor than this one (${process.arch}).`;
  }
  return `${program} cannot be run (${code ?? String(error)}).`;
}

/** A shell is started instead then, which reports a syntax error. */
async function isForOtherProcessor(program: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  await using file = await open(program).catch(() => null);
  if (file === null) return false;
  const head = Buffer.alloc(MACHINE_AT + 2);
  await file.read(head, 0, head.length, 0);
  const isElf = head.readUInt32BE(0) === 0x7f_45_4c_46;
  return isElf && head.readUInt16LE(MACHINE_AT) !== MACHINES[process.arch];
}
