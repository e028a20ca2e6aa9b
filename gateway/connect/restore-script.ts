import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { quoteForShell } from '../../shared/shell-quote.ts';
import type { JournalEntry, JournalFile } from './journal/journal.ts';
import { writeAtomically } from './write-file.ts';

/** Files of the data folder that put the settings of programs back without Gatehouse. */
const SHELL = 'restore.sh';
const WINDOWS = 'restore.cmd';

interface ScriptOptions {
  readonly dataDir: string;
  readonly journalFolder: string;
  readonly platform: NodeJS.Platform;
  readonly entries: readonly JournalEntry[];
}

/** Writes the script for the present connections; removes it when there are none. */
export async function writeRestoreScript({
  dataDir,
  journalFolder,
  platform,
  entries,
}: ScriptOptions): Promise<void> {
  const isWindows = platform === 'win32';
  const file = join(dataDir, isWindows ? WINDOWS : SHELL);
  if (entries.length === 0) {
    await rm(file, { force: true });
    return;
  }
  const steps = entries.flatMap(({ program, files }) =>
    files.map((one) => ({ ...one, copy: one.copy && join(journalFolder, program, one.copy) })),
  );
  const text = isWindows ? toCommandScript(steps) : toShellScript(steps);
  await writeAtomically(file, Buffer.from(text), { mode: 0o700 });
  if (!isWindows) await chmod(file, 0o700);
}

const SHELL_HEAD = `#!/bin/sh
# Puts back the settings of programs that Gatehouse changed. It needs nothing of Gatehouse but the copies beside it.
# A file that was changed since is left as it is, and named.
left=0
hash_of() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum < "$1" | cut -c 1-64
  else shasum -a 256 < "$1" | cut -c 1-64; fi
}
# restore FILE HASH-BEFORE HASHES-AFTER COPY: an empty hash and copy mean that there was no file.
restore() {
  if [ ! -e "$1" ]; then echo "gone: $1"; return; fi
  now=$(hash_of "$1")
  if [ "$now" = "$2" ]; then echo "unchanged: $1"; return; fi
  case " $3 " in
    *" $now "*) ;;
    *)
      left=1
      if [ -n "$4" ]; then echo "CHANGED SINCE, left as it is: $1 (as it was before: $4)"
      else echo "CHANGED SINCE, left as it is: $1 (there was no such file before)"; fi
      return ;;
  esac
  if [ -z "$4" ]; then rm -- "$1" && echo "deleted: $1"; return; fi
  if [ ! -f "$4" ] || [ "$(hash_of "$4")" != "$2" ]; then
    left=1
    echo "NO COPY, left as it is: $1 (its content before is not at $4)"
    return
  fi
  part="$1.gatehouse-restore"
  # The copy takes the permissions of the file before it gets the content.
  if cp -p -- "$1" "$part" && cat -- "$4" > "$part" && mv -f -- "$part" "$1"; then
    echo "restored: $1"
  else
    left=1
    rm -f -- "$part"
  fi
}
`;

function toShellScript(files: readonly JournalFile[]): string {
  const lines = files.map(({ target, before, after, copy }) =>
    ['restore', target, before ?? '', after.join(' '), copy ?? '']
      .map((word, index) => (index === 0 ? word : quoteForShell(word)))
      .join(' '),
  );
  return `${SHELL_HEAD}${lines.join('\n')}\nexit $left\n`;
}

const COMMAND_HEAD = `@echo off\r
rem Puts back the settings of programs that Gatehouse changed. It needs nothing of Gatehouse but the copies beside it.\r
rem A file that was changed since is left as it is, and named.\r
chcp 65001 >nul\r
`;

function toCommandScript(files: readonly JournalFile[]): string {
  const steps = files.map(({ target, before, after, copy }) => {
    const path = quoteForCommand(target);
    const hashes = after.map((hash) => `/c:"${hash}"`).join(' ');
    const restore =
      copy === null
        ? `del ${path} && echo deleted: ${path}`
        : restoreByCommand({ target, copy, before });
    return [
      `if not exist ${path} (echo gone: ${path}) else (`,
      `  certutil -hashfile ${path} SHA256 | findstr /i /x ${hashes} >nul && (${restore}) || (`,
      `    set left=1`,
      `    echo CHANGED SINCE, left as it is: ${path}`,
      `  )`,
      `)`,
    ].join('\r\n');
  });
  return `${COMMAND_HEAD}set left=0\r\n${steps.join('\r\n')}\r\nexit /b %left%\r\n`;
}

function restoreByCommand({
  target,
  copy,
  before,
}: Pick<JournalFile, 'target' | 'copy' | 'before'>): string {
  const path = quoteForCommand(target);
  const from = quoteForCommand(copy ?? '');
  const isWhole = `certutil -hashfile ${from} SHA256 | findstr /i /x /c:"${before ?? ''}" >nul`;
  const failed = `(set left=1& echo NO COPY, left as it is: ${path})`;
  return `${isWhole} && copy /b /y ${from} ${path} >nul && echo restored: ${path} || ${failed}`;
}

/** A path of Windows holds no quotation marks; a percent sign begins a variable. */
function quoteForCommand(word: string): string {
  return `"${word.replaceAll('%', '%%')}"`;
}
