import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ClientId } from '../../shared/client.ts';
import { writeRestoreScript } from './restore-script.ts';

test('the script of Windows restores only a copy that has the hash of the content before', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-restore-'));
  try {
    const file = {
      path: 'C:\\a.json',
      target: 'C:\\a.json',
      format: 'json' as const,
      before: 'b'.repeat(64),
      after: ['a'.repeat(64)],
      copy: 'before',
      createdFolders: [],
      fields: [],
    };
    const entry = {
      version: 2 as const,
      program: 'codex' as const,
      client: { id: ClientId.parse('1'), name: 'Codex' },
      at: 0,
      model: 'm',
      address: 'http://127.0.0.1:6417',
      files: [file],
    };
    await writeRestoreScript({
      dataDir,
      journalFolder: join(dataDir, 'c'),
      platform: 'win32',
      entries: [entry],
    });
    const text = await readFile(join(dataDir, 'restore.cmd'), 'utf8');
    const copy = join(dataDir, 'c', 'codex', 'before');
    const check = `certutil -hashfile "${copy}" SHA256 | findstr /i /x /c:"${file.before}" >nul && copy /b /y "${copy}" "C:\\a.json"`;
    expect(text).toContain(check);
    expect(text).toContain('echo NO COPY, left as it is: "C:\\a.json"');
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
