/**
 * Finds the command with which a person starts this program, for hints: `npm run -s gatehouse --` when npm runs the sources, `gatehouse`
 * when it is installed. `program` is the path that Node.js got (`process.argv[1]`).
 */
export function detectCommandName(
  program: string | undefined,
  environment: NodeJS.ProcessEnv,
): string {
  const fromSource = /(?:^|[\\/])cli[\\/]main\.ts$/u.test(program ?? '');
  const byNpm =
    environment['npm_lifecycle_event'] !== undefined ||
    environment['npm_config_user_agent'] !== undefined;
  return fromSource && byNpm ? 'npm run -s gatehouse --' : 'gatehouse';
}
