import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In a mount namespace of its own, the real root lies at `host` in the scratch root, which then is the root. */
const ENTER = ['--user', '--map-root-user', '--mount', 'sh', '-c'];
const SCRIPT = 'mount --rbind / "$0/host" && exec chroot "$0" "$@"';
/** Packages write into these folders; everything else is that of this machine. */
const OWN = new Set(['applications', 'icons', 'metainfo', 'doc']);
const PROGRAMS = ['bin', 'sbin'];
/** The file in which the stand-ins of AppArmor log their calls. */
export const APPARMOR_LOG = '/var/log/apparmor-calls';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A system without any package of its own, in which the programs of this machine run. */
export interface ScratchRoot extends Disposable {
  readonly path: string;
  run(program: string, args: readonly string[], environment?: NodeJS.ProcessEnv): Ended;
  /** Every file, link and folder that is not the package manager's own. */
  list(): readonly string[];
}

/** Whether such a system can be made here. */
export function canMakeRoot(): boolean {
  if (process.platform !== 'linux') return false;
  using root = openScratchRoot();
  return root.run('true', []).code === 0;
}

export function openScratchRoot(): ScratchRoot {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-root-'));
  prepare(path);
  return {
    path,
    run: (program, args, environment = {}) => {
      const { status, stdout, stderr } = spawnSync(
        'unshare',
        [...ENTER, SCRIPT, path, program, ...args],
        {
          cwd: '/',
          encoding: 'utf8',
          env: {
            PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
            HOME: '/var',
            LC_ALL: 'C.UTF-8',
            ...environment,
          },
        },
      );
      return { code: status, stdout, stderr };
    },
    list: () =>
      readdirSync(path, { recursive: true, encoding: 'utf8' })
        // Left out are the files of the package managers, and the folders of the icon theme, which both systems have.
        .filter((name) => !/^(?:var\/|usr\/share\/icons\/(?!.*\.png$))/u.test(name))
        .toSorted(),
    [Symbol.dispose]: () => rmSync(path, { recursive: true }),
  };
}

function prepare(path: string): void {
  const link = (name: string): void => symlinkSync(`/host/${name}`, join(path, name));
  for (const name of ['host', 'opt', 'usr/share', 'etc/apparmor.d', 'var/log']) {
    mkdirSync(join(path, name), { recursive: true });
  }
  for (const name of readdirSync('/')) {
    if (!['host', 'opt', 'usr', 'etc', 'var', ...PROGRAMS].includes(name)) link(name);
  }
  for (const name of readdirSync('/usr')) {
    if (name !== 'share' && !PROGRAMS.includes(name)) link(`usr/${name}`);
  }
  for (const folder of PROGRAMS) {
    mkdirSync(join(path, 'usr', folder));
    symlinkSync(`usr/${folder}`, join(path, folder));
    for (const name of readdirSync(join('/usr', folder))) link(`usr/${folder}/${name}`);
  }
  for (const name of readdirSync('/usr/share')) if (!OWN.has(name)) link(`usr/share/${name}`);
  for (const name of OWN) mkdirSync(join(path, 'usr', 'share', name));
  for (const name of ['alternatives', 'passwd', 'group', 'ld.so.cache']) link(`etc/${name}`);
  for (const name of ['info', 'updates', 'triggers']) {
    mkdirSync(join(path, 'var', 'lib', 'dpkg', name), { recursive: true });
  }
  writeFileSync(join(path, 'var', 'lib', 'dpkg', 'status'), '');
  writeFileSync(join(path, 'usr', 'share', 'applications', 'mimeinfo.cache'), '');
  writeProgram(path, 'unshare', 'exit 0');
  writeProgram(path, 'apparmor_status', 'exit 0');
  writeProgram(path, 'apparmor_parser', `echo "$@" >> ${APPARMOR_LOG}`);
  writeProgram(path, 'ischroot', 'exit 1');
}

/**
 * Puts a script into the place of a program. So the scripts of a package do all that they do on Ubuntu: AppArmor's programs say what they
 * are asked, and `unshare` would be refused in a chroot.
 */
export function writeProgram(path: string, name: string, script: string): void {
  for (const folder of PROGRAMS) rmSync(join(path, 'usr', folder, name), { force: true });
  const file = join(path, 'usr', 'bin', name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}
