import type { ProgramId } from '../../../shared/connect/connection.ts';
import type { ConnectableProgram } from '../program.ts';
import { aider } from './aider.ts';
import { claudeCode } from './claude-code.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { continueDev } from './continue.ts';
import { crush } from './crush.ts';
import { goose } from './goose.ts';
import { librechat } from './librechat.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwenCode } from './qwen-code.ts';
import { raycast } from './raycast.ts';
import { vscodeCopilot } from './vscode-copilot.ts';
import { zed } from './zed.ts';

/** The programs whose settings can be changed, most used first. */
export const PROGRAMS: Readonly<Record<ProgramId, ConnectableProgram>> = {
  'claude-code': claudeCode,
  codex,
  opencode,
  'qwen-code': qwenCode,
  cline,
  continue: continueDev,
  pi,
  zed,
  aider,
  crush,
  goose,
  'vscode-copilot': vscodeCopilot,
  raycast,
  librechat,
};
