import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';

// A stand-in for fpm, which electron-builder downloads. It takes those options of fpm 1.17 that electron-builder uses, refuses every
// other, and packs with dpkg-deb and rpmbuild.
const single = { type: 'string' } as const;
const several = { type: 'string', multiple: true } as const;
const OPTIONS = {
  'input-type': { ...single, short: 's' },
  'output-type': { ...single, short: 't' },
  force: { type: 'boolean' },
  depends: { ...several, short: 'd' },
  name: single,
  version: single,
  architecture: single,
  package: single,
  description: single,
  maintainer: single,
  vendor: single,
  url: single,
  license: single,
  category: single,
  directories: several,
  'after-install': single,
  'after-remove': single,
  'deb-priority': single,
  'deb-recommends': several,
  'deb-compression': single,
  'rpm-os': single,
  'rpm-compression': single,
  'rpm-summary': single,
  'rpm-rpmbuild-define': several,
} as const;

const Common = {
  'input-type': z.literal('dir'),
  name: z.string(),
  version: z.string(),
  architecture: z.string(),
  package: z.string(),
  description: z.string(),
  maintainer: z.string().regex(/^[^<>]+ <[^<>\s]+@[^<>\s]+>$/u),
  vendor: z.string(),
  url: z.url({ protocol: /^https$/u }),
  license: z.string(),
  category: z.string(),
  depends: z.array(z.string()),
  'after-install': z.string(),
  'after-remove': z.string(),
};
const Deb = z.object({
  ...Common,
  'output-type': z.literal('deb'),
  'deb-priority': z.string(),
  'deb-recommends': z.array(z.string()),
  'deb-compression': z.string(),
});
const Rpm = z.object({
  ...Common,
  'output-type': z.literal('rpm'),
  directories: z.array(z.string()),
  'rpm-os': z.string(),
  'rpm-summary': z.string(),
  'rpm-rpmbuild-define': z.array(z.string()).default([]),
});

const { values, positionals, tokens } = parseArgs({
  options: OPTIONS,
  allowPositionals: true,
  tokens: true,
});
const firstInput = tokens.findIndex(({ kind }) => kind === 'positional');
if (tokens.slice(firstInput).some(({ kind }) => kind !== 'positional')) {
  throw new Error('All flags should be before the first argument.');
}
const given = z.discriminatedUnion('output-type', [Deb, Rpm]).parse(values);

const work = mkdtempSync(join(tmpdir(), 'gatehouse-fpm-'));
const root = join(work, 'root');
try {
  mkdirSync(root);
  for (const input of positionals) copyInput(input);
  if (given['output-type'] === 'deb') packDeb(given);
  else packRpm(given);
} finally {
  rmSync(work, { recursive: true });
}

/** An input is `source=place`. */
function copyInput(input: string): void {
  const [source = '', place = ''] = input.split('=');
  if (!place.startsWith('/')) throw new Error(`${input} has no place.`);
  const to = join(root, place);
  mkdirSync(dirname(to), { recursive: true });
  cpSync(source, to, { recursive: true, verbatimSymlinks: true });
  chmodSync(to, statSync(source).mode);
}

/** Files, or folders, as they lie in the package. */
function listed(below: string, folders: boolean): readonly string[] {
  return readdirSync(join(root, below), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() === folders)
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .toSorted();
}

function packDeb(deb: z.infer<typeof Deb>): void {
  const sums = listed('/', false).map((file) => {
    const sum = createHash('md5').update(readFileSync(join(root, file)));
    return `${sum.digest('hex')}  ${file.slice(1)}\n`;
  });
  const control = join(root, 'DEBIAN');
  mkdirSync(control);
  const fields = {
    Package: deb.name,
    Version: deb.version,
    License: deb.license,
    Vendor: deb.vendor,
    Architecture: deb.architecture,
    Maintainer: deb.maintainer,
    Depends: deb.depends.join(', '),
    Recommends: deb['deb-recommends'].join(', '),
    Section: deb.category,
    Priority: deb['deb-priority'],
    Homepage: deb.url,
    Description: deb.description,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  writeFileSync(join(control, 'control'), lines.join(''));
  writeFileSync(join(control, 'md5sums'), sums.join(''));
  for (const [script, name] of [
    [deb['after-install'], 'postinst'],
    [deb['after-remove'], 'postrm'],
  ] as const) {
    writeFileSync(join(control, name), readFileSync(script), { mode: 0o755 });
  }
  const compression = [`-Z${deb['deb-compression']}`, '-z1'];
  run('dpkg-deb', ['--root-owner-group', ...compression, '--build', root, deb.package]);
}

function packRpm(rpm: z.infer<typeof Rpm>): void {
  const owned = rpm.directories.flatMap((folder) => [folder, ...listed(folder, true)]);
  const spec = `
Name: ${rpm.name}
Version: ${rpm.version}
Release: 1
Summary: ${rpm['rpm-summary']}
License: ${rpm.license}
Group: ${rpm.category}
Vendor: ${rpm.vendor}
URL: ${rpm.url}
Packager: ${rpm.maintainer}
AutoReqProv: no
${rpm.depends.map((name) => `Requires: ${name}`).join('\n')}
%define __os_install_post %{nil}
%define _binary_payload w1.gzdio
%description
${rpm.description}
%post
${readFileSync(rpm['after-install'], 'utf8')}
%postun
${readFileSync(rpm['after-remove'], 'utf8')}
%files
%defattr(-,root,root,-)
${owned.map((folder) => `%dir "${folder}"`).join('\n')}
${listed('/', false)
  .map((file) => `"${file}"`)
  .join('\n')}
`;
  writeFileSync(join(work, 'spec'), spec);
  const file = join(work, 'made.rpm');
  const defines = [
    `_topdir ${work}`,
    `_rpmdir ${work}`,
    '_rpmfilename made.rpm',
    // This is Fedora's configuration.
    '_build_id_links compat',
    ...rpm['rpm-rpmbuild-define'],
  ].flatMap((define) => ['--define', define]);
  const target = `${rpm.architecture.replace('amd64', 'x86_64')}-unknown-${rpm['rpm-os']}`;
  const places = ['--buildroot', root, '--target', target, join(work, 'spec')];
  run('rpmbuild', ['-bb', '--quiet', ...defines, ...places]);
  cpSync(file, rpm.package);
}

function run(program: string, args: readonly string[]): void {
  // Debian's rpmbuild keeps a database in the home of its user.
  const env = { ...process.env, HOME: work };
  execFileSync(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] });
}
