import { homedir } from 'node:os';
import { maskLocalKeys } from '../../gateway/clients/clients.ts';
import { formatReport } from '../../gateway/doctor/doctor.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import type { CommandContext } from '../command-context.ts';
import { withEngine } from '../engine-client.ts';
import { CommandError } from '../errors.ts';
import { requireConfirmation } from '../output/prompt.ts';
import { requireNewFile, writeWholeFile } from '../output/publish-file.ts';

interface ReportFlags {
  readonly file: string;
  readonly yes?: boolean;
  readonly data?: string;
}

/**
 * Shows the findings and the state of the running Gatehouse, without keys and the name of the home folder, and writes them to a
 * file when the person agrees. @throws CommandError, UsageError
 */
export async function writeDoctorReport(
  context: CommandContext,
  findings: readonly Finding[],
  { file, yes = false, data }: ReportFlags,
): Promise<void> {
  const { terminal, environment, envSettings } = context;
  await requireNewFile(file, false);
  const home = environment['HOME'] || environment['USERPROFILE'] || homedir();
  const secrets = [envSettings.upstreamKey, envSettings.localKey].flatMap((key) => key ?? []);
  const text = formatReport({
    findings,
    diagnostics: await readDiagnostics(context, data),
    home,
    redact: (clear) =>
      secrets.reduce((masked, secret) => masked.replaceAll(secret, '<key>'), maskLocalKeys(clear)),
  });
  terminal.print(text);
  if (!yes) await requireConfirmation(context, `Write this to ${file}?`);
  await writeWholeFile(file, false, toChunks(text));
  terminal.printText(`Written to ${file}. Read it once more before you send it to anybody.`);
}

async function* toChunks(text: string): AsyncGenerator<string> {
  yield text;
}

/** Returns the diagnostics of the running Gatehouse, or why there are none. */
async function readDiagnostics(context: CommandContext, data: string | undefined): Promise<string> {
  try {
    return await withEngine(context, data, async ({ calls }) => await calls.status.diagnostics());
  } catch (error) {
    if (error instanceof CommandError) return `No state: ${error.message}`;
    throw error;
  }
}
