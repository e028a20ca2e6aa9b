import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The bytes of an AppImage before its file system. */
const RUNTIME_BYTES = 4096;

/**
 * Stand-in for the runtime that electron-builder downloads and puts before the file system of an AppImage: it unpacks where that mounts.
 * Both then run AppRun with the arguments and with their own path in APPIMAGE.
 */
const RUNTIME = `#!/bin/sh
set -e
APPIMAGE=$(readlink -f "$0")
APPDIR=$(mktemp -d)/mounted
export APPIMAGE APPDIR
unsquashfs -quiet -no-progress -o ${RUNTIME_BYTES} -d "$APPDIR" "$APPIMAGE" >&2
exec "$APPDIR/AppRun" "$@"
exit
`;

/** Fills a folder with what electron-builder looks for in APPIMAGE_TOOLS_PATH. */
export async function writeAppImageTools(folder: string): Promise<void> {
  await mkdir(join(folder, 'runtimes'), { recursive: true });
  await mkdir(join(folder, 'lib', 'x64'), { recursive: true });
  for (const name of ['mksquashfs', 'desktop-file-validate']) {
    await symlink(join('/usr/bin', name), join(folder, name));
  }
  const runtime = join(folder, 'runtimes', 'runtime-x64');
  await writeFile(runtime, RUNTIME.padEnd(RUNTIME_BYTES, '\n'), { mode: 0o755 });
}
