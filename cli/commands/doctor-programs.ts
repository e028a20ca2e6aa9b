import { checkProgram } from '../../gateway/doctor/doctor.ts';
import type { ProgramId } from '../../shared/connect/connection.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import { describeListener } from '../../host/process/port-owner.ts';
import { readProgramVersion } from '../../host/process/program-version.ts';
import type { CommandContext } from '../command-context.ts';
import { type CommandRepositories, withHistory } from '../with-repositories.ts';
import { findUsualPort, openCommandConnections, readServingPort } from './connect/connections.ts';

/** Checks the settings and the latest requests of programs: one of them, or those that are connected or lead here. */
export async function checkPrograms(
  context: CommandContext,
  repositories: CommandRepositories,
  only: ProgramId | null,
): Promise<readonly Finding[]> {
  const connections = await openCommandConnections(context, repositories, []);
  const { command } = context;
  const states = await connections.list();
  const { now } = repositories.host;
  const serving = {
    isRunning: (await readServingPort(repositories)) !== null,
    usualPort: findUsualPort(context, repositories),
    describeListener,
  };
  const readVersion = async (path: string) => await readProgramVersion(path, context.environment);
  return await withHistory(repositories, async (history) => {
    const findings: Finding[] = [];
    for (const state of states) {
      if (only !== null && state.id !== only) continue;
      if (only === null && state.connection === null && state.foundAt === null) continue;
      const deps = { connections, history, serving, command, now, readVersion };
      findings.push(...(await checkProgram(state, deps, only !== null)));
    }
    return findings;
  });
}
