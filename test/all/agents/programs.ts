import type { AgentProgram } from './program.ts';
import { CLAUDE_CODE } from './programs/claude-code.ts';
import { CLINE } from './programs/cline.ts';
import { CODEX } from './programs/codex.ts';
import { CONTINUE } from './programs/continue.ts';
import { COPILOT_CLI } from './programs/copilot-cli.ts';
import { LIBRARIES } from './programs/libraries.ts';
import { OPENCODE } from './programs/opencode.ts';
import { PI } from './programs/pi.ts';
import { QWEN_CODE } from './programs/qwen-code.ts';

/** The programs that are tried, in the order of the page. */
export const PROGRAMS: readonly AgentProgram[] = [
  CLAUDE_CODE,
  CODEX,
  OPENCODE,
  QWEN_CODE,
  CLINE,
  CONTINUE,
  PI,
  COPILOT_CLI,
  ...LIBRARIES,
];
