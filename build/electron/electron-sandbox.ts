import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { constants } from 'node:fs';

/**
 * The settings of Linux that keep ordinary programs from making user namespaces, each with the value that does: of AppArmor on Ubuntu
 * 23.10 and later, of Debian's kernels, and of all kernels.
 */
const NAMESPACE_SETTINGS = [
  ['kernel.apparmor_restrict_unprivileged_userns', '1'],
  ['kernel.unprivileged_userns_clone', '0'],
  ['user.max_user_namespaces', '0'],
] as const;
/** Set to 1 by a person whose own profile of AppArmor allows Electron to make namespaces: such a profile cannot be read without root. */
export const SKIP_CHECK = 'GATEHOUSE_SKIP_SANDBOX_CHECK';
/** May be run by others, with the rights of its owner. */
const SET_UID = constants.S_IXOTH | 0o4000;

/**
 * Why Chromium's sandbox cannot work for this program of Electron, with the commands that change it; `null` where it can, and on other
 * systems than Linux. It takes either user namespaces or the helper beside the program, owned by root with mode 4755 (Chromium,
 * "Linux SUID sandbox"); without both, Electron ends by SIGTRAP. `root` is the folder that `proc` is in.
 */
export async function whyNoSandbox(program: string, root: string): Promise<string | null> {
  const setting = await restrictionIn(root);
  if (setting === null || (await isSetUp(helperOf(program)))) return null;
  return `this system keeps user namespaces from programs (${setting}), and the helper of Electron's sandbox lacks the rights to work without them. ${adviceFor(program)}\nWith an AppArmor profile of your own for Electron, start with ${SKIP_CHECK}=1 instead.`;
}

/** The commands that give the helper of the sandbox its rights. */
export function adviceFor(program: string): string {
  const helper = quoted(helperOf(program));
  return `Run these, then start again:\n  sudo chown root:root ${helper}\n  sudo chmod 4755 ${helper}`;
}

function helperOf(program: string): string {
  return join(dirname(program), 'chrome-sandbox');
}

async function restrictionIn(root: string): Promise<string | null> {
  for (const [name, restricts] of NAMESPACE_SETTINGS) {
    // A setting that this kernel has not restricts nothing.
    const text = await readFile(join(root, 'proc/sys', ...name.split('.')), 'utf8').catch(() => '');
    if (text.trim() === restricts) return `${name} is ${restricts}`;
  }
  return null;
}

async function isSetUp(helper: string): Promise<boolean> {
  const found = await stat(helper).catch(() => null);
  return found !== null && found.isFile() && found.uid === 0 && (found.mode & SET_UID) === SET_UID;
}

/** As a shell reads it as one word. */
function quoted(path: string): string {
  return /^[\w./@+-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
