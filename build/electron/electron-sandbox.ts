import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { constants } from 'node:fs';

/**
 * Settings of Linux that keep ordinary programs from creating user namespaces, each with the value that does: of AppArmor on Ubuntu
 * 23.10 and later, of Debian's kernels, and of all kernels.
 */
const NAMESPACE_SETTINGS = [
  ['kernel.apparmor_restrict_unprivileged_userns', '1'],
  ['kernel.unprivileged_userns_clone', '0'],
  ['user.max_user_namespaces', '0'],
] as const;
/**
 * A person sets it to 1 when an AppArmor profile of their own lets Electron create namespaces: such a profile cannot be read without
 * root.
 */
export const SKIP_CHECK = 'GATEHOUSE_SKIP_SANDBOX_CHECK';
/** The mode bits of a program that others may run with the rights of its owner. */
const SET_UID = constants.S_IXOTH | 0o4000;

/**
 * Explains why Chromium's sandbox cannot work for this Electron, with the commands that change it; `null` where it can work, and on
 * other systems than Linux. It needs either user namespaces or the helper beside the program, owned by root with mode 4755 (Chromium,
 * "Linux SUID sandbox"); without both, Electron ends by SIGTRAP. `root` is the folder that contains `proc`.
 */
export async function explainSandboxFailure(program: string, root: string): Promise<string | null> {
  const setting = await findRestriction(root);
  if (setting === null || (await isSetUp(toHelperPath(program)))) return null;
  return `this system keeps user namespaces from programs (${setting}), and the helper of Electron's sandbox lacks the rights to work without them. ${adviceFor(program)}\nWith an AppArmor profile of your own for Electron, start with ${SKIP_CHECK}=1 instead.`;
}

/** Returns the commands that give the helper of the sandbox its rights. */
export function adviceFor(program: string): string {
  const helper = quote(toHelperPath(program));
  return `Run these, then start again:\n  sudo chown root:root ${helper}\n  sudo chmod 4755 ${helper}`;
}

function toHelperPath(program: string): string {
  return join(dirname(program), 'chrome-sandbox');
}

async function findRestriction(root: string): Promise<string | null> {
  for (const [name, restricts] of NAMESPACE_SETTINGS) {
    // A setting that this kernel does not have restricts nothing.
    const text = await readFile(join(root, 'proc/sys', ...name.split('.')), 'utf8').catch(() => '');
    if (text.trim() === restricts) return `${name} is ${restricts}`;
  }
  return null;
}

async function isSetUp(helper: string): Promise<boolean> {
  const found = await stat(helper).catch(() => null);
  return found !== null && found.isFile() && found.uid === 0 && (found.mode & SET_UID) === SET_UID;
}

/** Quotes a text as one word of a shell. */
function quote(path: string): string {
  return /^[\w./@+-]+$/u.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
